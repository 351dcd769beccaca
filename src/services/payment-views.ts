import { historyAt, stateAt, type AnyPayment, type Payment } from '../domain/payment.ts'
import type { Move } from '../domain/plan.ts'
import { isFinal } from '../domain/status.ts'
import type { View } from '../wire/wire.ts'

/** Returns a payment and its parts, which were read at one moment, with their states at a time. */
export function viewAt<P extends AnyPayment> (
  { payment, parts }: { payment: P; parts: Payment[] },
  now: number
): View<P> {
  const state = stateAt(payment, now)
  return {
    payment,
    state,
    parts: parts.map((part) => ({
      payment: part,
      state: isFinal(state.to) ? stateAt(part, now) : followedState(part, now),
      parts: []
    }))
  }
}

/**
 * Returns the state of a part whose whole is in progress. The whole changes when the end of a part
 * is recorded, which is a moment after the planned time: until then the part counts as in progress.
 */
function followedState (part: Payment, now: number): Move {
  const state = stateAt(part, now)
  if (!isFinal(state.to) || part.moves.some(({ to }) => isFinal(to))) return state
  return historyAt(part, now).findLast(({ to }) => !isFinal(to)) ?? state
}
