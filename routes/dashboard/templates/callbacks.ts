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
  codeBlock,
  deliveryBadge,
  emptyNote,
  entry,
  entryList,
  formatTime,
  messageBlock,
  pageLink,
  requestBlock,
  selectField,
  shortId,
  timeHtml,
  writeJson
} from './parts.ts'

type Callback = Static<typeof CallbackView>
type Attempt = Callback['attempts'][number]

/** States of a delivery, and their words. */
const states: Array<[state: string | undefined, text: string]> = [
  [undefined, 'All'],
  ['PENDING', 'Waiting or retrying'],
  ['ACKNOWLEDGED', 'Delivered'],
  ['EXHAUSTED', 'Given up']
]

/** Returns the explained signature of an attempt, or a link to it. */
export type ExplainAttempt = (callback: number, attempt: number) => Html

const columns = ['Time', 'Delivery', 'Answer', 'Payment', 'Took', 'URL', 'Next attempt']

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
${filterBar(visit)}
<h2 class="unseen">Deliveries</h2>
${callbacks.length === 0 ? emptyNote(emptyText(visit)) : callbackList(visit, callbacks)}
${pageLink(older, 'Older callbacks')}`
}

function emptyText ({ query: { state, kind } }: Visit): string {
  return state === undefined && kind === undefined
    ? 'No callbacks yet. A payment sends one when it ends: create a payment with "Try it".'
    : 'No callbacks match.'
}

/** States of deliveries as tabs, and a choice of the kind. */
function filterBar (visit: Visit): Html {
  const { state, kind } = visit.query
  const kept = kind === undefined ? undefined : { kind }
  const tabs = states.map(([value, text]) => {
    const query = { ...kept, ...(value !== undefined && { state: value }) }
    const current = value === state ? html` aria-current="true"` : undefined
    return html`<a href="${linkTo(visit, '/callbacks', query)}"${current}>${text}</a>`
  })
  return html`<div class="bar">
<nav class="statuses" aria-label="Callbacks by delivery">${tabs}</nav>
<form class="filters" method="get" action="${home}/callbacks" data-submits="kind">
${accountField(visit)}
${state === undefined ? undefined : html`<input type="hidden" name="state" value="${state}">`}
${selectField('kind', 'Kind', kindNames, kind)}
<button data-plain>Filter</button>
</form></div>`
}

/** Callbacks in a list whose entries open. */
export function callbackList (
  visit: Visit,
  callbacks: readonly Callback[],
  explain: ExplainAttempt = () => html``
): Html {
  const chosen = Number(visit.query.callback)
  return entryList(
    'callbacks',
    columns,
    callbacks.map((callback) => callbackHtml(visit, callback, explain, callback.id === chosen))
  )
}

/** One callback with its attempts. */
function callbackHtml (
  visit: Visit,
  callback: Callback,
  explain: ExplainAttempt,
  isOpen: boolean
): Html {
  const { id, kind, paymentId, url, state, created, attempts, nextAttempt } = callback
  const last = attempts.at(-1)
  return entry(
    `callback-${id}`,
    [
      timeHtml(created),
      deliveryBadge(callback),
      last && answerOf(last),
      html`${kind} ${paymentId && shortId(paymentId)}`,
      last && html`<span class="soft">${Math.round(last.durationMs)} ms</span>`,
      html`<span class="soft">${url}</span>`,
      nextAttempt && timeHtml(nextAttempt)
    ],
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

function answerOf ({ status }: Attempt): Html {
  const isGood = status !== undefined && status < 300
  const text = status ?? 'no answer'
  return isGood ? html`${text}` : html`<span class="trouble">${text}</span>`
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
