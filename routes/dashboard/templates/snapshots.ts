import type { Static } from '@sinclair/typebox'
import type { SnapshotAnswer } from '../../../src/admin-api/snapshots.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { emptyNote, formatTime, table, type Cell, type Column } from './parts.ts'

type Snapshot = Static<typeof SnapshotAnswer>

const columns: Column[] = [
  ['Name', 'wrap'],
  ['Taken', 'time'],
  ['Clock', 'time'],
  ['Payments', 'number'],
  'Actions'
]

/** Snapshots of an account, and a form that takes one. */
export function snapshotsHtml (visit: Visit, { snapshots }: { snapshots: Snapshot[] }): Html {
  const rows = snapshots.map((snapshot) => row(visit, snapshot))
  return html`${takeForm(visit)}
${
  rows.length === 0
    ? emptyNote('No snapshots. A snapshot keeps the payments, settings and clock of the account.')
    : table(columns, rows)
}`
}

function takeForm (visit: Visit): Html {
  return actionForm(visit, 'take-snapshot', {}, 'Take a snapshot', {
    controls: html`<label>Name
<input name="name" required pattern="[A-Za-z0-9._\\-]{1,64}"></label> `
  })
}

function row (visit: Visit, { name, taken, clock, payments }: Snapshot): Cell[] {
  return [
    name,
    formatTime(taken),
    `${formatTime(clock.now)} ${clock.mode}`,
    payments,
    html`<div class="actions">
${actionForm(visit, 'restore-snapshot', { name }, 'Restore')}
${actionForm(visit, 'delete-snapshot', { name }, 'Delete')}
</div>`
  ]
}
