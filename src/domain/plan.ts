import type { CallbackFault } from './callback-faults.ts'
import type { FailureReason, Status } from './status.ts'
import { isFinal } from './status.ts'

/**
 * Plan of a payment: the steps it will take, each with its time on the account's clock. A step that
 * only changes the state is not stored when it happens, because it follows from the plan and the
 * clock. A step that moves money or sends a callback is stored together with both.
 */

/** One step of a plan. */
export interface Step {
  at: number
  to: Status
  failure?: FailureReason
  /** Sends a callback although the state is not final. */
  notify?: boolean
}

/** Step with a delay instead of a time: milliseconds after the step before it. */
export interface DelayedStep extends Omit<Step, 'at'> {
  after: number
}

/**
 * Source of a plan:
 * - `default`: no scenario and no test number applied, so the payment completes
 * - `testNumber`: the phone number is a sandbox test number
 * - `customer`: the payment waits for its customer
 * - `file`: a scenario file matched
 * - `added`: a scenario added for the account matched
 * - `named`: the request named the scenario
 * - `waitingPart`: a payout that waits for the deposit of its split payment
 * - `checkout`: a checkout, which only expires
 */
export type PlanOrigin =
  'default' | 'testNumber' | 'customer' | 'file' | 'added' | 'named' | 'waitingPart' | 'checkout'

/** Fault of status checks: an HTTP status, for some milliseconds after the initiation or always. */
export interface StatusCheckFault {
  status: number
  forMs?: number
}

/** Entry of the suspicious activity report of a v1 deposit. */
export interface SuspiciousActivity {
  activityType: string
  comment: string
}

export interface Plan {
  origin: PlanOrigin
  /** Name shown to the user; code looks at `origin` instead. */
  scenario: string
  why: string
  steps: Step[]
  /** Faults of its callbacks. */
  callback?: CallbackFault
  /** The customer closed the prompt without an answer. */
  ignored?: boolean
  /** Steps that follow when the provider is OPERATIONAL again; only while the payment is queued. */
  held?: DelayedStep[]
  /** Set when somebody ended a checkout before its time. */
  expiredBy?: MoveBy
  statusCheck?: StatusCheckFault
  /** Reports shown in records of v1 deposits. */
  suspiciousActivityReport?: SuspiciousActivity[]
  /** Transaction number that the provider reports with COMPLETED. */
  providerTransactionId: string
}

/** Causes of moves: the plan, the parts of a payment, or a person. */
export const moveCauses = ['plan', 'parts', 'operator', 'merchant', 'customer'] as const
export type MoveBy = (typeof moveCauses)[number]

/** One state change that happened. The history of a payment is a list of these. */
export interface Move {
  at: number
  to: Status
  failure?: FailureReason
  by: MoveBy
  /** Explanation shown to the user; code looks at `by` instead. */
  cause: string
  /** Index of the step in the plan; absent if the move was not planned. */
  step?: number
  /** Reason why no callback was sent for a final state. */
  noCallbackReason?: NoCallbackReason
}

/**
 * Reason why a final state has no callback: the account has no URL for it, the payment is a part of
 * another one, or a scenario drops it.
 */
export type NoCallbackReason = 'nowhere' | 'part' | 'dropped'

/** A plan, and the moves made so far. */
export interface PlannedLife {
  plan: Plan
  /** Recorded moves, oldest first; empty before the first recorded step. */
  moves: Move[]
}

/** Tells whether a step is stored when it happens, because money or a callback belongs to it. */
export function isRecorded (step: Step): boolean {
  return step.notify === true || isFinal(step.to)
}

/** Tells whether a payment completes because nothing else was asked for. */
export function isUsual ({ origin, steps }: Plan): boolean {
  return (origin === 'default' || origin === 'testNumber') && steps.at(-1)?.to === 'COMPLETED'
}

/** Index of the first step that is not in the history yet. */
export function nextStep (planned: PlannedLife): number {
  return (planned.moves.findLast(({ step }) => step !== undefined)?.step ?? -1) + 1
}

/**
 * Returns the time of the next step that must be recorded, or undefined. With `every`, all steps
 * count: on a frozen clock an advance counts each of them.
 */
export function nextDue (planned: PlannedLife, every = false): number | undefined {
  const { steps } = planned.plan
  for (let i = nextStep(planned); i < steps.length; i++) {
    if (every || isRecorded(steps[i])) return steps[i].at
  }
  return undefined
}

/**
 * Moves that the plan makes until `now` and that are not recorded, up to the first recorded step.
 */
export function movesDue (planned: PlannedLife, now: number): Move[] {
  const { steps } = planned.plan
  const moves: Move[] = []
  for (let i = nextStep(planned); i < steps.length && steps[i].at <= now; i++) {
    moves.push(plannedMove(planned.plan, i))
    if (isRecorded(steps[i])) break
  }
  return moves
}

/**
 * Moves that a payment has made by its plan and that are not recorded yet. A step that must be
 * recorded has not happened before it is.
 */
export function passedMoves (planned: PlannedLife, now: number): Move[] {
  const last = planned.moves.at(-1)
  if (last !== undefined && isFinal(last.to)) return []
  return movesDue(planned, now).filter(({ step = 0 }) => !isRecorded(planned.plan.steps[step]))
}

/** The move of one step of a plan. */
export function plannedMove ({ scenario, steps }: Plan, step: number): Move {
  const { at, to, failure } = steps[step]
  return { at, to, ...(failure !== undefined && { failure }), by: 'plan', cause: scenario, step }
}

/** Adds times to delayed steps that begin at `start`. */
export function scheduleSteps (steps: readonly DelayedStep[], start: number): Step[] {
  let at = start
  return steps.map(({ after, to, failure, notify }) => {
    at += after
    const step: Step = { at, to }
    if (failure !== undefined) step.failure = failure
    if (notify !== undefined) step.notify = notify
    return step
  })
}
