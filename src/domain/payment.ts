import type { CheckoutDetails, CheckoutTerms } from './checkout.ts'
import type { Kind } from './kinds.ts'

/**
 * What a payment is, which moves it may make, and what its state is at a given time.
 *
 * A payment carries its plan: the steps it will take, each with its time. Steps that change nothing
 * but the word for its state are not stored when they happen: they follow from the plan and the
 * clock. Steps that move money or send a callback are stored, together with both, when they happen.
 * Hence `stateAt`.
 */

export type Generation = 'v1' | 'v2'

export const statuses = [
  'ACCEPTED',
  'WAITING_PAYMENT',
  'ENQUEUED',
  'PROCESSING',
  'IN_RECONCILIATION',
  'COMPLETED',
  'PAYOUT_FAILED',
  'FAILED',
  'EXPIRED',
  'CANCELLED'
] as const
export type Status = (typeof statuses)[number]

/** Why a payment failed. */
export interface FailureReason {
  failureCode: string
  failureMessage: string
}

/** One step of a plan: at that time of the account's clock, that state. */
export interface Step {
  at: number
  to: Status
  failure?: FailureReason
  /** The merchant is told of this step although it is not final. */
  notify?: boolean
}

/**
 * A step that begins to count when something else has happened: milliseconds after the step before
 * it.
 */
export interface DelayedStep extends Omit<Step, 'at'> {
  after: number
}

/** One step that was taken: the history of a payment is a list of these. */
export interface Move {
  at: number
  to: Status
  failure?: FailureReason
  cause: string
  /** Which step of the plan it was; absent when an operator did it. */
  step?: number
  /** Why no callback tells of this end. */
  noCallbackReason?: NoCallbackReason
}

/**
 * Nobody is told of an end if the account says nowhere to, if the payment is a part of one that is
 * told of, or if a drill drops it.
 */
export type NoCallbackReason = 'nowhere' | 'part' | 'dropped'

export interface MetadataEntry {
  name: string
  value: string
  isPII?: boolean
}

/**
 * What the merchant asked for, in our own words; both generations are read into this and written
 * from it.
 */
export interface PaymentRequest {
  id: string
  amount?: string
  currency?: string
  country?: string
  provider?: string
  phoneNumber?: string
  customerMessage?: string
  clientReferenceId?: string
  metadata?: MetadataEntry[]
  preAuthorisationCode?: string
  successfulUrl?: string
  failedUrl?: string
  /**
   * The customer is there, in a browser: where a provider sends them elsewhere to authorise it,
   * they are waited for.
   */
  attended?: boolean
  /** Earlier generation: when the merchant says it began. */
  customerTimestamp?: string
  /** The deposit a refund gives back. */
  depositId?: string
  /** Who sends a remittance, and who it is for, as the merchant wrote it. */
  sender?: object
  recipientDetails?: object
  /** The parts a split payment pays out. */
  splits?: Split[]
  /** What a checkout leaves to its customer, and what it does not. */
  terms?: CheckoutTerms
}

/** One part of a split payment. */
export interface Split {
  payoutId: string
  amount: string
  phoneNumber: string
  provider: string
  customerMessage?: string
}

/** An instruction after judgement: everything a record needs is settled. */
export interface PaymentDetails extends PaymentRequest {
  amount: string
  currency: string
  country: string
  provider: string
  phoneNumber: string
  customerMessage: string
  /** Where the customer authorises it, if the provider works so. */
  authorizationUrl?: string
  /** A part of something larger: the merchant is told of the whole, not of this. */
  silent?: boolean
}

/** What is wrong with a callback on purpose, so that a merchant can prove that it is noticed. */
export interface ForgeryFault {
  /** Its signature was made so long ago. */
  staleMs?: number
  /** It is signed with a key that is not ours, under the name of ours. */
  wrongKey?: boolean
  /** It was changed after it was signed. */
  tampered?: boolean
  /** It is not signed at all. */
  unsigned?: boolean
}

/** What a scenario makes of a callback: when it comes, how often, and what is wrong with it. */
export interface CallbackFault extends ForgeryFault {
  delayMs?: number
  duplicates?: number
  drop?: boolean
  /**
   * It comes before the answer to the initiation: the payment ends at once, and the answer waits.
   */
  beforeAnswer?: boolean
  /** It comes after that of the next payment. */
  afterNext?: boolean
  /** Fields that no documentation knows. */
  extraFields?: Record<string, unknown>
}

/** What will happen to a payment, and who decided so. */
export interface Plan {
  scenario: string
  why: string
  steps: Step[]
  /** What a scenario makes of its callbacks. */
  callback?: CallbackFault
  /** The customer has put the prompt away without an answer. */
  ignored?: boolean
  /**
   * What follows when the provider takes up its queue again; only while the payment waits there.
   */
  held?: DelayedStep[]
  /** What the provider will call it, once it is through. */
  providerTransactionId: string
}

/** A plan and how far it has been followed. */
export interface PlannedLife {
  plan: Plan
  /** What has been recorded so far, oldest first; empty until the first recorded step. */
  moves: Move[]
}

export interface Payment<D = PaymentDetails> extends PlannedLife {
  /** The ledger's own number of it. */
  seq: number
  account: number
  /**
   * The payment this one belongs to: a refund's deposit, a part's split payment, an attempt's
   * checkout.
   */
  parent?: number
  kind: Kind
  generation: Generation
  /** Milliseconds on the account's clock. */
  created: number
  details: D
}

/**
 * A checkout is kept as a payment, but its customer chooses the wallet, and so the payments proper
 * are its attempts.
 */
export type Checkout = Payment<CheckoutDetails>

/** Whatever the ledger holds. */
export type AnyPayment = Payment | Checkout
export type AnyDetails = AnyPayment['details']

/** Is it a checkout, and so without a wallet of its own? */
export function isCheckout (payment: AnyPayment): payment is Checkout {
  return payment.kind.stateMachine === 'checkout'
}

type TransitionTable = Record<Kind['stateMachine'], Partial<Record<Status, readonly Status[]>>>

/** The transition table: for each state that is not final, where a payment may go from there. */
const transitionTables: TransitionTable = {
  immediate: {
    ACCEPTED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
    IN_RECONCILIATION: ['COMPLETED', 'FAILED']
  },
  queueing: {
    ACCEPTED: ['ENQUEUED', 'PROCESSING', 'FAILED'],
    ENQUEUED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
    IN_RECONCILIATION: ['COMPLETED', 'FAILED']
  },
  split: {
    ACCEPTED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['COMPLETED', 'PAYOUT_FAILED', 'FAILED']
  },
  checkout: {
    WAITING_PAYMENT: ['PROCESSING', 'EXPIRED', 'CANCELLED'],
    PROCESSING: ['WAITING_PAYMENT', 'COMPLETED', 'FAILED', 'EXPIRED']
  }
}

/** Where a payment of this kind may go from here; nowhere from a final state. */
export function movesFrom (kind: Kind, from: Status): readonly Status[] {
  return transitionTables[kind.stateMachine][from] ?? []
}

/** May a payment of this kind go from one state to the other? */
export function mayMove (kind: Kind, from: Status, to: Status): boolean {
  return movesFrom(kind, from).includes(to)
}

/** Every state a payment of this kind can be in. */
export function statusesOf (kind: Kind): Status[] {
  const table = transitionTables[kind.stateMachine]
  return statuses.filter(
    (status) => status in table || Object.values(table).some((next) => next.includes(status))
  )
}

/** The state a payment of this kind begins in. */
export function firstStatus (kind: Kind): Status {
  return kind.stateMachine === 'checkout' ? 'WAITING_PAYMENT' : 'ACCEPTED'
}

const finalStatuses: readonly Status[] = [
  'COMPLETED',
  'PAYOUT_FAILED',
  'FAILED',
  'EXPIRED',
  'CANCELLED'
]

export function isFinal (status: Status): boolean {
  return finalStatuses.includes(status)
}

/** Must this step be written down when it happens, because money or a callback goes with it? */
export function isRecorded (step: Step): boolean {
  return step.notify === true || isFinal(step.to)
}

/**
 * The state of a payment at a time of its account's clock. Final states are true only once they are
 * recorded.
 */
export function stateAt (payment: AnyPayment, now: number): Move {
  const last = payment.moves.at(-1)
  if (last !== undefined && isFinal(last.to)) return last
  const history = historyAt(payment, now)
  return history[history.length - 1]
}

/**
 * Everything that has happened to a payment by a time, oldest first: what was recorded, and what
 * follows from its plan.
 */
export function historyAt (payment: AnyPayment, now: number): Move[] {
  const accepted: Move = { at: payment.created, to: firstStatus(payment.kind), cause: 'accepted' }
  const history = [accepted, ...payment.moves]
  if (isFinal(history[history.length - 1].to)) return history
  for (let i = nextStep(payment); i < payment.plan.steps.length; i++) {
    const { at, to } = payment.plan.steps[i]
    if (at > now || isRecorded(payment.plan.steps[i])) break
    history.push({ at, to, cause: payment.plan.scenario, step: i })
  }
  return history
}

/** The first step of the plan that is not in the history yet. */
export function nextStep (payment: PlannedLife): number {
  // What somebody did by hand is no step of the plan.
  return (payment.moves.findLast(({ step }) => step !== undefined)?.step ?? -1) + 1
}

/** When a payment will be in another state by its plan, if it will. */
export function nextChange ({ plan, moves }: AnyPayment, now: number): number | undefined {
  return isFinal(moves.at(-1)?.to ?? 'ACCEPTED')
    ? undefined
    : plan.steps.find(({ at }) => at > now)?.at
}
