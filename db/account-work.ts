import { setTimeout as sleep } from 'node:timers/promises'
import { LeaseLostError, LedgerUnusableError } from '../src/domain/ledger-error.ts'
import { SnapshotRowsError } from '../src/domain/account-tables.ts'
import type { AccountChange } from '../src/domain/stores.ts'
import type { Steps } from './account-rows.ts'
import type { SqlAccounts } from './accounts.ts'
import type { Database } from './database.ts'
import type { SqlOutbox } from './outbox.ts'
import {
  deleteWork,
  insertWork,
  listSteps,
  lockNumberOf,
  leaseOfLock,
  runForAWhile,
  type Work,
  type WorkRow
} from './stored-work.ts'

/** Wait before work that failed is tried again. */
const retryMs = 1000

/** Parts that the work on accounts needs. */
export interface AccountWorkParts {
  database: Database
  accounts: SqlAccounts
  outbox: SqlOutbox
}

/** Begun work: its first transaction has this result. */
export interface BegunWork {
  work: Work
  change?: AccountChange
  committed?: () => void
}

/**
 * Work on all rows of an account, in short transactions, so that requests of other accounts go on.
 * The account itself is locked until it is done. Work that one transaction does not finish is
 * stored with it: a start after a crash finishes it.
 */
export class AccountWork {
  readonly #parts: AccountWorkParts
  /** Locks whose work is tried again later. */
  readonly #later = new Set<number>()

  constructor (parts: AccountWorkParts) {
    this.#parts = parts
  }

  /**
   * Runs work while the account is locked for all others. What a server has left to do with this
   * lock is done first.
   */
  async runLocked<T>(lock: number, work: () => Promise<T>): Promise<T> {
    const { database } = this.#parts
    const { sharing } = database
    const workAfterOthers = async (): Promise<T> => {
      for (const row of await this.#listWork(lock)) await this.finishOrPostpone(row)
      sharing?.noteFinished(lock)
      return await work()
    }
    const runHere = (): Promise<T> => database.runLocked(lock, workAfterOthers)
    // First for the other servers: other work of this server may have that lock only.
    return await (sharing?.runLocked(lock, runHere, true) ?? runHere())
  }

  /**
   * Begins work together with a change of the account, and finishes it. `prepare` runs inside the
   * first transaction; it returns undefined to do nothing. Returns whether the work was done.
   * Called while the account is locked.
   */
  async run (
    account: number,
    prepare: () => BegunWork | undefined | Promise<BegunWork | undefined>
  ): Promise<boolean> {
    const { database, accounts } = this.#parts
    const { connection } = database
    let prepared: BegunWork | undefined
    let begun: (BegunWork & { steps?: Steps; number?: number }) | undefined
    const applyToMemory = (): void => {
      begun?.change?.committed()
      begun?.committed?.()
    }
    const begin = async (): Promise<void> => {
      begun = undefined
      prepared = await prepare()
      if (prepared === undefined) return
      const { work, change } = prepared
      if (change !== undefined) await accounts.writeChange(account, change)
      const steps = listSteps(connection, work)
      const isDone = await runForAWhile(steps)
      if (isDone) this.#conclude(work)
      const number = isDone ? undefined : await insertWork(connection, work)
      begun = { ...prepared, steps, number }
    }
    try {
      const options = { lease: leaseOfLock(account), committed: applyToMemory }
      await database.write(undefined, begin, options)
    } catch (error) {
      const isUnknown = error instanceof LedgerUnusableError && error.isLost
      if (this.#isWrongRestore(prepared?.work, error)) throw new SnapshotRowsError(false)
      if (begun?.number === undefined || !isUnknown) throw error
      if (!(await this.#isStored(begun.number))) throw error
      // Only the answer to the commit was lost.
      applyToMemory()
      begun.steps = undefined
    }
    if (begun === undefined) return false
    const isComplete =
      begun.number === undefined ||
      (await this.finishUntilDone(begun.number, begun.work, begun.steps))
    await begun.change?.finished?.()
    if (!isComplete) throw new SnapshotRowsError(true)
    return true
  }

  /** Runs steps in short transactions. Called while the account is locked. */
  async runSteps (lock: number, steps: Steps): Promise<void> {
    // A transaction of its own is never repeated: the steps would go on from a wrong place.
    const options = { committed: () => {}, lease: leaseOfLock(lock) }
    const { database } = this.#parts
    let isDone = false
    while (!isDone) isDone = await database.write(undefined, () => runForAWhile(steps), options)
  }

  /**
   * Finishes the work that a crash has interrupted. An account that another server has locked is
   * left to it.
   */
  async finishAll (): Promise<void> {
    const { sharing } = this.#parts.database
    for (const row of await this.#listWork()) {
      const finish = (): Promise<void> => this.finishOrPostpone(row)
      try {
        await (sharing?.runIfUnlocked(lockNumberOf(row.work), finish) ?? finish())
      } catch (error) {
        // Another server does this work now.
        if (!(error instanceof LeaseLostError)) throw error
      }
    }
  }

  /** Finishes the work of a dead server, whose lock this server has now, and ends the lock. */
  lockAndFinish (lock: number): Promise<void> {
    return this.runLocked(lock, async () => {})
  }

  /**
   * Does stored work, if there is some. Called while the account is locked. The deletion of a
   * hidden copy can wait, for example until a full disk has room: nobody needs it.
   */
  async finishOrPostpone (row: WorkRow | undefined): Promise<void> {
    if (row === undefined) return
    const { number, work } = row
    if (work.kind !== 'deleteCopy') {
      await this.finishUntilDone(number, work)
      return
    }
    try {
      await this.#tryOnce(number, work)
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      this.retryLater(lockNumberOf(work))
    }
  }

  /** Finishes work as soon as it is possible. The account is locked only while it is tried. */
  retryLater (lock: number): void {
    const { database } = this.#parts
    if (this.#later.has(lock)) return
    this.#later.add(lock)
    const tryAgain = (): void => {
      this.#later.delete(lock)
      if (!database.isStopping) this.lockAndFinish(lock).catch(() => this.retryLater(lock))
    }
    setTimeout(tryAgain, retryMs).unref()
  }

  /**
   * Does work until it is done. A full disk delays it; steps that were done do no harm again. Work
   * that is not stored any more was done by another server. A restore with a row that cannot be
   * stored empties the account, and false is returned. Called while the account is locked.
   */
  async finishUntilDone (number: number, work: Work, begun?: Steps): Promise<boolean> {
    const { database } = this.#parts
    let isReported = false
    let current = work
    for (let steps = begun; ; steps = undefined) {
      try {
        await this.#tryOnce(number, current, steps)
        return current === work
      } catch (error) {
        if (database.isStopping || error instanceof LeaseLostError) throw error
        if (this.#isWrongRestore(current, error)) {
          database.faults.reportRestore(error, work.account)
          current = { kind: 'clear', account: work.account, keep: [] }
          continue
        }
        // Faults of the storage are reported elsewhere.
        if (!isReported && !database.faults.isFault(error)) {
          database.faults.reportWork(error, work.account)
          isReported = true
        }
        await sleep(retryMs)
      }
    }
  }

  /** Returns whether a restore fails because of its rows, and not because of the storage. */
  #isWrongRestore (work: Work | undefined, error: unknown): boolean {
    return work?.kind === 'restore' && this.#parts.database.faults.isWrongRow(error)
  }

  async #tryOnce (number: number, work: Work, begun?: Steps): Promise<void> {
    const { database } = this.#parts
    const { connection } = database
    const lock = lockNumberOf(work)
    if (begun === undefined && !(await this.#readStored(number))) return
    await this.runSteps(lock, begun ?? listSteps(connection, work))
    await database.write(
      undefined,
      () => {
        this.#conclude(work)
        deleteWork(connection, number)
      },
      { lease: leaseOfLock(lock) }
    )
  }

  /** Lists the stored work, of all locks or of one. */
  #listWork (lock?: number): Promise<WorkRow[]> {
    const { database } = this.#parts
    return database.write(undefined, async () => {
      const rows = await database.connection
        .prepare<[], { number: number; work: string }>(
          'SELECT number, work FROM unfinished_work ORDER BY number'
        )
        .all()
      return rows
        .map(({ number, work }) => ({ number, work: JSON.parse(work) as Work }))
        .filter(({ work }) => lock === undefined || lockNumberOf(work) === lock)
    })
  }

  /** Returns whether work is stored, as soon as the ledger can be read. */
  async #isStored (number: number): Promise<boolean> {
    const { database } = this.#parts
    for (;;) {
      try {
        return await this.#readStored(number)
      } catch (error) {
        if (database.isStopping) throw error
        await sleep(retryMs)
      }
    }
  }

  #readStored (number: number): Promise<boolean> {
    const { database } = this.#parts
    return database.write(undefined, async () => {
      const row = await database.connection
        .prepare('SELECT 1 FROM unfinished_work WHERE number = ?')
        .get(number)
      return row !== undefined
    })
  }

  /** Ends work. Called inside its last transaction. */
  #conclude ({ account }: Work): void {
    this.#parts.outbox.forgetCounts(account)
  }
}
