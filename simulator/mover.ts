import type { Logger } from 'pino'
import type { Accounts } from '../src/accounts/registry.ts'
import { nameForLog } from '../src/accounts/sandbox-tokens.ts'
import type { Account } from '../src/domain/account.ts'
import type { Operation } from '../src/domain/kinds.ts'
import type { AnyPayment } from '../src/domain/payment.ts'
import { passedMoves } from '../src/domain/plan.ts'
import type { Ledger, SetAsidePayment } from '../src/ports/ledger.ts'
import { availabilityOf } from '../src/domain/rules.ts'
import type { Transitions } from './transitions.ts'
import { addCounts, newAdvanceCounts, type AdvanceCounts } from './advance.ts'

/** Most payments that are moved in one transaction, so that requests do not wait. */
export const sweepLimit = 500

/** Parts that the mover needs. */
export interface MoverParts {
  ledger: Ledger
  transitions: Transitions
  accounts: Accounts
  log: Logger
}

/** Moves payments along their plans when they fall due, with their money and callbacks. */
export class Mover {
  readonly #parts: MoverParts

  constructor (parts: MoverParts) {
    this.#parts = parts
  }

  /** Moves the payments of an account that are due, up to the limit, and counts the moves. */
  async moveDuePayments (
    account: number,
    now: number,
    counts: AdvanceCounts = newAdvanceCounts()
  ): Promise<void> {
    const { ledger, transitions } = this.#parts
    // The ledger may do the work twice, so it has counts of its own.
    const moved = newAdvanceCounts()
    const rules = transitions.at(now, moved)
    const { failed } = await ledger.moveDuePayments(account, now, sweepLimit, rules)
    addCounts(counts, moved)
    this.#reportFailed(account, failed)
  }

  /**
   * Records the states that payments of an account have at a time and that follow only from their
   * plans. The clock can then be set back, and no state goes back with it.
   */
  async recordStates (account: number, now: number): Promise<void> {
    const { ledger, transitions } = this.#parts
    const hasPassed = (payment: AnyPayment): boolean => {
      try {
        return passedMoves(payment, now).length > 0
      } catch {
        // A damaged plan has no states to record, and the clock is set back all the same.
        return false
      }
    }
    for (let after = 0, full = true; full;) {
      const { payments } = await ledger.listPayments(
        account,
        { after, limit: sweepLimit },
        { readNow: () => now, isWanted: hasPassed }
      )
      for (const { kind, details } of payments) {
        await ledger.changePayment(
          { account, kind, id: details.id },
          {
            decide: (payment) =>
              hasPassed(payment)
                ? transitions.applyMoves(payment, passedMoves(payment, now), now)
                : { moves: [], postings: [] },
            readNow: () => now,
            rulesAt: (now) => transitions.at(now)
          }
        )
      }
      full = payments.length === sweepLimit
      after = payments.at(-1)?.seq ?? after
    }
  }

  /**
   * Moves the payments that waited for a provider, at the time of the account that `readNow`
   * returns when nobody else can change them. Returns their number.
   */
  async #releasePayments (
    account: number,
    provider: string,
    operation: Operation,
    readNow: () => number
  ): Promise<number> {
    const { ledger, transitions } = this.#parts
    const queue = { account, provider, operation }
    const time = { readNow, rulesAt: (now: number) => transitions.at(now) }
    let released = 0
    for (let last = sweepLimit; last === sweepLimit; released += last) {
      const { count, failed } = await ledger.releasePayments(queue, time, sweepLimit)
      this.#reportFailed(account, failed)
      last = count
    }
    return released
  }

  /**
   * Moves the payments of an account that waited for operations which are available now. Returns
   * their number.
   */
  async releaseAvailable (account: Account, readNow: () => number): Promise<number> {
    let released = 0
    for (const { provider, operation } of await this.#parts.ledger.listWaitedFor(account.id)) {
      if (availabilityOf(account, provider, operation) !== 'OPERATIONAL') continue
      released += await this.#releasePayments(account.id, provider, operation, readNow)
    }
    return released
  }

  #reportFailed (account: number, failed: readonly SetAsidePayment[]): void {
    const { accounts, log } = this.#parts
    for (const { kind, id, error } of failed) {
      log.error(
        { account: nameForLog(accounts.byId(account)), kind: kind?.name, id, error },
        'a payment could not be moved and was set aside; GET /__admin/set-aside lists it'
      )
    }
  }
}
