import type { Static } from '@sinclair/typebox'
import type { SnapshotAnswer } from '../../../src/admin-api/snapshots.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { emptyNote, formatTime, table } from './parts.ts'

type Snapshot = Static<typeof SnapshotAnswer>

/** Snapshots of an account, and a form that takes one. */
export function snapshotsHtml (visit: Visit, { snapshots }: { snapshots: Snapshot[] }): Html {
  const rows = snapshots.map((snapshot) => row(visit, snapshot))
  return html`${takeForm(visit)}
${
  rows.length === 0
    ? emptyNote('No snapshots. A snapshot keeps the payments, settings and clock of the account.')
    : table(['Name', 'Taken', 'Clock', 'Payments', 'Actions'], rows)
}`
}

function takeForm (visit: Visit): Html {
  return actionForm(
    visit,
    'take-snapshot',
    {},
    'Take a snapshot',
    html`<label>Name <input name="name" required pattern="[A-Za-z0-9._\\-]{1,64}"></label> `
  )
}

function row (visit: Visit, { name, taken, clock, payments }: Snapshot): Html {
  return html`<tr>
<td>${name}</td><td>${formatTime(taken)}</td><td>${formatTime(clock.now)} ${clock.mode}</td>
<td class="number">${payments}</td>
<td><div class="actions">
${actionForm(visit, 'restore-snapshot', { name }, 'Restore')}
${actionForm(visit, 'delete-snapshot', { name }, 'Delete')}
</div></td>
</tr>`
}
