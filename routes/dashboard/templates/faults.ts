import type { Static } from '@sinclair/typebox'
import type { ScenarioList } from '../../../src/admin-api/scenarios.ts'
import { kindNames } from '../../../src/admin-api/fields.ts'
import { failuresOf } from '../../../src/domain/failures.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { faultPrefix, faultRows, type FaultRow } from '../faults.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { badge, table, type Cell, type Row } from './parts.ts'

type Added = Static<typeof ScenarioList>['scenarios'][number]

/** Faults that can be switched on for the next payments. Each one is a scenario. */
export function faultsHtml (visit: Visit, { scenarios }: Static<typeof ScenarioList>): Html {
  const added = new Map(scenarios.map((scenario) => [scenario.name, scenario]))
  const known = new Set(faultRows.map(({ name }) => faultPrefix + name))
  const failures = scenarios.filter(
    ({ name }) => name.startsWith(faultPrefix) && !known.has(name)
  )
  const editor = linkTo(visit, '/scenarios')
  return html`<section class="panel" aria-label="Failure code">
${actionForm(visit, 'add-failure', {}, 'Switch on', {
  controls: failureControls(),
  look: 'main'
})}
</section>
<p class="soft">A fault is a scenario for the next payments of this account. For a fault of some
payments only, use <a href="${editor}">the scenario editor</a>.</p>
${table(
  ['Fault', ['Effect', 'wrap'], 'State', 'For'],
  [
    ...failures.map((failure) => failureRow(visit, failure)),
    ...faultRows.map((fault) => row(visit, fault, added.get(faultPrefix + fault.name)))
  ]
)}`
}

/** "The next 1 fails with …": the codes of each kind. */
function failureControls (): Html {
  const groups = kindNames.map((kind) => {
    const options = failuresOf(kind).map(
      (code) => html`<option value="${kind} ${code}">${kind}: ${code}</option>`
    )
    return options.length === 0 ? html`` : html`<optgroup label="${kind}">${options}</optgroup>`
  })
  return html`<label>The next <input name="times" type="number" min="1" max="1000" value="1"
required aria-label="Number of payments that fail"> fail with
<select name="failure" aria-label="Kind and failure code">${groups}</select></label> `
}

function failureRow (visit: Visit, failure: Added): Row {
  const { name, fail, when } = failure
  return {
    id: `fault-${name}`,
    cells: [
      html`<strong>Failure code</strong>`,
      html`The ${String(when?.kind ?? 'payment')} fails with
<span class="trouble">${String(fail)}</span>.`,
      stateHtml(failure),
      isOn(failure) ? offForm(visit, failure) : undefined
    ]
  }
}

function row (visit: Visit, { name, label, effect }: FaultRow, added: Added | undefined): Row {
  const kinds = kindNames.map((kind) => html`<option>${kind}</option>`)
  const controls = html`<input name="times" type="number" min="1" max="1000" value="1"
required aria-label="Number of payments with the fault ${label}">
<select name="kind" aria-label="Kind of payment with the fault ${label}">
<option value="">any kind</option>${kinds}</select> `
  const cells: Cell[] = [
    html`<strong>${label}</strong>`,
    effect,
    stateHtml(added),
    html`<div class="actions">
${actionForm(visit, 'add-fault', { fault: name }, 'Switch on', { controls })}
${added !== undefined && isOn(added) ? offForm(visit, added) : undefined}
</div>`
  ]
  return { id: `fault-${name}`, cells }
}

function isOn ({ remaining = 1 }: Added): boolean {
  return remaining > 0
}

function stateHtml (added: Added | undefined): Html {
  if (added === undefined) return html`<span class="soft">off</span>`
  const state = isOn(added)
    ? badge(`on, ${added.remaining ?? ''} left`, 'WARNING')
    : html`<span class="soft">off</span>`
  return html`${state} <span class="soft small">used ${added.used}</span>`
}

function offForm (visit: Visit, { name }: Added): Html {
  return actionForm(visit, 'delete-scenario', { name }, 'Switch off')
}
