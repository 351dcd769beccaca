import type { Static } from '@sinclair/typebox'
import type { ExampleRequest } from '../../../src/admin-api/examples.ts'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import { failuresOf } from '../../../src/domain/failures.ts'
import { kinds } from '../../../src/domain/kinds.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { AdminCall } from '../admin-call.ts'
import { languages } from '../code-samples.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField, backPath } from './forms.ts'
import { badge, copyBlock, disclosure, formatTime, selectField, table } from './parts.ts'
import { describeCause } from './timeline.ts'

type Example = Static<typeof ExampleRequest>

/** What the page of a trial shows. */
export interface Trial {
  example: Example
  /** Body as it was typed, or that of the example. */
  text: string
  scenario: string | undefined
  /** Names of the scenarios that a request can name. */
  scenarios: string[]
  /** Why the request was refused. */
  problem: string | undefined
  /** Payment that was created last. */
  payment: Static<typeof PaymentView> | undefined
}

/** Fields that fill the example. */
const terms = [
  { name: 'phoneNumber', label: 'Phone number', size: 15 },
  { name: 'provider', label: 'Provider', size: 16 },
  { name: 'amount', label: 'Amount', size: 8 },
  { name: 'currency', label: 'Currency', size: 5 }
] as const

/** Form that creates a payment of any kind, the request as code, and the payment that follows. */
export function tryHtml (visit: Visit, trial: Trial): Html {
  return html`<div id="followed">${followedHtml(visit, trial)}</div>
${termsForm(visit, trial)}
<div class="editor" data-still="${stillKey(visit, trial)}">
${requestForm(visit, trial)}
<div id="codes" data-previewed>${codesHtml(visit, trial)}</div>
</div>`
}

/** The body has a new identifier each time: it stays until the request is another one. */
function stillKey ({ query }: Visit, { example }: Trial): string {
  const { text: _text, sent: _sent, ...rest } = query
  return JSON.stringify([example.path, rest])
}

function termsForm (visit: Visit, { example }: Trial): Html {
  const choices = Object.values(kinds).flatMap(({ name, versions }) =>
    versions.toReversed().map((version) => `${version} ${name}`)
  )
  const chosen = `${example.version} ${example.kind}`
  const inputs = terms.map(
    ({ name, label, size }) =>
      html`<label
        >${label} <input name="${name}" size="${size}" value="${visit.query[name] ?? ''}"
      /></label>`
  )
  return html`<form class="filters" method="get" action="${home}/try" data-submits="request">
    ${accountField(visit)} ${selectField('request', 'Request', choices, chosen, null)}
    ${inputs}
    <button>Fill in</button>
    <a href="${linkTo(visit, '/test-numbers')}">Test numbers</a>
  </form>`
}

function requestForm (visit: Visit, trial: Trial): Html {
  const { example, text, scenario, scenarios, problem } = trial
  const { version, kind, path } = example
  const { text: _text, scenario: _scenario, sent: _sent, ...query } = visit.query
  return html`<form class="typed" method="post" data-preview="${linkTo(visit, '/try', query)}"
action="${linkTo(visit, '/actions/send-payment')}">
<input type="hidden" name="back" value="${backPath({ ...visit, query })}">
<input type="hidden" name="kind" value="${kind}">
<input type="hidden" name="version" value="${version}">
<input type="hidden" name="path" value="${path}">
<p><label for="text">Body of POST ${path}</label>
<textarea id="text" name="text" rows="16" spellcheck="false" aria-describedby="codes">
${text}</textarea></p>
${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
<p>${outcomeField(example.kind, scenarios, scenario)}</p>
<p class="actions"><button class="main">Send</button>
<button formaction="${linkTo(visit, '/try', query)}" data-plain>Show as code</button></p>
</form>`
}

/** What happens to the payment: as usual, a failure code, or a scenario. */
function outcomeField (kind: Example['kind'], scenarios: string[], chosen: string | undefined) {
  const option = (value: string, text: string): Html =>
    value === chosen
      ? html`<option value="${value}" selected>${text}</option>`
      : html`<option value="${value}">${text}</option>`
  return html`<label>Outcome <select name="scenario"><option value="">as usual</option>
<optgroup label="fails with">
${failuresOf(kind).map((code) => option(`fail ${code}`, code))}
</optgroup><optgroup label="scenario">
${scenarios.map((name) => option(name, name))}
</optgroup></select></label>`
}

/** The request as curl and in each language. */
function codesHtml (visit: Visit, { example, text, scenario }: Trial): Html {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    return html`<p class="note warning">The body is not JSON, and is sent as it is:
${(error as Error).message}</p>`
  }
  const call: AdminCall = {
    method: 'POST',
    path: example.path,
    body: Object(body),
    ...(scenario !== undefined &&
      !scenario.startsWith('fail ') && { headers: { 'X-Momock-Scenario': scenario } })
  }
  const request = visit.sample(call)
  const codes = Object.entries(languages).map(([name, write]) => codeHtml(name, write(request)))
  return html`${codeHtml('curl', visit.curl(call), true)} ${codes}`
}

function codeHtml (name: string, code: string, isOpen = false): Html {
  return disclosure(`language-${name}`, html`${name}`, copyBlock(`code-${name}`, code), isOpen)
}

function callbackCount (count: number): string {
  return count === 0 ? 'No callback yet' : count === 1 ? 'One callback' : `${count} callbacks`
}

/** The payment that was created last, as it is now. */
function followedHtml (visit: Visit, { payment }: Trial): Html | undefined {
  if (payment === undefined) return undefined
  const { kind, id, status, why, history, callbacks } = payment
  const rows = history.map((change) => [
    formatTime(change.at),
    badge(change.status),
    describeCause(payment, change)
  ])
  return html`<section class="item followed">
    <h2>${kind} <code>${id}</code> ${badge(status)}</h2>
    <p>
      ${why}. ${callbackCount(callbacks.length)}.
      <a href="${linkTo(visit, `/payments/${kind}/${id}`)}">Open the payment</a>
    </p>
    ${table([['Time', 'time'], 'Status', ['Cause', 'wrap']], rows)}
  </section>`
}
