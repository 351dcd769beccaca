import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import type { JournalEntry } from '../../../src/admin-api/requests.ts'
import { isFinal } from '../../../src/domain/status.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { callbackList } from './callbacks.ts'
import { accountField } from './forms.ts'
import { badge, emptyNote, formatTime, table } from './parts.ts'
import { paymentActions } from './payment-actions.ts'
import { recordsHtml } from './records.ts'
import { exchangeList } from './requests.ts'
import { signatureHtml, type Explanation } from './signature.ts'
import { describeCause, listEvents, timelineHtml } from './timeline.ts'

type Payment = Static<typeof PaymentView>

/** What the page of a payment shows besides the payment itself. */
export interface PaymentContext {
  /** Requests that name the payment, oldest first. */
  requests: Array<Static<typeof JournalEntry>>
  /** Explained signatures of attempts, by the id of the callback and the number of the attempt. */
  explanations: ReadonlyMap<string, Explanation>
}

/** Page of one payment. */
export function paymentHtml (
  visit: Visit,
  payment: Payment,
  { requests, explanations }: PaymentContext
): Html {
  const { callbacks } = payment
  const explain = (callback: number, attempt: number): Html => {
    const explanation = explanations.get(`${callback}/${attempt}`)
    return explanation === undefined
      ? explanationLink(visit, payment, callback)
      : signatureHtml(`signature-${callback}-${attempt}`, explanation)
  }
  return html`${summaryHtml(visit, payment)}
${momentHtml(visit, payment)}
${visit.query.moment === undefined ? paymentActions(visit, payment) : undefined}
<h2>Timeline</h2>
${timelineHtml(listEvents(payment, requests))}
${relatedHtml(visit, payment)}
<h2>Records</h2>
${recordsHtml(payment.records, payment.version)}
${entriesHtml(payment)}
<h2>Callbacks</h2>
${callbacks.length === 0 ? emptyNote(noCallbackText(payment)) : undefined}
${callbacks.length === 0 ? undefined : callbackList(visit, callbacks, explain)}
<h2>Requests</h2>
${requests.length === 0 ? emptyNote('The journal has no request of this payment.') : undefined}
${exchangeList(visit, requests)}`
}

/** Slider over the history: the page shows record, wallets and callbacks of each moment. */
function momentHtml (visit: Visit, { kind, id, moments, history }: Payment): Html | undefined {
  if (moments < 2) return undefined
  const path = `/payments/${kind}/${id}`
  const { moment = String(moments - 1) } = visit.query
  const last = history.at(-1)
  const back = html`<a class="button" href="${linkTo(visit, path)}">Back to now</a>`
  return html`<form class="moments" method="get" action="${home}${path}" data-submits="moment">
${accountField(visit)}
<label for="moment">Moment ${history.length} of ${moments}</label>
<input id="moment" type="range" name="moment" min="0" max="${moments - 1}" value="${moment}"
aria-valuetext="${last?.status}"> <button data-plain>Show</button>
<span>${last && html`${badge(last.status)} <span class="soft">${formatTime(last.at)}</span>`}</span>
${visit.query.moment === undefined ? undefined : back}
</form>
${
  visit.query.moment === undefined
    ? undefined
    : html`<p class="note">The payment as it was then. Nothing can be changed here.</p>`
}`
}

/** Link to the page with the explained signatures of an earlier callback. */
function explanationLink (visit: Visit, { kind, id }: Payment, callback: number): Html {
  const url = linkTo(visit, `/payments/${kind}/${id}`, { callback: String(callback) })
  return html`<p><a href="${url}#callback-${callback}">Explain the signature</a></p>`
}

function summaryHtml (visit: Visit, payment: Payment): Html {
  const { status, amount, currency, provider, phoneNumber, created, version, parent } = payment
  const last = payment.history.at(-1)
  const whole =
    parent &&
    html`<a href="${linkTo(visit, `/payments/${parent.kind}/${parent.id}`)}"
      >${parent.kind} <code>${parent.id.slice(0, 8)}</code></a
    >`
  const facts: Array<[name: string, value: string | Html | undefined]> = [
    ['Amount', amount === undefined ? undefined : `${amount} ${currency}`],
    ['Provider', provider],
    ['Phone number', phoneNumber],
    ['Version', version],
    ['Created', formatTime(created)],
    ['Scenario', payment.scenario],
    ['Belongs to', whole]
  ]
  return html`<p class="state-line">${badge(status)} ${last && describeCause(payment, last)}</p>
    <dl class="facts">
      ${facts.map(([name, value]) =>
        value === undefined
          ? html``
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`
      )}
    </dl>`
}

/** Titles of the parts of each kind that has parts. */
const partTitles: Partial<Record<Payment['kind'], string>> = {
  deposit: 'Refunds',
  splitPayment: 'Parts',
  checkout: 'Attempts'
}

/** Refunds of a deposit, parts of a split payment, attempts of a checkout. */
function relatedHtml (visit: Visit, { kind, parts }: Payment): Html | undefined {
  if (parts.length === 0) return undefined
  const rows = parts.map(({ kind, id, amount, currency, status }) => [
    kind,
    html`<a href="${linkTo(visit, `/payments/${kind}/${id}`)}"><code>${id}</code></a>`,
    html`${amount} ${currency}`,
    badge(status)
  ])
  return html`<h2>${partTitles[kind] ?? 'Parts'}</h2>
    ${table(['Kind', 'Identifier', ['Amount', 'number'], 'Status'], rows)}`
}

function noCallbackText ({ status }: Payment): string {
  return isFinal(status)
    ? 'No callbacks: no URL is set for this kind of payment, or its scenario sends none.'
    : 'No callbacks yet: the payment has not ended.'
}

function entriesHtml ({ entries }: Payment): Html | undefined {
  if (entries.length === 0) return undefined
  const rows = entries.map(({ at, country, currency, book, amount }) => [
    formatTime(at),
    `${country} ${currency}`,
    book,
    amount
  ])
  return html`<h2>Wallet entries</h2>
    ${table([['Time', 'time'], 'Wallet', 'Book', ['Amount', 'number']], rows)}`
}
