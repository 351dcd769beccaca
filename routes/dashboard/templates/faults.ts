import type { Static } from '@sinclair/typebox'
import type { ScenarioList } from '../../../src/admin-api/scenarios.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { faultPrefix, faultRows, type FaultRow } from '../faults.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, table, type Cell } from './parts.ts'

type Added = Static<typeof ScenarioList>['scenarios'][number]

/** Faults that can be switched on for the next payments. Each one is a scenario. */
export function faultsHtml (visit: Visit, { scenarios }: Static<typeof ScenarioList>): Html {
  const rows = faultRows.map((fault) =>
    row(
      visit,
      fault,
      scenarios.find(({ name }) => name === faultPrefix + fault.name)
    )
  )
  const editor = linkTo(visit, '/scenarios')
  return html`<p>A fault is a scenario for the next payments of this account. For a fault of some
payments only, use <a href="${editor}">the scenario editor</a>.</p>
${table(['Fault', ['Effect', 'wrap'], 'State', 'Change'], rows)}`
}

function row (visit: Visit, { name, label, effect }: FaultRow, added: Added | undefined): Cell[] {
  const isOn = added !== undefined && (added.remaining ?? 1) > 0
  const state = isOn
    ? badge(`on, ${added.remaining ?? ''} left`, 'FAILED')
    : badge('off', 'PENDING')
  const used = added && html`<span class="soft">used ${added.used}</span>`
  const number = html`<label>Next <input name="times" type="number" min="1" max="1000" value="1"
required aria-label="Number of payments with the fault ${label}"></label> `
  const input = { controls: number, example: { times: '1' } }
  return [
    html`<strong>${label}</strong>`,
    effect,
    html`${state} ${used}`,
    html`<div class="actions">
${actionForm(visit, 'add-fault', { fault: name }, 'Switch on', input)}
${isOn ? actionForm(visit, 'delete-scenario', { name: added.name }, 'Switch off') : undefined}
</div>`
  ]
}
