import { shownCallbacks } from '../domain/outgoing-callback.ts'
import type { SystemClock } from '../lib/clock.ts'
import { accountTime } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import type { Kind } from '../domain/kinds.ts'
import type { Entry } from '../domain/money.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { Move } from '../domain/plan.ts'
import type { Status } from '../domain/status.ts'
import { historyAt, stateAt } from '../domain/payment.ts'
import type { Callback, CallbackQuery, Ledger, Outbox, PaymentQuery } from '../domain/ports.ts'
import type { Wallets } from '../domain/stores.ts'
import type { Payments } from './payments.ts'
import type { View } from '../wire/wire.ts'

/** Full description of a payment. */
export interface PaymentRecord {
  view: View<AnyPayment>
  history: Move[]
  entries: Entry[]
  callbacks: Callback[]
}

/** Which payments a tester wants to see. */
export interface PaymentFilter extends PaymentQuery {
  status?: Status
  provider?: string
  phoneNumber?: string
  /** Made at this time of the account's clock, or later. */
  since?: number
}

export interface PaymentInspectorParts {
  payments: Payments
  ledger: Ledger
  outbox: Outbox
  wallets: Wallets
  systemClock: SystemClock
}

/**
 * View of an account for testers: the chosen scenario and its reason, all moves, entries and
 * attempts.
 */
export class PaymentInspector {
  readonly #parts: PaymentInspectorParts

  constructor (parts: PaymentInspectorParts) {
    this.#parts = parts
  }

  async find (account: Account, kind: Kind, id: string): Promise<PaymentRecord | undefined> {
    const view = await this.#parts.payments.find(account, kind, id)
    if (view === undefined) return undefined
    const [entries, callbacks] = await Promise.all([
      this.#parts.wallets.listEntriesOfPayment(view.payment.seq),
      this.callbacks(account, { payment: view.payment.seq, newest: true, limit: shownCallbacks })
    ])
    return {
      view,
      history: historyAt(view.payment, this.#now(account)),
      entries,
      callbacks: callbacks.reverse()
    }
  }

  /** The payments of an account that fit, oldest first. */
  async list (
    account: Account,
    { status, provider, phoneNumber, since, ...query }: PaymentFilter
  ): Promise<Array<{ payment: AnyPayment; state: Move }>> {
    const now = this.#now(account)
    const payments = await this.#parts.ledger.listPayments(
      account.id,
      query,
      ({ created, details, ...payment }) =>
        (since === undefined || created >= since) &&
        (provider === undefined || ('provider' in details && details.provider === provider)) &&
        (phoneNumber === undefined ||
          ('phoneNumber' in details && details.phoneNumber === phoneNumber)) &&
        (status === undefined ||
          stateAt({ created, details, ...payment } as AnyPayment, now).to === status)
    )
    return payments.map((payment) => ({ payment, state: stateAt(payment, now) }))
  }

  callbacks (account: Account, query: CallbackQuery): Promise<Callback[]> {
    return this.#parts.outbox.listCallbacks(account.id, query)
  }

  /**
   * Sends a callback again, without its faults. Returns the number of the new one, or undefined if
   * there is none.
   */
  resend (account: Account, callback: number): Promise<number | undefined> {
    return this.#parts.outbox.resendCallback(account.id, callback, this.#now(account))
  }

  #now (account: Account): number {
    return accountTime(account.clock, this.#parts.systemClock.now())
  }
}
