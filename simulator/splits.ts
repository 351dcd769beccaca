import type { Move, Payment } from '../src/domain/payment.ts'
import { isFinal, stateAt } from '../src/domain/payment.ts'
import type { Child } from '../src/domain/ports.ts'
import { movesDue } from './script.ts'

/** What becomes of a split payment when something has happened to one of its parts. */
export interface Splitter {
  next: (split: Payment, parts: Payment[], now: number) => { moves: Move[], children?: Child[] } | undefined
}

/** First the deposit; when that is through, one payout per split; when they are all final, the whole is. */
export function splitter (payouts: (split: Payment, now: number) => Child[]): Splitter {
  return {
    next: (split, [deposit, ...parts], now) => {
      if (isFinal(stateAt(split, now).to)) return undefined
      const through = stateAt(deposit, now)
      if (!isFinal(through.to)) return undefined
      const sofar = movesDue(split, now)
      if (through.to === 'FAILED') return { moves: [...sofar, { at: now, to: 'FAILED', failure: through.failure, cause: 'the deposit failed' }] }
      if (parts.length === 0) return { moves: sofar, children: payouts(split, now) }
      const ends = parts.map((part) => stateAt(part, now).to)
      if (!ends.every(isFinal)) return undefined
      const failed = ends.filter((end) => end !== 'COMPLETED').length + (split.details.splits?.length ?? 0) - parts.length
      return { moves: [...sofar, failed === 0 ? { at: now, to: 'COMPLETED', cause: 'every payout completed' } : { at: now, to: 'PAYOUT_FAILED', cause: `${failed} of the payouts failed` }] }
    }
  }
}
