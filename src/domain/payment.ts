import type { Version } from './api-version.ts'
import type { Kind } from './kinds.ts'
import type { CheckoutDetails, PaymentDetails } from './payment-request.ts'
import type { Move, PlannedLife } from './plan.ts'
import { isRecorded, nextStep, plannedMove } from './plan.ts'
import { refuse, type Refusal } from './refusal.ts'
import { firstStatus, isFinal } from './status.ts'

/** Stored payments, and their state and history at a given time. */

export interface Payment<D = PaymentDetails> extends PlannedLife {
  /** Number in the ledger. */
  seq: number
  account: number
  /**
   * Number of the payment it belongs to: deposit of a refund, split payment or checkout of a part.
   */
  parent?: number
  kind: Kind
  version: Version
  /** Milliseconds on the account's clock. */
  created: number
  details: D
}

/** A checkout is stored like a payment. Its attempts are the deposits that move money. */
export type Checkout = Payment<CheckoutDetails>

/** Any row of the ledger. */
export type AnyPayment = Payment | Checkout
export type AnyDetails = AnyPayment['details']

/** Tells whether a payment is a checkout, which has no wallet. */
export function isCheckout (payment: AnyPayment): payment is Checkout {
  return payment.kind.stateMachine === 'checkout'
}

/** State of a payment at a time of its account's clock. A final state holds once it is recorded. */
export function stateAt (payment: AnyPayment, now: number): Move {
  const last = payment.moves.at(-1)
  if (last !== undefined && isFinal(last.to)) return last
  const history = historyAt(payment, now)
  return history[history.length - 1]
}

/**
 * History of a payment until a time, oldest first: recorded moves, and moves that follow from the
 * plan.
 */
export function historyAt (payment: AnyPayment, now: number): Move[] {
  const accepted: Move = {
    at: payment.created,
    to: firstStatus(payment.kind),
    by: 'merchant',
    cause: 'accepted'
  }
  const history = [accepted, ...payment.moves]
  if (isFinal(history[history.length - 1].to)) return history
  for (let i = nextStep(payment); i < payment.plan.steps.length; i++) {
    const step = payment.plan.steps[i]
    if (step.at > now || isRecorded(step)) break
    const move = plannedMove(payment.plan, i)
    // A clock can be set back, but a move is never earlier than the one before it.
    const at = Math.max(move.at, history[history.length - 1].at)
    history.push(move.at === at ? move : { ...move, at })
  }
  return history
}

/** Refuses a status check, if the scenario of the payment says so. */
export function refuseStatusCheck (
  { plan, created }: AnyPayment,
  now: number
): Refusal | undefined {
  const { statusCheck } = plan
  if (statusCheck === undefined || now >= created + (statusCheck.forMs ?? Infinity)) {
    return undefined
  }
  return {
    ...refuse(
      'SCRIPTED_ERROR',
      `the status check is answered with ${statusCheck.status} by scenario '${plan.scenario}'`
    ),
    status: statusCheck.status
  }
}

/** Returns the time of the next planned change of a payment, or undefined. */
export function nextChange ({ plan, moves }: AnyPayment, now: number): number | undefined {
  return isFinal(moves.at(-1)?.to ?? 'ACCEPTED')
    ? undefined
    : plan.steps.find(({ at }) => at > now)?.at
}
