import type { LedgerPart } from '../src/domain/account-tables.ts'
import { lockQueue, type Queue } from '../src/domain/due-queue.ts'
import { LeaseLostError } from '../src/domain/ledger-error.ts'
import type { AccountChange } from '../src/domain/stores.ts'
import { stopwatch } from '../src/lib/clock.ts'
import type { SqlAccounts } from './accounts.ts'
import {
  deleteCopy,
  deleteRows,
  requeueCallbacks,
  restoreRows,
  type Steps
} from './account-rows.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import type { SqlOutbox } from './outbox.ts'

/** Longest work in one turn of the event loop, without the commit. */
const turnMs = 10
/** Wait before work that failed is tried again. */
const retryMs = 1000

/**
 * Work on a whole account that may take many transactions. `lock` is the number whose lock it
 * needs, if it is not that of the account.
 */
export type Work =
  | { kind: 'clear'; account: number; keep: LedgerPart[] }
  | { kind: 'remove'; account: number }
  | { kind: 'restore'; account: number; snapshot: number }
  | { kind: 'deleteCopy'; account: number; snapshot: number; lock?: number }

/** Stored work. */
export interface WorkRow {
  number: number
  work: Work
}

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

  constructor (parts: AccountWorkParts) {
    this.#parts = parts
  }

  /**
   * Runs work while the account is locked for all others. What a server has left to do with this
   * lock is done first.
   */
  async runLocked<T>(account: number, work: () => Promise<T>): Promise<T> {
    const { database } = this.#parts
    const workAfterOthers = async (): Promise<T> => {
      for (const row of await this.#listWork(account)) await this.finishRow(row)
      return await work()
    }
    return await database.runLocked(
      account,
      () => database.sharing?.runLocked(account, workAfterOthers, true) ?? workAfterOthers()
    )
  }

  /**
   * Begins work together with a change of the account, and finishes it. `prepare` runs inside the
   * first transaction; it returns undefined to do nothing. Returns whether the work was done.
   * Called while the account is locked.
   */
  async run (account: number, prepare: () => BegunWork | undefined): Promise<boolean> {
    const { database, accounts } = this.#parts
    const { connection } = database
    const note = (begun: BegunWork | undefined): void => {
      begun?.change?.committed()
      begun?.committed?.()
    }
    let begun: (BegunWork & { steps?: Steps; number?: number }) | undefined
    const begin = (): void => {
      begun = undefined
      const prepared = prepare()
      if (prepared === undefined) return
      const { work, change } = prepared
      if (change !== undefined) accounts.writeState(account, change.state)
      const steps = listSteps(connection, work)
      const isDone = runForAWhile(steps)
      if (isDone) this.#conclude(work)
      begun = { ...prepared, steps, number: isDone ? undefined : insertWork(connection, work) }
    }
    try {
      await database.transact(begin, { lease: lockOf(account), committed: () => note(begun) })
    } catch (error) {
      if (begun?.number === undefined || !(await this.#isStored(begun.number, begun.work))) {
        throw error
      }
      // Only the answer to the commit was lost.
      note(begun)
      begun.steps = undefined
    }
    if (begun === undefined) return false
    if (begun.number !== undefined) {
      await this.finish(begun.number, begun.work, begun.steps)
    }
    await begun.change?.finished?.()
    return true
  }

  /** Runs steps in short transactions. The locked account may be the negative number of one. */
  async runSteps (lockedAccount: number, steps: Steps): Promise<void> {
    // A transaction of its own is never repeated: the steps would go on from a wrong place.
    const options = { committed: () => {}, lease: lockOf(lockedAccount) }
    const { database } = this.#parts
    while (!(await database.transact(() => runForAWhile(steps), options)));
  }

  /**
   * Finishes the work that a crash has interrupted. An account that another server has locked is
   * left to it.
   */
  async finishAll (): Promise<void> {
    const { sharing } = this.#parts.database
    for (const { number, work } of await this.#listWork()) {
      const finish = (): Promise<void> => this.finish(number, work)
      try {
        await (sharing?.runIfUnlocked(lockNumberOf(work), finish) ?? finish())
      } catch (error) {
        // Another server does this work now.
        if (!(error instanceof LeaseLostError)) throw error
      }
    }
  }

  /** Finishes the work of a dead server, whose lock this server has now, and ends the lock. */
  finishLocked (account: number): Promise<void> {
    return this.runLocked(account, async () => {})
  }

  /** Does stored work, if there is some. Called while the account is locked. */
  async finishRow (row: WorkRow | undefined): Promise<void> {
    if (row !== undefined) await this.finish(row.number, row.work)
  }

  /**
   * Does work until it is done. A full disk delays it; steps that were done do no harm again. Work
   * that is not stored any more was done by another server. Called while the account is locked.
   */
  async finish (number: number, work: Work, begun?: Steps): Promise<void> {
    const { database } = this.#parts
    const { connection } = database
    const lock = lockNumberOf(work)
    let isReported = false
    for (let steps = begun; ; steps = undefined) {
      try {
        if (steps === undefined && !(await this.#readStored(number, work))) return
        await this.runSteps(lock, steps ?? listSteps(connection, work))
        await database.transact(
          () => {
            this.#conclude(work)
            deleteWork(connection, number)
          },
          { lease: lockOf(lock) }
        )
        return
      } catch (error) {
        if (database.isStopping || error instanceof LeaseLostError) throw error
        // Faults of the storage are reported elsewhere.
        if (!isReported && !database.faults.isFault(error)) {
          database.faults.reportWork(error, work.account)
          isReported = true
        }
        await pause()
      }
    }
  }

  /** Lists the stored work, of all locks or of one. */
  #listWork (lock?: number): Promise<WorkRow[]> {
    const { database } = this.#parts
    return database.transact(() =>
      database.connection
        .prepare<[], { number: number; work: string }>(
          'SELECT number, work FROM unfinished_work ORDER BY number'
        )
        .all()
        .map(({ number, work }) => ({ number, work: JSON.parse(work) as Work }))
        .filter(({ work }) => lock === undefined || lockNumberOf(work) === lock)
    )
  }

  /** Returns whether work is stored, as soon as the ledger can be read. */
  async #isStored (number: number, work: Work): Promise<boolean> {
    const { database } = this.#parts
    for (;;) {
      try {
        return await this.#readStored(number, work)
      } catch (error) {
        if (database.isStopping) throw error
        await pause()
      }
    }
  }

  #readStored (number: number, work: Work): Promise<boolean> {
    const { database } = this.#parts
    return database.transact(
      () =>
        database.connection
          .prepare('SELECT 1 FROM unfinished_work WHERE number = ? AND work = ?')
          .get(number, JSON.stringify(work)) !== undefined
    )
  }

  /** Ends work. Called inside its last transaction. */
  #conclude ({ account }: Work): void {
    this.#parts.outbox.forgetCounts(account)
  }
}

/** Returns the number whose lock work needs. */
function lockNumberOf (work: Work): number {
  return (work.kind === 'deleteCopy' ? work.lock : undefined) ?? work.account
}

function pause (): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, retryMs))
}

/** Returns the lease of the lock of an account, where several servers share the ledger. */
export function lockOf (account: number): Queue {
  return { account, queue: lockQueue }
}

/** Runs steps inside a transaction for a short time. Returns whether they are done. */
export function runForAWhile (steps: Steps): boolean {
  const end = stopwatch() + turnMs
  do if (steps.next().done === true) return true
  while (stopwatch() < end)
  return false
}

/** Stores work that must be finished. Called inside a transaction. Returns its number. */
export function insertWork (connection: Connection, work: Work): number {
  const { lastInsertRowid } = connection
    .prepare('INSERT INTO unfinished_work (work) VALUES (?)')
    .run(JSON.stringify(work))
  return Number(lastInsertRowid)
}

/** Forgets work that is done. Called inside a transaction. */
export function deleteWork (connection: Connection, number: number): void {
  connection.prepare('DELETE FROM unfinished_work WHERE number = ?').run(number)
}

function * listSteps (connection: Connection, work: Work): Steps {
  const { account } = work
  switch (work.kind) {
    case 'clear':
      return yield * deleteRows(connection, account, work.keep)
    case 'remove':
      for (const snapshot of listSnapshotNumbers(connection, account)) {
        yield * deleteCopy(connection, snapshot)
        connection.prepare('DELETE FROM snapshots WHERE id = ?').run(snapshot)
      }
      return yield * deleteRows(connection, account)
    case 'restore':
      yield * deleteRows(connection, account)
      yield * restoreRows(connection, work.snapshot)
      return yield * requeueCallbacks(connection, account)
    case 'deleteCopy':
      yield * deleteCopy(connection, work.snapshot)
      // A copy that was not completed has a hidden row.
      connection.prepare('DELETE FROM snapshots WHERE id = ?').run(work.snapshot)
  }
}

function listSnapshotNumbers (connection: Connection, account: number): number[] {
  return connection
    .prepare<[number], number>('SELECT id FROM snapshots WHERE account = ?')
    .pluck()
    .all(account)
}
