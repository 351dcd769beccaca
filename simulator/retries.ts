import type { Attempt, Delivery, DeliveryVerdict } from '../src/domain/ports.ts'

/**
 * When a callback that was not acknowledged is tried again: after 1, 2, 4 … seconds, for a quarter
 * of an hour.
 */

const firstDelayMs = 1000
const longestDelayMs = 2 * 60_000
export const deliveryWindowMs = 15 * 60_000

export function isAcknowledged ({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * What follows from an attempt: every 2xx acknowledges, everything else is tried again while the
 * window lasts.
 */
export function nextAttempt (delivery: Delivery, attempt: Attempt): DeliveryVerdict {
  if (isAcknowledged(attempt)) return { state: 'ACKNOWLEDGED' }
  const due = attempt.at + Math.min(firstDelayMs * 2 ** delivery.attempts, longestDelayMs)
  const end = (delivery.firstAttempt ?? attempt.at) + deliveryWindowMs
  return due > end ? { state: 'EXHAUSTED' } : { state: 'PENDING', due }
}
