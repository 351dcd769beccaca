import { shownCallbacks } from '../domain/outgoing-callback.ts'
import { shownTime, stopwatch, type SystemClock } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import { kinds, type Kind } from '../domain/kinds.ts'
import type { Entry } from '../domain/money.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { Move } from '../domain/plan.ts'
import type { Status } from '../domain/status.ts'
import type { Generation } from '../domain/api-version.ts'
import { historyAt, stateAt } from '../domain/payment.ts'
import type { Callback, CallbackQuery, Ledger, Outbox, PaymentQuery } from '../domain/ports.ts'
import type { Wallets } from '../domain/stores.ts'
import type { PaymentPage } from './payment-page.ts'
import type { ColumnFilter } from './payment-columns.ts'
import type { PaymentSearch, StatusCounts } from './payment-search.ts'
import type { Payments } from './payments.ts'
import type { View } from '../wire/wire.ts'
import { viewAt } from './payment-views.ts'

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

/** Filter of payments. */
export interface PaymentFilter extends PaymentQuery {
  status?: Status
  provider?: string
  phoneNumber?: string
  generation?: Generation
  /** Created at this time of the account's clock, or later. */
  since?: number
  /** Created before this time. */
  until?: number
  /** Start of the identifier or of the phone number, or a value of the metadata or reference. */
  search?: string
}

export interface PaymentInspectorParts {
  payments: Payments
  pages: PaymentPage
  ledger: Ledger
  outbox: Outbox
  wallets: Wallets
  systemClock: SystemClock
  /** Loads the search with its first use. */
  search: () => Promise<PaymentSearch>
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
    const now = this.#now(account)
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
   * Lists a page of the payments of an account that match a filter. With `withinMs`, a search that
   * takes longer ends with what was found so far, and `next` continues it.
   */
  async listPage (
    account: Account,
    { withinMs, ...query }: PaymentFilter & { withinMs?: number }
  ): Promise<{ found: Array<{ payment: AnyPayment; state: Move }>; next?: number }> {
    const { after, newest = false, limit, ...filter } = query
    if (Object.values(filter).every((value) => value === undefined)) {
      const found = await this.list(account, query)
      const next = found.length === limit ? found.at(-1)?.payment.seq : undefined
      return { found, ...(next !== undefined && { next }) }
    }
    const search = await this.#parts.search()
    const now = this.#now(account)
    const page = { newest, after, limit }
    const { payments, ...rest } = await search.findPage(
      account,
      filter,
      page,
      now,
      createDeadline(withinMs)
    )
    const found = payments
      .filter((payment) => isWanted(payment, filter, now))
      .map((payment) => ({ payment, state: stateAt(payment, now) }))
    return { found, ...rest }
  }

  /** Counts the payments of an account that match a filter, by kind and status. */
  async count (
    account: Account,
    { withinMs, ...filter }: ColumnFilter & { withinMs?: number }
  ): Promise<StatusCounts> {
    const search = await this.#parts.search()
    return await search.count(account, filter, this.#now(account), createDeadline(withinMs))
  }

  /** Lists the payments of an account that match a filter, oldest or newest first. */
  async list (
    account: Account,
    { kind, after, newest, limit, ...filter }: PaymentFilter
  ): Promise<Array<{ payment: AnyPayment; state: Move }>> {
    // At the time of the read: the clock may be set back before or after it.
    const states = new WeakMap<AnyPayment, Move>()
    const payments = await this.#parts.ledger.listPayments(
      account.id,
      { kind, after, newest, limit },
      (payment) => {
        const now = this.#now(account)
        states.set(payment, stateAt(payment, now))
        return isWanted(payment, filter, now)
      }
    )
    return payments.map((payment) => ({ payment, state: states.get(payment) as Move }))
  }

  callbacks (account: Account, query: CallbackQuery): Promise<Callback[]> {
    return this.#parts.outbox.listCallbacks(account.id, query)
  }

  /**
   * Sends a callback again, without its faults. Returns the number of the new one, or undefined if
   * there is none.
   */
  resend (account: Account, callback: number): Promise<number | undefined> {
    return this.#parts.outbox.resendCallback(account.id, callback, () => this.#now(account))
  }

  #now (account: Account): number {
    return shownTime(account.clock, this.#parts.systemClock.now())
  }
}

/** Creates a function that tells whether a time is over. Without a time it never is. */
function createDeadline (withinMs = Infinity): () => boolean {
  const end = stopwatch() + withinMs
  return () => stopwatch() >= end
}

/** Tells whether a payment matches a filter at a time of its account's clock. */
function isWanted (
  payment: AnyPayment,
  filter: Omit<PaymentFilter, 'after' | 'newest' | 'limit'>,
  now: number
): boolean {
  const { kind, status, provider, phoneNumber, generation, since, until, search } = filter
  const { created, details } = payment
  const wallet = 'amount' in details ? details : undefined
  return (
    (kind === undefined || payment.kind === kind) &&
    (since === undefined || created >= since) &&
    (until === undefined || created < until) &&
    (generation === undefined || payment.generation === generation) &&
    (provider === undefined || wallet?.provider === provider) &&
    (phoneNumber === undefined || wallet?.phoneNumber === phoneNumber) &&
    (search === undefined || isFound(payment, search.toLowerCase())) &&
    (status === undefined || stateAt(payment, now).to === status)
  )
}

/** Tells whether a payment has a text that somebody searches for. */
function isFound ({ details }: AnyPayment, text: string): boolean {
  const { id, clientReferenceId, metadata = [] } = details
  return (
    id.toLowerCase().startsWith(text) ||
    ('phoneNumber' in details && details.phoneNumber.startsWith(text)) ||
    clientReferenceId?.toLowerCase() === text ||
    metadata.some(({ value }) => String(value).toLowerCase() === text)
  )
}
