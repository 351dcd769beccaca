import type { Static } from '@sinclair/typebox'
import type { CallbackPage, CallbackView } from '../../../src/admin-api/callbacks.ts'
import { kindNames } from '../../../src/admin-api/fields.ts'
import { originalClock } from '../../../src/lib/clock.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { adviceFor } from './callback-advice.ts'
import { receiversHtml, sinkOf } from './callback-receivers.ts'
import { accountField, actionForm } from './forms.ts'
import {
  badge,
  codeBlock,
  disclosure,
  emptyNote,
  formatTime,
  messageBlock,
  pageLink,
  requestBlock,
  writeJson
} from './parts.ts'
import { selectField } from './select-field.ts'

type Callback = Static<typeof CallbackView>
type Attempt = Callback['attempts'][number]

const states = ['PENDING', 'ACKNOWLEDGED', 'EXHAUSTED']

/** Returns the explained signature of an attempt, or a link to it. */
export type ExplainAttempt = (callback: number, attempt: number) => Html

/** List of callbacks, newest first, and the URLs that they are sent to. */
export function callbacksHtml (
  visit: Visit,
  { callbacks, next }: Static<typeof CallbackPage>
): Html {
  const { state, kind } = visit.query
  const filters = { ...(state !== undefined && { state }), ...(kind !== undefined && { kind }) }
  const older =
    next === undefined
      ? undefined
      : linkTo(visit, '/callbacks', { ...filters, after: String(next) })
  return html`${receiversHtml(visit)}
<div id="callbacks" data-live>
<h2>Deliveries</h2>
${filterForm(visit)}
${callbacks.length === 0 ? emptyNote(emptyText(visit)) : undefined}
${callbacks.map((callback) => callbackHtml(visit, callback))}
${pageLink(older, 'Older callbacks')}
</div>`
}

function emptyText ({ query: { state, kind } }: Visit): string {
  return state === undefined && kind === undefined
    ? 'No callbacks yet. A payment sends one when it ends: create a payment with "Try it".'
    : 'No callbacks match.'
}

function filterForm (visit: Visit): Html {
  const { state, kind } = visit.query
  return html`<form class="filters" method="get" action="${home}/callbacks">
${accountField(visit)}
${selectField('state', 'State', states, state)}
${selectField('kind', 'Kind', kindNames, kind)}
<button>Filter</button>
</form>`
}

/** One callback with its attempts. */
export function callbackHtml (
  visit: Visit,
  callback: Callback,
  explain: ExplainAttempt = () => html``,
  isOpen = false
): Html {
  const { id, kind, paymentId, url, state, created, tries, attempts } = callback
  const count = tries === 1 ? '1 attempt' : `${tries} attempts`
  return disclosure(
    `callback-${id}`,
    html`${badge(state)} <code>${id}</code> ${kind} <code>${(paymentId ?? '').slice(0, 8)}</code>
→ ${url} ${lastResult(attempts.at(-1))}
<span class="when">${formatTime(created)}, ${count}</span>`,
    html`${adviceNote(callback)}
${nextNote(visit, callback)}
<p>${paymentLink(visit, callback)} ${sinkLink(visit, url)}</p>
${actionForm(
  visit,
  'resend-callback',
  { callback: String(id) },
  state === 'PENDING' ? 'Retry now' : 'Send again'
)}
<h3>Body</h3>
${codeBlock(writeJson(callback.body))}
${attempts.map((attempt, n) => attemptHtml(callback, attempt, n + 1, explain(id, n + 1)))}`,
    isOpen
  )
}

/** Result of the last attempt, so that the list can be read without opening each entry. */
function lastResult (attempt: Attempt | undefined): Html | undefined {
  if (attempt === undefined) return undefined
  const { status, durationMs } = attempt
  const isGood = status !== undefined && status < 300
  return html`${badge(status ?? 'no answer', isGood ? 'OK' : 'FAILED')}
<span class="soft">${Math.round(durationMs)} ms</span>`
}

function attemptHtml ({ url }: Callback, attempt: Attempt, n: number, signature: Html): Html {
  const { at, durationMs, request, status, error, response } = attempt
  return html`<h3>Attempt ${n}: ${status ?? error}
<span class="soft">${formatTime(at)}, ${Math.round(durationMs)} ms</span></h3>
${requestBlock('POST', url, request.headers, request.body)}
${signature}
${response && messageBlock(response.headers, response.body, status)}`
}

/** Link to the payment of a callback. Its page explains the signatures of the callback. */
function paymentLink (visit: Visit, { id, kind, paymentId }: Callback): Html | undefined {
  if (paymentId === undefined) return undefined
  const url = linkTo(visit, `/payments/${kind}/${paymentId}`, { callback: String(id) })
  return html`<a href="${url}#callback-${id}">${kind} <code>${paymentId}</code>, with the signatures
explained</a>`
}

/** Link to the sink that receives a callback. */
function sinkLink (visit: Visit, url: string): Html | undefined {
  const name = sinkOf(url)
  if (name === undefined) return undefined
  return html`<a href="${linkTo(visit, `/sinks/${name}`)}">Sink ${name}</a>`
}

/** Time of the next attempt. A frozen clock never reaches it. */
function nextNote ({ account }: Visit, { nextAttempt }: Callback): Html | undefined {
  if (nextAttempt === undefined) return undefined
  const wait =
    originalClock(account.clock).mode === 'frozen'
      ? ' The clock is frozen: advance it, or let it run, and the callback is sent.'
      : ''
  return html`<p>Next attempt: ${formatTime(nextAttempt)}.${wait}</p>`
}

function adviceNote (callback: Callback): Html | undefined {
  const advice = adviceFor(callback)
  return advice === undefined ? undefined : html`<p class="problem">${advice}</p>`
}
