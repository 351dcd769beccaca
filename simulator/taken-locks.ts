import type { QueueLeases } from '../src/domain/due-queue.ts'

/** Parts that the locks need. */
export interface TakenLocksParts {
  leases: Pick<QueueLeases, 'hasLock'>
  /** Finishes the work on a whole account that a dead server has begun, and ends its lock. */
  finishAccountWork: (account: number) => Promise<void>
}

/**
 * Locks of accounts that this server has, but no work of it: those of dead servers, and those of
 * which it did not hear that it got them.
 */
export class TakenLocks {
  readonly #parts: TakenLocksParts
  readonly #accounts = new Set<number>()
  /** Those of them whose work is being finished. */
  readonly #finishing = new Set<number>()

  constructor (parts: TakenLocksParts) {
    this.#parts = parts
  }

  add (account: number): void {
    this.#accounts.add(account)
  }

  /** Forgets all locks. The next renewal finds those that this server still has. */
  clear (): void {
    this.#accounts.clear()
  }

  /** Finishes what was begun, and ends the locks, without waiting for it. */
  end (): void {
    const { leases, finishAccountWork } = this.#parts
    for (const account of this.#accounts) {
      if (this.#finishing.has(account)) continue
      // Work of this server may have the lock by now. It finishes what was left.
      if (leases.hasLock(account)) {
        this.#accounts.delete(account)
        continue
      }
      this.#finishing.add(account)
      // After a failure, the next call tries again.
      finishAccountWork(account)
        .then(() => this.#accounts.delete(account))
        .catch(() => {})
        .finally(() => this.#finishing.delete(account))
    }
  }
}
