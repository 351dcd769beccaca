import type { Kind } from './kinds.ts'
import type { ForgeryFault } from './callback-faults.ts'
import type { Queue } from './due-queue.ts'

/** What the verbs and the courier need of the outbox; a part of the ports. */

/** Number of callbacks that are shown with a payment, the latest. */
export const shownCallbacks = 100

/** A callback that is to be sent. */
export interface OutgoingCallback {
  url: string
  body: string
  /** When it came to be, and when it is to be sent first, on the account's clock. */
  created: number
  due: number
  /** It waits until the callback of another payment has been tried, and at most until it is due. */
  held?: boolean
  /** What is wrong with it on purpose, whenever it is sent. */
  fault?: ForgeryFault
}

export type DeliveryState = 'PENDING' | 'ACKNOWLEDGED' | 'EXHAUSTED'

/** A callback on its way. */
export interface Delivery {
  seq: number
  account: number
  /** The payment it tells of; null for what is none, such as a statement. */
  payment: number | null
  queue: number
  url: string
  body: string
  fault?: ForgeryFault
  /** When it was first due, and when it was first tried, on the account's clock. */
  firstDue: number
  firstAttempt?: number
  attempts: number
}

/** What went out and what came back. Either a status came back or an error says why not. */
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

/** A callback as the tester sees it. */
export interface Callback {
  seq: number
  /** The payment it tells of; nothing for what is none, such as a statement. */
  payment?: { kind: Kind; id: string }
  url: string
  body: string
  fault?: ForgeryFault
  created: number
  state: DeliveryState
  /** When it is tried next, while it is pending and not on its way. */
  due?: number
  /** How often it was tried. */
  tries: number
  /** Those of the attempts that are still kept, oldest first. */
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

/** What an attempt leads to: another one at a time, or the end. */
export type DeliveryVerdict =
  { state: 'PENDING'; due: number } | { state: 'ACKNOWLEDGED' } | { state: 'EXHAUSTED' }

export interface Outbox {
  /**
   * Takes callbacks that are due off the agenda, oldest first. They stay pending until `attempted`
   * says otherwise.
   */
  takeDueCallbacks: (queue: Queue, now: number, limit: number) => Promise<Delivery[]>
  recordAttempt: (
    delivery: Delivery,
    attempt: Attempt,
    verdict: DeliveryVerdict,
    urgent?: boolean
  ) => Promise<void>
  /**
   * Puts callbacks that were on their way when the last run ended, or when they were given up, back
   * on the agenda; of every account, or of one.
   */
  requeueLostCallbacks: (account?: number) => Promise<void>
  listCallbacks: (account: number, query: CallbackQuery) => Promise<Callback[]>
  /**
   * Sends a callback once more, as a new one and an honest one; says which that is, or nothing if
   * there is no such callback.
   */
  resendCallback: (account: number, seq: number, now: number) => Promise<number | undefined>
}
