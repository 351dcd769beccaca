import type { Operation } from '../src/domain/kinds.ts'
import type { Ledger } from '../src/domain/ports.ts'
import type { Transitions } from './transitions.ts'
import { newAdvanceCounts, type AdvanceCounts } from './advance-counts.ts'

/**
 * At most this many payments are moved in one transaction, so that requests are not kept waiting.
 */
export const sweepLimit = 500

/**
 * Moves payments along their plans when they fall due, with the money and the callback that belong
 * to it.
 */
export class Mover {
  readonly #ledger: Ledger
  readonly #transitions: Transitions

  constructor (ledger: Ledger, transitions: Transitions) {
    this.#ledger = ledger
    this.#transitions = transitions
  }

  /** Moves what is due on an account's clock, up to the limit, and counts it. */
  async moveDuePayments (
    account: number,
    now: number,
    counts: AdvanceCounts = newAdvanceCounts()
  ): Promise<void> {
    await this.#ledger.moveDuePayments(account, now, sweepLimit, this.#transitions.at(now, counts))
  }

  /** A provider works again: the payments that waited for it go on. */
  async releasePayments (
    account: number,
    provider: string,
    operation: Operation,
    now: number
  ): Promise<number> {
    let released = 0
    for (let batch = sweepLimit; batch === sweepLimit; released += batch) {
      batch = await this.#ledger.releasePayments(
        account,
        provider,
        operation,
        sweepLimit,
        this.#transitions.at(now)
      )
    }
    return released
  }
}
