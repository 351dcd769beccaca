import type { Kind } from '../domain/kinds.ts'
import type { ForgeryFault } from '../domain/callback-faults.ts'
import type { Queue } from './due-queue.ts'

/** Port of the outbox, for the services and the courier. */

/** Number of callbacks that are shown with a payment, the latest. */
export const shownCallbacks = 100

/** Faults of every attempt to send a callback. */
export interface DeliveryFault extends ForgeryFault {
  /** Body that is sent instead of the true one. */
  forgedBody?: string
}

/** A callback that is to be sent. */
export interface OutgoingCallback {
  url: string
  body: string
  /** Times of creation and of the first attempt, on the account's clock. */
  created: number
  due: number
  /** Waits until the callback of another payment was tried, and at most until it is due. */
  held?: boolean
  fault?: DeliveryFault
}

/** States of a delivery. */
export const deliveryStates = ['PENDING', 'ACKNOWLEDGED', 'EXHAUSTED'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** A callback on its way. */
export interface Delivery {
  seq: number
  account: number
  /** Payment of the callback; null for others, such as a statement. */
  payment: number | null
  queue: number
  url: string
  body: string
  fault?: DeliveryFault
  /** First due time and first attempt, on the account's clock. */
  firstDue: number
  firstAttempt?: number
  attempts: number
}

/** Request and response of an attempt. There is either a status or an error. */
export interface Exchange {
  request: { headers: Record<string, string>; body: string }
  status?: number
  error?: string
  /** The body only as far as it was read. */
  response?: { headers: Record<string, string | string[]>; body: string }
}

/** One try at delivering a callback. */
export interface Attempt extends Exchange {
  /** On the account's clock. */
  at: number
  durationMs: number
}

/** State of the latest callback of a payment. */
export interface LatestCallback {
  state: DeliveryState
  /** Number of attempts. */
  tries: number
}

/** A callback as the tester sees it. */
export interface Callback {
  seq: number
  /** Payment of the callback; undefined for others, such as a statement. */
  payment?: { kind: Kind; id: string }
  url: string
  body: string
  fault?: DeliveryFault
  created: number
  state: DeliveryState
  /** Time of the next attempt, while it is pending and no attempt is in progress. */
  due?: number
  /** Number of attempts. */
  tries: number
  /** Attempts that are still kept, oldest first. */
  attempts: Attempt[]
}

/**
 * Which callbacks somebody wants to see: those after one, at most so many, oldest first or newest
 * first.
 */
export interface CallbackQuery {
  state?: DeliveryState
  kind?: Kind
  /** By its identifier, or by its number in the ledger. */
  payment?: string | number
  url?: string
  newest?: boolean
  after?: number
  limit: number
}

/** Result of an attempt: another one at a time, after a wait, or the end. */
export type DeliveryVerdict =
  | { state: 'PENDING'; due: number; waitMs: number }
  | { state: 'ACKNOWLEDGED' }
  | { state: 'EXHAUSTED' }

export interface Outbox {
  /**
   * Takes due callbacks out of the due queue, oldest first. They stay pending until `attempted` is
   * called.
   */
  takeDueCallbacks: (queue: Queue, now: number, limit: number) => Promise<Delivery[]>
  recordAttempt: (
    delivery: Delivery,
    attempt: Attempt,
    verdict: DeliveryVerdict,
    urgent?: boolean
  ) => Promise<void>
  /**
   * Makes callbacks due again that were in delivery when the last run ended or when they were given
   * up: those of one account, or of all.
   */
  requeueLostCallbacks: (
    account?: number,
    reportUnusable?: (account: number, error: unknown) => void
  ) => Promise<void>
  listCallbacks: (account: number, query: CallbackQuery) => Promise<Callback[]>
  /**
   * Returns the latest callback by the number of its payment: of these payments, or of those that
   * the latest callbacks are about, so many of them.
   */
  findLatest: (
    account: number,
    of: readonly number[] | { callbacks: number }
  ) => Promise<Map<number, LatestCallback>>
  /**
   * Sends a callback again, as a new callback without faults. Returns its number, or undefined for
   * an unknown callback.
   */
  resendCallback: (account: number, seq: number, at: () => number) => Promise<number | undefined>
}
