import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import type { JournalEntry } from '../../../src/admin-api/requests.ts'
import { failuresOf } from '../../../src/domain/failures.ts'
import { isFinal } from '../../../src/domain/status.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { Visit } from '../visit.ts'
import { callbackHtml } from './callbacks.ts'
import { actionForm } from './forms.ts'
import { badge, codeBlock, emptyNote, formatTime, table, writeJson } from './parts.ts'
import { exchangeHtml } from './requests.ts'
import { listEvents, timelineSvg } from './timeline.ts'

type Payment = Static<typeof PaymentView>

/** Page of one payment. */
export function paymentHtml (
  visit: Visit,
  payment: Payment,
  requests: Array<Static<typeof JournalEntry>>
): Html {
  const { status, amount, currency, provider, phoneNumber, scenario, why, callbacks } = payment
  return html`<p>${badge(status)} ${amount} ${currency} ${provider} ${phoneNumber}</p>
<p>Scenario <strong>${scenario}</strong>: ${why}.</p>
${actionForms(visit, payment)}
<h2>Timeline</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline">
${timelineSvg(listEvents(payment, requests))}
</div>
<h2>Records</h2>
<div class="records">
${Object.entries(payment.records).map(([version, record]) => recordHtml(payment, version, record))}
</div>
${entriesHtml(payment)}
<h2>Callbacks</h2>
${callbacks.length === 0 ? emptyNote(noCallbackText(payment)) : undefined}
${callbacks.map((callback) => callbackHtml(visit, callback))}
<h2>Requests</h2>
${requests.length === 0 ? emptyNote('The journal has no request of this payment.') : undefined}
${requests.map((entry) => exchangeHtml(visit, entry))}`
}

function recordHtml ({ generation }: Payment, version: string, record: unknown): Html {
  const note = version === generation ? ' (created with this version)' : ''
  return html`<section><h3>${version}${note}</h3>${codeBlock(writeJson(record))}</section>`
}

function noCallbackText ({ status }: Payment): string {
  return isFinal(status)
    ? 'No callbacks: no URL is set for this kind of payment, or its scenario sends none.'
    : 'No callbacks yet: the payment has not ended.'
}

function actionForms (visit: Visit, { kind, id, status, phoneNumber }: Payment): Html {
  const codes = failuresOf(kind)
  const choice =
    codes.length === 0
      ? undefined
      : html`<label>Failure code
<select name="failureCode">${codes.map((code) => html`<option>${code}</option>`)}</select>
</label> `
  const moves = html`${actionForm(visit, 'move-payment', { kind, id, to: 'COMPLETED' }, 'Complete')}
${actionForm(visit, 'move-payment', { kind, id, to: 'FAILED' }, 'Fail', choice)}`
  return html`<div class="actions">
${isFinal(status) ? undefined : moves}
${
  phoneNumber === undefined
    ? undefined
    : html`<a class="button" href="/__admin/phone/${phoneNumber}">Open the phone</a>`
}
</div>`
}

function entriesHtml ({ entries }: Payment): Html | undefined {
  if (entries.length === 0) return undefined
  const rows = entries.map(
    ({ at, country, currency, book, amount }) => html`<tr>
<td>${formatTime(at)}</td><td>${country} ${currency}</td><td>${book}</td>
<td class="number">${amount}</td>
</tr>`
  )
  return html`<h2>Wallet entries</h2>
${table(['Time', 'Wallet', 'Book', 'Amount'], rows)}`
}
