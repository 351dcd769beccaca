import { expiryOf } from '../src/domain/checkout.ts'
import type { Checkout, Payment } from '../src/domain/payment.ts'
import { stateAt } from '../src/domain/payment.ts'
import type { Move, Plan, PlanOrigin } from '../src/domain/plan.ts'
import { plannedMove } from '../src/domain/plan.ts'
import type { FailureReason } from '../src/domain/status.ts'

/** Moves of a checkout: pure functions of the checkout, its attempts and the time. */

/** Cause of an expiry by time, in the history. */
export const expiredByTime = 'expiresAfter ran out'
export const expiredByMerchant = 'expired by the merchant'

/** Failure that a scenario wants, at a time. */
interface ScriptedFailure {
  at: number
  failure: FailureReason
  origin: PlanOrigin
  name: string
  why: string
}

/** Plan of a checkout: it expires, or fails before that because of a scenario. */
export function checkoutPlan (
  expiresAt: number,
  providerTransactionId: string,
  scripted?: ScriptedFailure
): Plan {
  const expiry: Plan = {
    origin: 'checkout',
    scenario: 'checkout',
    why: expiredByTime,
    steps: [{ at: expiresAt, to: 'EXPIRED' }],
    providerTransactionId
  }
  if (scripted === undefined || scripted.at >= expiresAt) return expiry
  const { at, failure, origin, name, why } = scripted
  return {
    ...expiry,
    origin,
    scenario: name,
    why,
    steps: [{ at, to: 'FAILED', failure }, ...expiry.steps]
  }
}

/** Plan of a checkout that the merchant ends now. */
export function endNow (plan: Plan, now: number): Plan {
  return {
    ...plan,
    why: expiredByMerchant,
    expiredBy: 'merchant',
    steps: [{ at: now, to: 'EXPIRED' }]
  }
}

/** Move of a checkout whose time is up. An attempt in progress is waited for. */
export function afterExpiry (checkout: Checkout, now: number): Move[] {
  return stateAt(checkout, now).to === 'WAITING_PAYMENT' ? endMoves(checkout, now) : []
}

/**
 * Moves of a checkout after a move of an attempt. Success ends the checkout. After a failure the
 * customer can try again, unless time is up: then the checkout is FAILED, or EXPIRED if the
 * merchant expired it.
 */
export function afterAttempt (checkout: Checkout, attempts: Payment[], now: number): Move[] {
  const latest = attempts.at(-1)
  if (latest === undefined || stateAt(checkout, now).to !== 'PROCESSING') return []
  const attempt = stateAt(latest, now)
  if (attempt.to === 'COMPLETED') {
    return [{ at: now, to: 'COMPLETED', by: 'parts', cause: 'an attempt completed' }]
  }
  if (attempt.to !== 'FAILED') return []
  if (checkout.plan.expiredBy !== undefined) return [expiryMove(checkout, now)]
  if (now < expiryOf(checkout)) {
    const again: Move = { at: now, to: 'WAITING_PAYMENT', by: 'parts', cause: 'an attempt failed' }
    const end = endMoves(checkout, now).map((move) => ({ ...move, at: now }))
    return [again, ...end]
  }
  return [
    {
      at: now,
      to: 'FAILED',
      failure: attempt.failure,
      by: 'parts',
      cause: 'the last attempt failed after expiresAfter ran out'
    }
  ]
}

/** Move of the first step that is due: a failure by a scenario, or the expiry. */
function endMoves (checkout: Checkout, now: number): Move[] {
  const step = checkout.plan.steps.findIndex(({ at }) => at <= now)
  if (step === -1) return []
  const { at, to } = checkout.plan.steps[step]
  return [to === 'EXPIRED' ? expiryMove(checkout, at) : plannedMove(checkout.plan, step)]
}

function expiryMove ({ plan }: Checkout, at: number): Move {
  const cause = plan.expiredBy === undefined ? expiredByTime : plan.why
  return { at, to: 'EXPIRED', by: plan.expiredBy ?? 'plan', cause }
}
