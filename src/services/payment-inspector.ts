import type { Accounts } from '../accounts/registry.ts'
import { shownCallbacks } from '../ports/outgoing-callback.ts'
import { stopwatch } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import { kinds, type Kind } from '../domain/kinds.ts'
import type { Entry } from '../domain/money.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { Move } from '../domain/plan.ts'
import { historyAt, stateAt } from '../domain/payment.ts'
import type { PaymentFilter } from '../domain/payment-filter.ts'
import type {
  Callback,
  CallbackQuery,
  LatestCallback,
  Ledger,
  Outbox,
  PaymentQuery,
  StatusCounts
} from '../ports/ledger.ts'
import type { Wallets } from '../ports/stores.ts'
import type { PaymentPage } from './payment-page.ts'
import type { Payments } from './payments.ts'
import type { View } from '../wire/wire.ts'
import { viewAt } from './payment-views.ts'

/** Callbacks among which failing ones are counted: reading them takes about a millisecond. */
const searchedCallbacks = 1000

/** Full description of a payment. */
export interface PaymentRecord {
  view: View<AnyPayment>
  history: Move[]
  entries: Entry[]
  callbacks: Callback[]
  /** Payment that it is a part of. */
  parent?: AnyPayment
  /** Its refunds, payouts or attempts with their states, oldest first. */
  parts: Array<{ payment: AnyPayment; state: Move }>
  /** Links of its payment pages. */
  paymentPages: string[]
}

export interface PaymentInspectorParts {
  payments: Payments
  pages: PaymentPage
  ledger: Ledger
  outbox: Outbox
  wallets: Wallets
  accounts: Pick<Accounts, 'now'>
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
    const found = await this.#parts.payments.find(account, kind, id)
    if (found === undefined) return undefined
    // One time for the state and the history.
    const now = this.#parts.accounts.now(account)
    const parts = found.parts.map(({ payment }) => payment)
    const view = viewAt({ payment: found.payment, parts }, now)
    const { ledger, wallets, pages } = this.#parts
    const [entries, callbacks, parent, refunds, paymentPages] = await Promise.all([
      wallets.listEntriesOfPayment(view.payment.seq),
      this.callbacks(account, { payment: view.payment.seq, newest: true, limit: shownCallbacks }),
      ledger.findParent(view.payment),
      kind.money === 'none' ? [] : ledger.listParts(view.payment),
      kind === kinds.deposit ? pages.listLinks(account, id) : []
    ])
    return {
      view,
      history: historyAt(view.payment, now),
      entries,
      callbacks: callbacks.reverse(),
      ...(parent !== undefined && { parent }),
      parts: [
        ...view.parts,
        ...refunds.map((payment) => ({ payment, state: stateAt(payment, now) }))
      ],
      paymentPages
    }
  }

  /**
   * Lists the payments of an account that match a query. With `withinMs`, a search that takes
   * longer ends with what was found so far, and `next` continues it.
   */
  async list (
    account: Account,
    { withinMs, ...query }: PaymentQuery & { withinMs?: number }
  ): Promise<{ found: Array<{ payment: AnyPayment; state: Move }>; next?: number }> {
    // At the time of the read: the clock may be set back before or after it.
    const states = new WeakMap<AnyPayment, Move>()
    const { payments, ...rest } = await this.#parts.ledger.listPayments(account.id, query, {
      readNow: () => this.#parts.accounts.now(account),
      isWanted: (payment) => {
        states.set(payment, stateAt(payment, this.#parts.accounts.now(account)))
        return true
      },
      isLate: createDeadline(withinMs)
    })
    const found = payments.map((payment) => ({ payment, state: states.get(payment) as Move }))
    return { found, ...rest }
  }

  /** Counts the payments of an account that match a filter, by kind and status. */
  count (
    account: Account,
    { withinMs, ...filter }: PaymentFilter & { withinMs?: number }
  ): Promise<StatusCounts> {
    return this.#parts.ledger.countPayments(account.id, filter, {
      readNow: () => this.#parts.accounts.now(account),
      isLate: createDeadline(withinMs)
    })
  }

  /** Returns the latest callback of each of these payments that has one. */
  findLatestCallbacks (
    account: Account,
    payments: readonly number[]
  ): Promise<Map<number, LatestCallback>> {
    return this.#parts.outbox.findLatest(account.id, payments)
  }

  /** Counts the payments whose latest callback has failed, among the latest callbacks. */
  async countFailing (account: Account): Promise<number> {
    const latest = await this.#parts.outbox.findLatest(account.id, { callbacks: searchedCallbacks })
    const isFailing = ({ state, tries }: LatestCallback): boolean =>
      state === 'EXHAUSTED' || (state === 'PENDING' && tries > 0)
    return [...latest.values()].filter(isFailing).length
  }

  callbacks (account: Account, query: CallbackQuery): Promise<Callback[]> {
    return this.#parts.outbox.listCallbacks(account.id, query)
  }

  /**
   * Sends a callback again, without its faults. Returns the number of the new one, or undefined if
   * there is none.
   */
  resend (account: Account, callback: number): Promise<number | undefined> {
    const { outbox, accounts } = this.#parts
    return outbox.resendCallback(account.id, callback, () => accounts.now(account))
  }
}

/** Creates a function that tells whether a time is over. Without a time it never is. */
function createDeadline (withinMs = Infinity): () => boolean {
  const end = stopwatch() + withinMs
  return () => stopwatch() >= end
}
