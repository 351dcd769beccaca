import type { Fault } from '../domain/response-behaviour.ts'
import type { Kind } from '../domain/kinds.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { Attempt, Delivery, DeliveryVerdict, StateChange } from './ledger.ts'

/** Answer to a request, as the observer sees it. Texts are not parsed. */
export interface AnsweredRequest {
  account: number
  method: string
  url: string
  /** Body of the request. */
  text: string
  status: number
  answer: string
  /** Kind of the route, if the request has a route of a kind. */
  kind?: Kind
  fault?: Fault
}

/** Observer of everything that the event lines show. */
export interface Observer {
  /** A payment is stored in the current transaction. */
  storePayment: (payment: AnyPayment) => void
  /** A payment changes in the current transaction. */
  changePayment: (payment: AnyPayment, change: StateChange) => void
  /** A callback was tried. */
  tryCallback: (delivery: Delivery, attempt: Attempt, verdict: DeliveryVerdict) => void
  /** A request was answered. */
  answerRequest: (answered: AnsweredRequest) => void
}

/**
 * Place of the observer. It is empty unless a terminal or a client follows the events, so that
 * nobody pays for them otherwise.
 */
export interface Observation {
  observer?: Observer
}

/** Somebody who is told what becomes of the events of a transaction. */
export interface TransactionObserver {
  /** Returns the number of events of the current transaction. */
  countEvents: () => number
  /** Forgets the events of the current transaction after the first ones. */
  takeBack: (count: number) => void
  endTransaction: (isCommitted: boolean) => void
}
