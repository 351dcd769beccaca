import type { Payment } from '../src/domain/payment.ts'
import { stateAt } from '../src/domain/payment.ts'
import type { Move } from '../src/domain/plan.ts'
import { movesDue, nextStep, plannedMove } from '../src/domain/plan.ts'
import { isFinal } from '../src/domain/status.ts'

/** Changes of a split payment and its payouts after one of its parts has changed. */
export interface SplitStep {
  moves: Move[]
  /** The payouts that begin now. */
  begin?: Payment[]
  /** The payouts that never will. */
  fail?: Payment[]
}

/**
 * First the deposit; when that is through, the payouts begin; when they are all final, the whole
 * is.
 */
export function nextSplitStep (
  split: Payment,
  [deposit, ...payouts]: Payment[],
  now: number
): SplitStep | undefined {
  if (isFinal(stateAt(split, now).to)) return undefined
  const through = stateAt(deposit, now)
  if (!isFinal(through.to)) return undefined
  const sofar = movesDue(split, now)
  if (through.to === 'FAILED') {
    return {
      moves: [
        ...sofar,
        {
          at: now,
          to: 'FAILED',
          failure: through.failure,
          by: 'parts',
          cause: 'the deposit failed'
        }
      ],
      fail: payouts
    }
  }
  if (payouts.every(isWaiting)) return { moves: startMoves(split, now), begin: payouts }
  const ends = payouts.map((payout) => stateAt(payout, now).to)
  if (!ends.every(isFinal)) return undefined
  const failed = ends.filter((end) => end !== 'COMPLETED').length
  return {
    moves: [
      ...sofar,
      failed === 0
        ? { at: now, to: 'COMPLETED', by: 'parts', cause: 'every payout completed' }
        : { at: now, to: 'PAYOUT_FAILED', by: 'parts', cause: `${failed} of the payouts failed` }
    ]
  }
}

/**
 * Moves of a split payment up to the start of its payouts. It leaves ACCEPTED then at the latest,
 * even if its own step is later: the payouts could end before that.
 */
function startMoves (split: Payment, now: number): Move[] {
  const due = movesDue(split, now)
  const next = nextStep(split)
  return due.length > 0 || next >= split.plan.steps.length
    ? due
    : [{ ...plannedMove(split.plan, next), at: now }]
}

/** Tells whether a payout still waits for the deposit of its split payment: it has no plan. */
function isWaiting ({ plan, moves }: Payment): boolean {
  return plan.steps.length === 0 && moves.length === 0
}
