import { setTimeout as sleep } from 'node:timers/promises'
import { lockQueue } from '../../src/domain/due-queue.ts'
import type { Database } from '../database.ts'
import { closedError } from '../storage-faults.ts'
import type { prepareLeaseStatements } from './lease-statements.ts'

/** Wait before the other servers are asked again. */
export const askAgainMs = 20

/** Wait before a lease is ended again, because the ledger could not be reached. */
const retryMs = 250

/**
 * Locks of accounts, which are leases of one queue. The number of a lock is that of its account, or
 * the negative number for an import into it.
 */
export class LockLeases {
  readonly #database: Database
  readonly #statements: ReturnType<typeof prepareLeaseStatements>
  readonly #owner: number
  /** Locks that work of this server has. */
  readonly #used = new Set<number>()
  /** Locks of this server whose accounts it can use: nothing is left to do with them. */
  readonly #usable = new Set<number>()
  /** Locks that other servers have taken over while work of this server had them. */
  readonly #lost = new Set<number>()

  constructor (
    database: Database,
    statements: ReturnType<typeof prepareLeaseStatements>,
    owner: number
  ) {
    this.#database = database
    this.#statements = statements
    this.#owner = owner
  }

  /** Returns whether work of this server has a lock. */
  isUsed (lock: number): boolean {
    return this.#used.has(lock)
  }

  /** Returns whether this server can use an account although it has locked it. */
  isUsable (lock: number): boolean {
    return this.#usable.has(lock)
  }

  /**
   * Takes a lock, unless a server has it. Returns whether it did. If `adopts` is true, it also
   * takes one that this server has and none of its work uses: the caller must finish stored work
   * first, and then call `noteFinished`.
   */
  async tryAcquire (lock: number, adopts = false): Promise<boolean> {
    const { acquire, ownLock } = this.#statements
    let isOurs = false
    const forget = (): void => {
      if (!isOurs) return
      this.#used.delete(lock)
      this.#usable.delete(lock)
      this.#lost.delete(lock)
      isOurs = false
    }
    try {
      return await this.#database.write(undefined, async () => {
        // The transaction may be done again.
        forget()
        // Other work of this server has it, or had it until another server took it over.
        if (this.#used.has(lock)) return false
        const isNew = (await acquire.change(lock, lockQueue, lock)) === 1
        isOurs = isNew || (adopts && (await ownLock.get(lock)) !== undefined)
        if (!isOurs) return false
        // Before the commit, so that the next renewal knows whose lock it is.
        this.#used.add(lock)
        if (isNew) this.#usable.add(lock)
        else this.#usable.delete(lock)
        return true
      })
    } catch (error) {
      forget()
      throw error
    }
  }

  /** Takes a lock as soon as no server has it. */
  async acquire (lock: number, adopts: boolean): Promise<void> {
    while (!(await this.tryAcquire(lock, adopts))) {
      if (this.#database.isStopping) throw closedError()
      await sleep(askAgainMs)
    }
  }

  /** Notes that nothing is left to do with a lock: this server can use the account. */
  noteFinished (lock: number): void {
    if (!this.#lost.has(lock)) this.#usable.add(lock)
  }

  /** Notes that this server counted as dead: others have taken over its locks. */
  loseAll (): void {
    this.#usable.clear()
    for (const lock of this.#used) this.#lost.add(lock)
  }

  /**
   * Ends a lock after its work. Work that is not done needs it: a server that stops leaves it to
   * the others, and the next renewal finds one that was adopted.
   */
  async end (lock: number, isDone: boolean): Promise<void> {
    this.#used.delete(lock)
    this.#lost.delete(lock)
    const isNeeded = !isDone && this.#database.isStopping
    const release = (): void => {
      // Other work of this server may have adopted it, or other servers have taken it over.
      const isOurs = this.#usable.has(lock) && !this.#used.has(lock)
      if (isOurs) this.#statements.release.run(lock, lockQueue, this.#owner)
    }
    if (!isNeeded && this.#usable.has(lock)) await tryUntilDone(this.#database, release)
    if (!this.#used.has(lock)) this.#usable.delete(lock)
  }
}

/** Ends a lease in a transaction. If the ledger cannot be reached, it tries again. */
export async function tryUntilDone (database: Database, release: () => void): Promise<void> {
  for (;;) {
    try {
      return await database.write(undefined, release)
    } catch {
      // The others end it when they see that this server has left.
      if (database.isStopping) return
      await sleep(retryMs)
    }
  }
}
