import { formatAmount } from '../domain/amount.ts'
import { kinds, type Kind } from '../domain/kinds.ts'
import type { MockEvent } from './mock-event.ts'
import type {
  AnsweredRequest,
  Observation,
  Observer,
  TransactionObserver
} from '../ports/observer.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { Attempt, Delivery, DeliveryVerdict, StateChange } from '../ports/ledger.ts'
import { firstStatus } from '../domain/status.ts'
import type { SystemClock } from '../lib/clock.ts'
import { showUrl } from '../lib/url.ts'
import { describeAnswers } from './answer-events.ts'

/** Parts that the feed needs. */
export interface EventFeedParts {
  observation: Observation
  systemClock: SystemClock
  /** Returns the name of an account as it may be shown. */
  nameAccount: (account: number) => string
  /** Tells the storage whether somebody wants to know what becomes of each transaction. */
  watchTransactions: (observer: TransactionObserver | undefined) => void
}

/** Called with each event, the number of its account, and its own number. */
export type EventListener = (event: MockEvent, account: number, number: number) => void

/** Event that is kept for clients that connect again. */
export interface KeptEvent {
  number: number
  account: number
  event: MockEvent
}

/** Most events that are kept. */
const keptEvents = 1000
/** Time that events are observed without a listener: a client that lost its stream comes back. */
const absenceMs = 10_000

/** Most payments whose identifier is remembered, for the events of their callbacks. */
const rememberedPayments = 10_000

/**
 * Feed of events. It observes the mock only while somebody listens, and some seconds longer. Events
 * have all fields of their type, some undefined: objects of one shape are made faster than spread
 * ones.
 */
export class EventFeed implements Observer, TransactionObserver {
  readonly #parts: EventFeedParts
  readonly #listeners = new Set<EventListener>()
  readonly #payments = new Map<number, { kind: Kind; id: string }>()
  /** Second of the last event, and how its times begin. */
  #second = { number: Number.NaN, prefix: '' }
  /** Events of the current transaction. */
  #uncommitted: Array<[event: MockEvent, account: number]> = []
  /** Last events, and some before them. */
  #kept: KeptEvent[] = []
  #absence: NodeJS.Timeout | undefined
  /** Number of the last event. */
  count = 0

  constructor (parts: EventFeedParts) {
    this.#parts = parts
  }

  /** Calls a listener with each event, until the returned function is called. */
  listen (listener: EventListener): () => void {
    const { observation, watchTransactions } = this.#parts
    clearTimeout(this.#absence)
    this.#listeners.add(listener)
    observation.observer = this
    watchTransactions(this)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearTimeout(this.#absence)
      this.#absence = setTimeout(() => this.#stopObserving(), absenceMs).unref()
    }
  }

  /** Returns the kept events after a number, oldest first. */
  listKept (after: number): KeptEvent[] {
    return this.#kept.slice(-keptEvents).filter(({ number }) => number > after)
  }

  #stopObserving (): void {
    const { observation, watchTransactions } = this.#parts
    observation.observer = undefined
    watchTransactions(undefined)
    this.#uncommitted = []
    this.#kept = []
    this.#payments.clear()
  }

  storePayment ({ account, seq, kind, details, plan }: AnyPayment): void {
    const { amount, currency, provider } = 'amount' in details ? details : {}
    this.#remember(seq, kind, details.id)
    const event: MockEvent = {
      time: this.#formatTime(),
      account: this.#parts.nameAccount(account),
      type: 'accepted',
      kind: kind.name,
      paymentId: details.id,
      status: firstStatus(kind),
      amount: amount === undefined ? undefined : formatAmount(amount),
      currency,
      provider,
      origin: plan.origin,
      scenario: plan.scenario
    }
    this.#uncommitted.push([event, account])
  }

  changePayment ({ account, seq, kind, details, plan }: AnyPayment, change: StateChange): void {
    // Steps that sent no callback are recorded late, together with the last one.
    const last = change.moves.at(-1)
    if (last === undefined) return
    this.#remember(seq, kind, details.id)
    const { to, failure, by, cause, noCallbackReason } = last
    const [callback] = change.callbacks ?? []
    const event: MockEvent = {
      time: this.#formatTime(),
      account: this.#parts.nameAccount(account),
      type: 'status',
      kind: kind.name,
      paymentId: details.id,
      status: to,
      failureCode: failure?.failureCode,
      by,
      cause,
      origin: (change.plan ?? plan).origin,
      callback:
        callback === undefined
          ? undefined
          : {
              url: showUrl(callback.url),
              inMs: Math.max(0, callback.due - callback.created)
            },
      noCallback: noCallbackReason
    }
    this.#uncommitted.push([event, account])
  }

  countEvents (): number {
    return this.#uncommitted.length
  }

  takeBack (count: number): void {
    this.#uncommitted.length = count
  }

  endTransaction (isCommitted: boolean): void {
    if (this.#uncommitted.length === 0) return
    const events = this.#uncommitted
    this.#uncommitted = []
    if (isCommitted) for (const [event, account] of events) this.#send(event, account)
  }

  tryCallback (delivery: Delivery, attempt: Attempt, verdict: DeliveryVerdict): void {
    const { account, url, attempts } = delivery
    const { kind, id } = this.#findPayment(delivery) ?? {}
    const { status, error, durationMs } = attempt
    this.#send(
      {
        time: this.#formatTime(),
        account: this.#parts.nameAccount(account),
        type: 'callback',
        kind: kind?.name ?? 'statement',
        ...(id !== undefined && { paymentId: id }),
        url: showUrl(url),
        attempt: attempts + 1,
        ...(status !== undefined && { httpStatus: status }),
        ...(error !== undefined && { error }),
        durationMs: Math.round(durationMs),
        state: verdict.state,
        ...(verdict.state === 'PENDING' && { nextInMs: verdict.waitMs })
      },
      account
    )
  }

  answerRequest (answered: AnsweredRequest): void {
    for (const described of describeAnswers(answered)) {
      const account = this.#parts.nameAccount(answered.account)
      this.#send({ time: this.#formatTime(), account, ...described }, answered.account)
    }
  }

  /** Returns the system time as a text. A new date for each event took 4 µs, 2 % of a deposit. */
  #formatTime (): string {
    const now = this.#parts.systemClock.now()
    const second = Math.floor(now / 1000)
    if (second !== this.#second.number) {
      const text = new Date(second * 1000).toISOString()
      this.#second = { number: second, prefix: text.slice(0, -'000Z'.length) }
    }
    return `${this.#second.prefix}${String(now - second * 1000).padStart(3, '0')}Z`
  }

  #send (event: MockEvent, account: number): void {
    const number = ++this.count
    this.#kept.push({ number, account, event })
    // A list is cut rarely: each cut copies it.
    if (this.#kept.length === 2 * keptEvents) this.#kept = this.#kept.slice(-keptEvents)
    for (const listener of this.#listeners) listener(event, account, number)
  }

  #remember (seq: number, kind: Kind, id: string): void {
    if (this.#payments.size >= rememberedPayments) this.#payments.clear()
    this.#payments.set(seq, { kind, id })
  }

  /** Finds the payment of a callback: by its number, or else by the identifier in its body. */
  #findPayment ({ payment, body }: Delivery): { kind: Kind; id: string } | undefined {
    if (payment === null) return undefined
    const known = this.#payments.get(payment)
    if (known !== undefined) return known
    const record: Record<string, unknown> = JSON.parse(body)
    // The own identifier of a payment comes first; a refund also names its deposit.
    const kind = Object.values(kinds).find(({ idField }) => idField === Object.keys(record)[0])
    const id = kind && record[kind.idField]
    return kind !== undefined && typeof id === 'string' ? { kind, id } : undefined
  }
}
