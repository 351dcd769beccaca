import type { Static } from '@sinclair/typebox'
import type { PaymentView } from '../../../src/admin-api/payments.ts'
import { failuresOf } from '../../../src/domain/failures.ts'
import { kinds } from '../../../src/domain/kinds.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { ActionName, Fields } from '../actions.ts'
import type { Visit } from '../visit.ts'
import { actionForm } from './forms.ts'

type Payment = Static<typeof PaymentView>

/** Button of the page of a payment. */
interface Button {
  group: 'Move' | 'Merchant' | 'Callback'
  action: ActionName
  fields: Fields
  label: string
  controls?: Html
}

/** Forged callbacks that can be sent, as fields of the admin call. */
const forgedCallbacks: Array<[fault: string, text: string]> = [
  ['tampered', 'changed after signing'],
  ['wrongKey', 'signed with a wrong key'],
  ['otherHost', 'signed for another host'],
  ['unsigned', 'not signed']
]

/** Other wrong callbacks. */
const wrongCallbacks: Array<[fault: string, text: string]> = [
  ['stale', 'stale: an old signature'],
  ['duplicates', 'duplicate: the same callback twice'],
  ['extraFields', 'with unknown fields']
]

/** Buttons that act on a payment, and the links of its customer. */
export function paymentActions (visit: Visit, payment: Payment): Html {
  const buttons = listButtons(payment)
  const groups = ['Move', 'Merchant', 'Callback'].map((group) => {
    const own = buttons.filter((button) => button.group === group)
    return own.length === 0
      ? undefined
      : html`<div class="group"><h2>${group}</h2><div class="actions">
${own.map(({ action, fields, label, ...more }) => actionForm(visit, action, fields, label, more))}
</div></div>`
  })
  return html`<section class="panel" aria-label="Actions">
${groups.filter((group) => group !== undefined)}
${customerLinks(visit, payment)}
</section>`
}

function listButtons (payment: Payment): Button[] {
  return [...moveButtons(payment), ...merchantButtons(payment), ...callbackButtons(payment)]
}

/** One button for each legal move. A failure has a code to choose, if the kind has codes. */
function moveButtons ({ kind, id, legalMoves }: Payment): Button[] {
  const codes = failuresOf(kind)
  return legalMoves.map((to) => ({
    group: 'Move',
    action: 'move-payment',
    fields: { kind, id, to },
    label: moveLabels[to] ?? to,
    ...(to === 'FAILED' &&
      codes.length > 0 && { controls: choice('failureCode', 'Failure code', codes.map(pair)) })
  }))
}

const moveLabels: Partial<Record<string, string>> = {
  ENQUEUED: 'Enqueue',
  PROCESSING: 'Process',
  IN_RECONCILIATION: 'Reconcile',
  COMPLETED: 'Complete',
  FAILED: 'Fail',
  EXPIRED: 'Expire',
  CANCELLED: 'Cancel'
}

/** Requests of the merchant that the payments API has for the payment. */
function merchantButtons ({ kind, id, status, currency = '' }: Payment): Button[] {
  const amount = html`<label>Amount <input name="amount" inputmode="decimal" size="8"
placeholder="all"></label> `
  const refund: Button = {
    group: 'Merchant',
    action: 'refund-deposit',
    fields: { id, currency },
    label: 'Refund',
    controls: amount
  }
  const cancel: Button = {
    group: 'Merchant',
    action: 'cancel-payment',
    fields: { path: kinds[kind].path, id },
    label: 'Cancel'
  }
  return [
    ...(kind === 'deposit' && status === 'COMPLETED' ? [refund] : []),
    ...(status === 'ENQUEUED' ? [cancel] : [])
  ]
}

/** Sending the last callback again, and sending a wrong one. */
function callbackButtons ({ kind, id, callbacks, history, status }: Payment): Button[] {
  const last = callbacks.at(-1)
  const earlier = [...new Set(history.map(({ status }) => status))].slice(0, -1)
  const options: Array<[string, string]> = [
    ...forgedCallbacks.map(([fault, text]): [string, string] =>
      status === 'COMPLETED'
        ? [fault, `forged: ${text}`]
        : [`COMPLETED ${fault}`, `forged COMPLETED: ${text}`]
    ),
    ...wrongCallbacks,
    ...earlier.map((status): [string, string] => [status, `stale: the earlier status ${status}`])
  ]
  return [
    ...(last === undefined
      ? []
      : [
          {
            group: 'Callback' as const,
            action: 'resend-callback' as const,
            fields: { callback: String(last.id) },
            label: 'Resend'
          }
        ]),
    {
      group: 'Callback',
      action: 'send-callback',
      fields: { kind, id },
      label: 'Send',
      controls: choice('wrong', 'Wrong callback', options)
    }
  ]
}

function customerLinks (visit: Visit, { kind, id, phoneNumber, pages }: Payment): Html | undefined {
  const links = pages.map(({ url, page }): [url: string, text: string] => [
    url,
    `Open the ${pageNames[page]}`
  ])
  if (phoneNumber !== undefined) {
    const url = visit.phone(phoneNumber, kind === 'deposit' ? id : undefined)
    links.unshift([url, 'Open the phone'])
  }
  if (links.length === 0) return undefined
  return html`<div class="group"><h2>Customer</h2><div class="actions">
${links.map(([url, text]) => html`<a class="button" href="${url}">${text}</a>`)}
</div></div>`
}

const pageNames: Record<Payment['pages'][number]['page'], string> = {
  authorisation: 'authorisation page',
  'payment page': 'payment page',
  checkout: 'checkout'
}

function choice (
  name: string,
  label: string,
  options: Array<[value: string, text: string]>
): Html {
  return html`<label>${label} <select name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}">${text}</option>`
  )}</select></label> `
}

function pair (text: string): [string, string] {
  return [text, text]
}
