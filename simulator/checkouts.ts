import type { Checkout, Payment } from '../src/domain/payment.ts'
import type { Move, Plan } from '../src/domain/plan.ts'
import { expiryOf } from '../src/domain/checkout.ts'
import { stateAt } from '../src/domain/payment.ts'

/** What becomes of a checkout: pure functions of the checkout, its attempts and the time. */

/** Why a checkout expired, in its history. */
export const expiredByTime = 'expiresAfter ran out'
export const expiredByMerchant = 'expired by the merchant'

/** A checkout does one thing by itself: it expires. */
export function checkoutPlan (expiresAt: number, providerTransactionId: string): Plan {
  return {
    origin: 'checkout',
    scenario: 'checkout',
    why: expiredByTime,
    steps: [{ at: expiresAt, to: 'EXPIRED' }],
    providerTransactionId
  }
}

/** The same plan, with the time up now because the merchant says so. */
export function endNow (plan: Plan, now: number): Plan {
  return {
    ...plan,
    why: expiredByMerchant,
    expiredBy: 'merchant',
    steps: [{ at: now, to: 'EXPIRED' }]
  }
}

/** The time is up: it expires, unless an attempt is in flight, for that is waited for. */
export function afterExpiry (checkout: Checkout, now: number): Move[] {
  if (stateAt(checkout, now).to !== 'WAITING_PAYMENT' || now < expiryOf(checkout)) return []
  return [expiryMove(checkout, expiryOf(checkout))]
}

/**
 * Something has happened to an attempt: success ends the checkout, failure lets the customer try
 * again while time is left.
 */
export function afterAttempt (checkout: Checkout, attempts: Payment[], now: number): Move[] {
  const latest = attempts.at(-1)
  if (latest === undefined || stateAt(checkout, now).to !== 'PROCESSING') return []
  switch (stateAt(latest, now).to) {
    case 'COMPLETED':
      return [{ at: now, to: 'COMPLETED', by: 'parts', cause: 'an attempt completed' }]
    case 'FAILED':
      return now < expiryOf(checkout)
        ? [{ at: now, to: 'WAITING_PAYMENT', by: 'parts', cause: 'an attempt failed' }]
        : [expiryMove(checkout, now)]
    default:
      return []
  }
}

function expiryMove ({ plan }: Checkout, at: number): Move {
  return { at, to: 'EXPIRED', by: plan.expiredBy ?? 'plan', cause: plan.why }
}
