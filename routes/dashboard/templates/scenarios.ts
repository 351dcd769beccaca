import type { Static } from '@sinclair/typebox'
import type { ScenarioList } from '../../../src/admin-api/scenarios.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { codeBlock, disclosure, emptyNote, writeJson } from './parts.ts'

type Scenarios = Static<typeof ScenarioList>

const example = `when:
  kind: deposit
  phoneNumber: "26076345678[0-4]"
script:
  - { after: 50ms, to: PROCESSING }
  - { after: 30s, to: FAILED, failureCode: PAYMENT_NOT_APPROVED }
times: 3`

/** Scenarios of an account in the order in which they are tried, and a form that adds one. */
export function scenariosHtml (visit: Visit, { scenarios, files }: Scenarios): Html {
  return html`<h2>Added to this account</h2>
${scenarios.length === 0 ? emptyNote('None. They are tried before the files.') : undefined}
${scenarios.map((scenario) => addedHtml(visit, scenario))}
<h2>Add a scenario</h2>
${addForm(visit)}
<h2>Files</h2>
${files.map(({ name, when }) =>
  disclosure(`file-${name}`, html`<code>${name}</code>`, codeBlock(writeJson(when ?? {})))
)}`
}

function addedHtml (visit: Visit, scenario: Scenarios['scenarios'][number]): Html {
  const { name, used, remaining, ...rest } = scenario
  const left = remaining === undefined ? '' : `, ${remaining} left`
  return disclosure(
    `scenario-${name}`,
    html`<code>${name}</code> <span class="soft">used ${used} times${left}</span>`,
    html`${codeBlock(writeJson(rest))}
${actionForm(visit, 'delete-scenario', { name }, 'Delete')}`
  )
}

function addForm (visit: Visit): Html {
  return actionForm(
    visit,
    'add-scenario',
    {},
    'Add',
    html`<p><label for="name">Name</label>
<input id="name" name="name" required pattern="[A-Za-z0-9._\\-]{1,64}"></p>
<p><label for="text">Scenario, in YAML or JSON</label>
<textarea id="text" name="text" rows="9" spellcheck="false">${example}</textarea></p>`
  )
}
