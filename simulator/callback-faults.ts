import type { CallbackFault, ForgeryFault } from '../src/domain/callback-faults.ts'
import type { OutgoingCallback } from '../src/domain/ports.ts'

/**
 * Faults of callbacks: pure functions from the correct callback to the one that is sent instead.
 */

/** Time after which a callback that waits for the next payment is sent without it. */
const longestHoldMs = 60_000

/**
 * The callbacks a scenario makes of one: later, more than one, none, or not quite as they should
 * be.
 */
export function applyFault (
  outgoing: OutgoingCallback,
  callback: CallbackFault | undefined
): OutgoingCallback[] {
  if (callback === undefined) return [outgoing]
  if (callback.drop === true) return []
  const {
    delayMs = 0,
    duplicates = 0,
    afterNext = false,
    extraFields,
    drop: _,
    beforeAnswer: __,
    ...fault
  } = callback
  const due = outgoing.due + delayMs
  const sent: OutgoingCallback = {
    ...outgoing,
    due: afterNext ? due + longestHoldMs : due,
    ...(extraFields !== undefined && {
      body: JSON.stringify({ ...JSON.parse(outgoing.body), ...extraFields })
    }),
    ...(afterNext && { held: true }),
    ...(Object.keys(fault).length > 0 && { fault })
  }
  return Array.from({ length: 1 + duplicates }, () => sent)
}

const amounts = ['amount', 'requestedAmount', 'depositedAmount'] as const

/** Changes a body as an attacker would: more money, or a success instead of a failure. */
export function tamperBody (body: string): string {
  const record = JSON.parse(body) as Record<string, unknown>
  if (record.status === 'FAILED') return JSON.stringify({ ...record, status: 'COMPLETED' })
  const more = amounts
    .filter((name) => typeof record[name] === 'string')
    .map((name) => [name, `9${record[name] as string}`])
  return JSON.stringify({
    ...record,
    ...(more.length > 0 ? Object.fromEntries(more) : { tampered: true })
  })
}

/** Time of creation that a signature claims. */
export function signatureTime ({ staleMs = 0 }: ForgeryFault, now: number): number {
  return now - staleMs
}
