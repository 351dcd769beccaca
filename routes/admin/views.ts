import type { Callback as ShownCallback } from '../../src/admin-api/callbacks.ts'
import { kindNames } from '../../src/admin-api/fields.ts'
import type { HistoryEntry, Payment, PaymentSummary } from '../../src/admin-api/payments.ts'
import type { Account } from '../../src/domain/account.ts'
import { amountStyleFor, formatAmount, fromHundredths } from '../../src/domain/amount.ts'
import type { ForgeryFault } from '../../src/domain/callback-faults.ts'
import { kinds, type Kind } from '../../src/domain/kinds.ts'
import type { AnyPayment } from '../../src/domain/payment.ts'
import type { Move } from '../../src/domain/plan.ts'
import type { ProviderCode } from '../../src/domain/provider-code.ts'
import type { Callback, DeliveryFault } from '../../src/ports/ledger.ts'
import { showUrl } from '../../src/lib/url.ts'
import { listLegalMoves } from '../../src/services/payment-actions.ts'
import type { PaymentRecord } from '../../src/services/payment-inspector.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { AdminError, suggestName } from './errors.ts'

/** Payments and callbacks as the admin API shows them. */

/** Finds a kind by its name or by its word in paths. */
export function findKind (name: string): Kind {
  const kind = Object.values(kinds).find((kind) => kind.name === name || kind.path === name)
  if (kind === undefined) {
    throw new AdminError(
      'NOT_FOUND',
      `there is no kind '${name.slice(0, 40)}'`,
      suggestName(name, kindNames)
    )
  }
  return kind
}

export function paymentNotFound (kind: Kind, id: string): AdminError {
  return new AdminError(
    'NOT_FOUND',
    `there is no ${kind.name} ${id} on this account`,
    'send the token of the account that created it'
  )
}

export function summarisePayment ({
  payment,
  state
}: {
  payment: AnyPayment
  state: Move
}): PaymentSummary {
  const { amount, currency, provider, phoneNumber } =
    'amount' in payment.details ? payment.details : {}
  return {
    kind: payment.kind.name,
    id: payment.details.id,
    version: payment.version,
    status: state.to,
    created: formatTime(payment.created),
    amount: amount && formatAmount(amount),
    currency,
    provider: provider as ProviderCode | undefined,
    phoneNumber,
    scenario: payment.plan.scenario,
    ...(state.failure !== undefined && { failureCode: state.failure.failureCode })
  }
}

export function showPayment (
  { view, history, entries, callbacks, parent, parts, paymentPages }: PaymentRecord,
  wires: readonly Wire[],
  { settings: { amounts } }: Account
): Payment {
  const { payment } = view
  const records = Object.fromEntries(
    wires.flatMap(({ version, codecs }) => {
      const record = codecs[payment.kind.name]?.write(view, amountStyleFor('records', amounts))
      return record === undefined ? [] : [[version, record]]
    })
  )
  const last = callbacks.at(-1)
  return {
    ...summarisePayment(view),
    ...(last !== undefined && { callback: { state: last.state, tries: last.tries } }),
    why: payment.plan.why,
    legalMoves: [...listLegalMoves(payment, view.state.to)],
    ...(parent !== undefined && { parent: { kind: parent.kind.name, id: parent.details.id } }),
    pages: listPages(payment, paymentPages),
    parts: parts.map(summarisePayment),
    moments: history.length,
    history: history.map(({ at, to, by, cause, failure }) => ({
      at: formatTime(at),
      status: to,
      by,
      cause,
      failureReason: failure as HistoryEntry['failureReason']
    })),
    record: records[payment.version] ?? {},
    records,
    entries: entries.map(({ at, amount, ...entry }) => ({
      at: formatTime(at),
      ...entry,
      amount: fromHundredths(amount)
    })),
    callbacks: callbacks.map(showCallback)
  }
}

/** Shows a payment as it was after an entry of its history. Nothing can be done with it then. */
export function showMoment (
  record: PaymentRecord,
  moment: number,
  wires: readonly Wire[],
  account: Account
): Payment {
  const { history, view, entries, callbacks } = record
  const n = Math.min(moment, history.length - 1)
  const state = history[n]
  const end = history[n + 1]?.at ?? Infinity
  const shown = showPayment(
    {
      ...record,
      view: { ...view, state },
      history: history.slice(0, n + 1),
      entries: entries.filter(({ at }) => at <= state.at || end === Infinity),
      callbacks: callbacks
        .filter(({ created }) => created <= state.at || end === Infinity)
        .map((one) => ({ ...one, attempts: one.attempts.filter(({ at }) => at < end) }))
    },
    wires,
    account
  )
  return { ...shown, legalMoves: [], moments: history.length }
}

/** Lists the pages of the customer of a payment. */
function listPages ({ details }: AnyPayment, paymentPages: string[]): Payment['pages'] {
  const pages: Payment['pages'] = paymentPages.map((url) => ({
    page: 'payment page',
    url
  }))
  if ('authorizationUrl' in details && details.authorizationUrl !== undefined) {
    pages.push({ page: 'authorisation', url: details.authorizationUrl })
  }
  if ('redirectUrl' in details) pages.push({ page: 'checkout', url: details.redirectUrl })
  return pages
}

export function showCallback ({
  seq,
  payment,
  url,
  due,
  created,
  body,
  attempts,
  fault,
  tries,
  ...callback
}: Callback): ShownCallback {
  return {
    id: seq,
    kind: payment?.kind.name ?? 'statement',
    paymentId: payment?.id,
    url: showUrl(url),
    ...callback,
    ...(fault !== undefined && { faults: showFault(fault) }),
    tries,
    created: formatTime(created),
    ...(due !== undefined && { nextAttempt: formatTime(due) }),
    body: JSON.parse(body),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: formatTime(at), ...attempt }))
  }
}

function showFault ({ forgedBody: _, ...fault }: DeliveryFault): ForgeryFault {
  return fault
}

function formatTime (time: number): string {
  return new Date(time).toISOString()
}
