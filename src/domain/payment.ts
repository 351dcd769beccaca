import type { Kind } from './kinds.ts'

/**
 * What a payment is, which moves it may make, and what its state is at a given time.
 *
 * A payment carries its plan: the steps it will take, each with its time. Steps that change nothing but the word for
 * its state are not stored when they happen: they follow from the plan and the clock. Steps that move money or send a
 * callback are stored, together with both, when they happen. Hence `stateAt`.
 */

export type Generation = 'v1' | 'v2'

export const statuses = ['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'] as const
export type Status = typeof statuses[number]

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

/** One step that was taken: the history of a payment is a list of these. */
export interface Move {
  at: number
  to: Status
  failure?: FailureReason
  cause: string
  /** Which step of the plan it was; absent when an operator did it. */
  step?: number
}

export interface MetadataEntry {
  name: string
  value: string
  isPII?: boolean
}

/** What the merchant asked for, in our own words; both generations are read into this and written from it. */
export interface Instruction {
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
  /** Earlier generation: when the merchant says it began. */
  customerTimestamp?: string
}

/** An instruction after judgement: everything a record needs is settled. */
export interface Details extends Instruction {
  amount: string
  currency: string
  country: string
  provider: string
  phoneNumber: string
  customerMessage: string
}

/** What will happen to a payment, and who decided so. */
export interface Plan {
  scenario: string
  why: string
  steps: Step[]
  /** What the provider will call it, once it is through. */
  providerTransactionId: string
}

/** A plan and how far it has been followed. */
export interface Planned {
  plan: Plan
  /** What has been recorded so far, oldest first; empty until the first recorded step. */
  moves: Move[]
}

export interface Payment extends Planned {
  /** The ledger's own number of it. */
  seq: number
  account: number
  kind: Kind
  generation: Generation
  /** Milliseconds on the account's clock. */
  created: number
  details: Details
}

const out: Record<Status, readonly Status[]> = {
  ACCEPTED: ['ENQUEUED', 'PROCESSING', 'FAILED'],
  ENQUEUED: ['PROCESSING', 'FAILED'],
  PROCESSING: ['IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
  IN_RECONCILIATION: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: []
}

/** The transition table: where a payment of this kind may go from here. COMPLETED and FAILED never change. */
export function movesFrom (kind: Kind, from: Status): readonly Status[] {
  return kind.queues ? out[from] : out[from].filter((to) => to !== 'ENQUEUED')
}

/** May a payment of this kind go from one state to the other? */
export function mayMove (kind: Kind, from: Status, to: Status): boolean {
  return movesFrom(kind, from).includes(to)
}

export function isFinal (status: Status): boolean {
  return status === 'COMPLETED' || status === 'FAILED'
}

/** Must this step be written down when it happens, because money or a callback goes with it? */
export function isRecorded (step: Step): boolean {
  return step.notify === true || isFinal(step.to)
}

/** The state of a payment at a time of its account's clock. Final states are true only once they are recorded. */
export function stateAt (payment: Payment, now: number): Move {
  const last = payment.moves.at(-1)
  let state: Move = last ?? { at: payment.created, to: 'ACCEPTED', cause: 'accepted' }
  if (isFinal(state.to)) return state
  for (let i = nextStep(payment); i < payment.plan.steps.length; i++) {
    const step = payment.plan.steps[i]
    if (step.at > now || isRecorded(step)) break
    state = { at: step.at, to: step.to, cause: payment.plan.scenario, step: i }
  }
  return state
}

/** The first step of the plan that is not in the history yet. */
export function nextStep (payment: Planned): number {
  return (payment.moves.at(-1)?.step ?? -1) + 1
}
