import type { Attempt, Delivery, DeliveryVerdict } from '../src/ports/ledger.ts'

/**
 * Retries of a callback that was not acknowledged: 1, 2, 4 … seconds after the end of the attempt
 * before, for 15 minutes. From its start, a receiver that hangs would be asked again at once.
 */

const firstDelayMs = 1000
const longestDelayMs = 2 * 60_000
export const deliveryWindowMs = 15 * 60_000

export function isAcknowledged ({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * Result of an attempt that ended at a time of the account's clock: every 2xx acknowledges,
 * everything else is retried within the window.
 */
export function nextAttempt (
  delivery: Delivery,
  attempt: Attempt,
  ended: number
): DeliveryVerdict {
  if (isAcknowledged(attempt)) return { state: 'ACKNOWLEDGED' }
  const waitMs = Math.min(firstDelayMs * 2 ** delivery.attempts, longestDelayMs)
  const due = ended + waitMs
  const end = (delivery.firstAttempt ?? attempt.at) + deliveryWindowMs
  return due > end ? { state: 'EXHAUSTED' } : { state: 'PENDING', due, waitMs }
}
