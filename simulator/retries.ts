import type { Attempt, Delivery, DeliveryVerdict } from '../src/domain/ports.ts'

/** Retries of a callback that was not acknowledged: after 1, 2, 4 … seconds, for 15 minutes. */

const firstDelayMs = 1000
const longestDelayMs = 2 * 60_000
export const deliveryWindowMs = 15 * 60_000

export function isAcknowledged ({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** Result of an attempt: every 2xx acknowledges, everything else is retried within the window. */
export function nextAttempt (delivery: Delivery, attempt: Attempt): DeliveryVerdict {
  if (isAcknowledged(attempt)) return { state: 'ACKNOWLEDGED' }
  const due = attempt.at + Math.min(firstDelayMs * 2 ** delivery.attempts, longestDelayMs)
  const end = (delivery.firstAttempt ?? attempt.at) + deliveryWindowMs
  return due > end ? { state: 'EXHAUSTED' } : { state: 'PENDING', due }
}
