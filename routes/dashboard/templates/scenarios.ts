import type { Static } from '@sinclair/typebox'
import { stringify } from 'yaml'
import type { ScenarioCheck } from '../../../src/admin-api/scenario-check.ts'
import type { ScenarioList } from '../../../src/admin-api/scenarios.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { actions } from '../actions.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm, backPath } from './forms.ts'
import { badge, codeBlock, disclosure, emptyNote, formatTime, table, type Column } from './parts.ts'

type Scenarios = Static<typeof ScenarioList>
type Added = Scenarios['scenarios'][number]
type Check = Static<typeof ScenarioCheck>

/** What a visitor has typed, or what the editor shows first. */
export interface EditedScenario {
  name: string
  text: string
}

const example = `when:
  kind: deposit
  phoneNumber: "26076345678[0-4]"
script:
  - { after: 50ms, to: PROCESSING }
  - { after: 30s, to: FAILED, failureCode: PAYMENT_NOT_APPROVED }
times: 3`

const emptyText = 'None yet. They are tried before the test numbers and the files.'

/** Text of the editor: what was typed, the scenario that is edited, or an example. */
export function findEdited ({ query, result }: Visit, { scenarios }: Scenarios): EditedScenario {
  const typed = query.text === undefined && result?.problem !== undefined ? result.fields : query
  if (typed.text !== undefined) return { name: typed.name ?? '', text: typed.text }
  const edited = scenarios.find(({ name }) => name === query.edit)
  return edited === undefined
    ? { name: '', text: example }
    : { name: edited.name, text: writeText(edited) }
}

/** Scenarios of an account in the order in which they are tried, and an editor. */
export function scenariosHtml (
  visit: Visit,
  { scenarios, files }: Scenarios,
  edited: EditedScenario,
  check: Check
): Html {
  const isReplaced = scenarios.some(({ name }) => name === edited.name)
  return html`<div id="added">
<h2>Added to this account</h2>
${scenarios.length === 0 ? emptyNote(emptyText) : undefined}
${scenarios.map((scenario) => addedHtml(visit, scenario))}
</div>
<h2 id="editor">Add or change a scenario</h2>
<div class="editor" data-still="${JSON.stringify(visit.query)}">
${editorForm(visit, edited, check)}
<div id="check" data-previewed role="status">${checkHtml(visit, check, edited, isReplaced)}</div>
</div>
<div id="files">
<h2>Files</h2>
<p class="soft">Tried after the test numbers, in this order.</p>
${table(
  ['Name', ['When', 'wrap'], ['Used', 'number']],
  files.map(({ name, when, used }) => ({
    id: `file-${name}`,
    cells: [
      html`<code>${name}</code>`,
      html`<span class="soft">${JSON.stringify(when ?? {})}</span>`,
      used === 0 ? '' : used
    ]
  })),
  'dense'
)}
</div>`
}

function describeUses (used: number): string {
  return used === 1 ? 'used once' : `used ${used} times`
}

function addedHtml (visit: Visit, scenario: Added): Html {
  const { name, used, remaining } = scenario
  const left = remaining === undefined ? '' : `, ${remaining} left`
  return disclosure(
    `scenario-${name}`,
    html`<code>${name}</code> <span class="soft">${describeUses(used)}${left}</span>`,
    html`${codeBlock(writeText(scenario))}
<div class="actions">
<a class="button" href="${linkTo(visit, '/scenarios', { edit: name })}#editor">Edit</a>
${actionForm(visit, 'delete-scenario', { name }, 'Delete')}
</div>`
  )
}

/** Scenario without the fields that only the list has. */
function writeText ({ name: _name, used: _used, remaining: _left, ...written }: Added): string {
  return stringify(written)
}

const invalid = html`aria-invalid="true" aria-describedby="refusal check"`

/** Form of the editor. With a script it is checked while somebody types. */
function editorForm (visit: Visit, { name, text }: EditedScenario, { valid }: Check): Html {
  const check = linkTo(visit, '/scenarios')
  // A refused scenario is shown again: a valid text means that its name was refused.
  const problem = visit.query.text === undefined ? visit.result?.problem : undefined
  const refusal = html`<p class="problem" id="refusal">${problem}</p>`
  const wrong = problem === undefined ? undefined : valid ? 'name' : 'text'
  return html`<form class="typed" method="post" data-preview="${check}"
action="${linkTo(visit, '/actions/add-scenario')}">
<input type="hidden" name="back" value="${backPath({ ...visit, query: {} })}">
<p><label for="name">Name</label>
<input id="name" name="name" value="${name}" required pattern="[A-Za-z0-9._\\-]{1,64}"
${wrong === 'name' ? invalid : undefined}></p>
${wrong === 'name' ? refusal : undefined}
<p><label for="text">Scenario, in YAML or JSON</label>
<textarea id="text" name="text" rows="12" spellcheck="false"
${wrong === 'text' ? invalid : html`aria-describedby="check"`}>
${text}</textarea></p>
${wrong === 'text' ? refusal : undefined}
<p class="actions"><button>Add</button>
<button formaction="${check}" formnovalidate>Check</button></p>
</form>`
}

function checkHtml (
  visit: Visit,
  check: Check,
  { name, text }: EditedScenario,
  isReplaced: boolean
): Html {
  const { valid, problems, notes } = check
  if (!valid) {
    return html`<div class="problem"><ul>
${problems.map(
  ({ line, message }) =>
    html`<li>${line === undefined ? undefined : html`<strong>line ${line}:</strong> `}
${message}</li>`
)}
</ul></div>`
  }
  return html`<p>${badge('valid', 'OK')}
${isReplaced ? 'It replaces the scenario of the same name.' : undefined}</p>
${notes.map((note) => html`<p class="soft">${note}</p>`)}
${affectedHtml(visit, check)}
<h3>As an admin call</h3>
${codeBlock(visit.curl(actions['add-scenario'].call({ name: name === '' ? 'NAME' : name, text })))}`
}

const affectedColumns: Column[] = [
  ['Created', 'time'],
  ['Payment', 'wrap'],
  'Status',
  ['Scenario then', 'wrap']
]

function affectedHtml (visit: Visit, { affected }: Check): Html | undefined {
  if (affected === undefined) return undefined
  const { compared, matching, payments } = affected
  const rows = payments.map(({ kind, id, created, status, scenario }) => [
    formatTime(created),
    html`<a href="${linkTo(visit, `/payments/${kind}/${id}`)}">${kind}
<code>${id.slice(0, 8)}</code></a>`,
    badge(status),
    scenario
  ])
  const summary =
    compared === 0
      ? 'The account has no payments to compare it with.'
      : `It matches ${matching} of the last ${compared} payments.`
  return html`<p>${summary}</p>
${rows.length === 0 ? undefined : table(affectedColumns, rows, 'dense')}`
}
