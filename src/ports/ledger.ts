import type { Kind, KindName, Operation } from '../domain/kinds.ts'
import type { AnyDetails, AnyPayment, Payment } from '../domain/payment.ts'
import type { Facts, FactsNeeded } from '../domain/facts.ts'
import type { PaymentFilter } from '../domain/payment-filter.ts'
import type { Status } from '../domain/status.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Version } from '../domain/api-version.ts'
import type { Move, Plan } from '../domain/plan.ts'
import type { ResponseBehaviour } from '../domain/response-behaviour.ts'
import type { Posting } from '../domain/money.ts'
import type { ScenarioUse } from '../domain/scenario.ts'
import type { OutgoingCallback } from './outgoing-callback.ts'

/**
 * Interface of the ledger. All calls are asynchronous, so that a ledger behind a network is
 * possible. A call is atomic: what must be stored together is one call.
 */

export type * from './outgoing-callback.ts'

/** Key of a payment. */
export interface Key {
  account: number
  kind: Kind
  id: string
}

/** A payment that is ready to be stored. */
export interface Draft {
  version: Version
  created: number
  details: AnyDetails
  plan: Plan
  postings: Posting[]
  /** Code at the end of the customer's link. */
  link?: string
  /** Number of the payment that it is a part of. */
  parent?: number
  /** Parts that are stored with it. */
  children?: Child[]
  /** Time of the next step that must be recorded. */
  due?: number
  /** Counted scenarios that it used. */
  usedScenarios?: ScenarioUse[]
  /** Behaviour of the answer. */
  behaviour?: ResponseBehaviour
}

/** Draft of a part of another payment. */
export interface Child {
  kind: Kind
  draft: Draft
}

/** Result of an initiation, and the behaviour that a scenario wants for its answer. */
export type Initiation = { behaviour?: ResponseBehaviour } & (
  | { outcome: 'ACCEPTED' | 'DUPLICATE'; payment: AnyPayment }
  | { outcome: 'REFUSED'; refusal: Refusal }
)

/** Change of a payment: moves, postings, parts, callbacks and the next due time. */
export interface StateChange {
  moves: Move[]
  postings: Posting[]
  callbacks?: OutgoingCallback[]
  children?: Child[]
  /** New plan. */
  plan?: Plan
  usedScenarios?: ScenarioUse[]
  due?: number
  /** Time of a change without moves. */
  at?: number
  /** Changes of other payments in the same transaction. */
  others?: Array<{ payment: Payment; change: StateChange }>
}

/** Rules of state changes: the simulator decides, the ledger stores. */
export interface TransitionRules {
  /** Called before many payments are moved, also when the work is done again. */
  restart?: () => void
  /** Change of a payment that is due. */
  apply: (payment: AnyPayment, parts: Payment[]) => StateChange
  /** Change of a payment whose provider is OPERATIONAL again. */
  resume: (payment: Payment) => StateChange
  /** Change of a payment after a change of one of its parts. */
  follow: (payment: AnyPayment, parts: Payment[]) => StateChange | undefined
}

/** Page of the payments of an account that somebody wants. */
export interface PaymentQuery extends PaymentFilter {
  /** Number of the last payment of the previous page. */
  after?: number
  /** Newest first instead of oldest first. */
  newest?: boolean
  limit: number
}

/** Options of a search of payments, which is done in slices. */
export interface SearchOptions {
  /** Returns the time of the account that decides the status. */
  readNow: () => number
  /** Further condition. */
  isWanted?: (payment: AnyPayment) => boolean
  /** Returns true when the search must end with what was found so far. */
  isLate?: () => boolean
}

/** Payments that were found. */
export interface FoundPayments {
  payments: AnyPayment[]
  /** Number to continue after; undefined at the end of the list. */
  next?: number
}

/** Number of payments in each status. */
export interface StatusCounts {
  counts: Array<{ kind: KindName; status: Status; count: number }>
  /** False if there are payments that were not counted. */
  isComplete: boolean
}

/** Decision about a new payment. */
export interface PaymentDecision {
  needs: FactsNeeded
  /** Called once, in the transaction that stores the payment. */
  decide: (facts: Facts) => Draft | Refusal
}

/**
 * Decides about a change of a payment at a time of its account; `freeId` is the first of the
 * choices that no deposit has.
 */
export type ChangeDecision = (
  payment: AnyPayment,
  now: number,
  parts: Payment[],
  freeId: string | undefined
) => StateChange | Refusal

/** Change of one payment. */
export interface PaymentChange {
  /** Returns identifiers for a deposit that the change creates, the best first. */
  choices?: (payment: AnyPayment) => string[]
  decide: ChangeDecision
  /** Returns the time of the account. Called when nobody else can change the payment any more. */
  readNow: () => number
  rulesAt: (now: number) => TransitionRules
}

/** Payment and its parts as they are at one moment. */
export interface PaymentWithParts {
  payment: AnyPayment
  /** Parts of a checkout or a split payment, oldest first. */
  parts: Payment[]
}

/** Payments, their history and their money. */
export interface Ledger {
  /** Stores a payment, unless its identifier is taken: then the decision has no effect. */
  acceptPayment: (key: Key, decision: PaymentDecision) => Promise<Initiation>
  /** Finds a payment. Without its history, a final payment has its last move only. */
  findPayment: (key: Key, history?: boolean) => Promise<AnyPayment | undefined>
  /** Finds a checkout or a split payment in the same way, together with its parts. */
  findWithParts: (key: Key, history?: boolean) => Promise<PaymentWithParts | undefined>
  /** Finds the payment of a customer's link. */
  findByCode: (code: string) => Promise<PaymentWithParts | undefined>
  /** Returns the payments of an account that match a query. */
  listPayments: (
    account: number,
    query: PaymentQuery,
    options: SearchOptions
  ) => Promise<FoundPayments>
  /** Counts the payments of an account that match a filter. */
  countPayments: (
    account: number,
    filter: PaymentFilter,
    options: SearchOptions
  ) => Promise<StatusCounts>
  /** Returns payments of a phone number, newest first. Only the latest payments are searched. */
  listByPhone: (account: number, phoneNumber: string, limit: number) => Promise<Payment[]>
  /** Finds the payment that a payment is a part of: the deposit of a refund, for example. */
  findParent: (payment: AnyPayment) => Promise<AnyPayment | undefined>
  /** Returns the parts of a payment, oldest first. */
  listParts: (payment: AnyPayment) => Promise<Payment[]>
  /** Changes one payment. */
  changePayment: (key: Key, change: PaymentChange) => Promise<Refusal | undefined>
  /** Moves the payments of an account that are due at `now`, at most `limit`, oldest first. */
  moveDuePayments: (
    account: number,
    now: number,
    limit: number,
    rules: TransitionRules
  ) => Promise<MovedPayments>
  /** Lists the operations of providers that payments of an account wait for. */
  listWaitedFor: (account: number) => Promise<Array<{ provider: string; operation: Operation }>>
  /** Moves the payments that wait for a provider, at most `limit`, oldest first. */
  releasePayments: (
    provider: { account: number; provider: string; operation: Operation },
    time: Omit<PaymentChange, 'decide'>,
    limit: number
  ) => Promise<MovedPayments>
}

/** Result of moving many payments. */
export interface MovedPayments {
  /** Number of payments that were taken from their queue. */
  count: number
  /** Payments that failed. They are set aside, so that they do not stop the others. */
  failed: SetAsidePayment[]
}

/** Payment that could not be moved because of an error. */
export interface SetAsidePayment {
  seq: number
  /** Absent if the kind in the ledger is unknown. */
  kind?: Kind
  id: string
  /** Time of the failure on the account's clock. */
  at: number
  error: string
}

/** Payments that were set aside. */
export interface SetAside {
  /** Returns the payments of an account that were set aside, oldest first. */
  listSetAside: (account: number, after: number, limit: number) => Promise<SetAsidePayment[]>
  /** Makes a payment due again. Returns false if it is not set aside. */
  retrySetAside: (account: number, payment: number, now: number) => Promise<boolean>
}

/** Payment that changes. */
export interface ChangedPayment {
  seq: number
  details?: { id?: string; phoneNumber?: string }
}

/** Notifies the listeners of changes. */
export interface ChangeNotifier {
  /** False if nobody would be notified. */
  readonly hasListeners: boolean
  /**
   * Reports that a payment changes in the current transaction. Without a payment, everything of
   * the account may have changed.
   */
  notify: (account: number, payment?: ChangedPayment) => void
}
