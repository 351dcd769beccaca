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

/** Work on a whole account that may take many transactions. */
export type Work =
  | { kind: 'clear'; account: number; keep: LedgerPart[] }
  | { kind: 'remove'; account: number }
  | { kind: 'restore'; account: number; snapshot: number }
  | { kind: 'deleteCopy'; account: number; snapshot: number }

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

  /** Runs work while the account is locked for all others. */
  async runLocked<T>(account: number, work: () => Promise<T>): Promise<T> {
    const { database } = this.#parts
    return await database.runLocked(
      account,
      () => database.sharing?.runLocked(account, work) ?? work()
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
    const begun = await database.transact(
      () => {
        const prepared = prepare()
        if (prepared === undefined) return undefined
        const { work, change } = prepared
        if (change !== undefined) accounts.writeState(account, change.state)
        const steps = listSteps(connection, work)
        const isDone = runForAWhile(steps)
        if (isDone) this.#conclude(work)
        return { ...prepared, steps, number: isDone ? undefined : insertWork(connection, work) }
      },
      {
        lease: lockOf(account),
        committed: (begun) => {
          begun?.change?.committed()
          begun?.committed?.()
        }
      }
    )
    if (begun === undefined) return false
    if (begun.number !== undefined) {
      await this.finish(begun.number, begun.work, account, begun.steps)
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
   * Finishes the work that a crash has interrupted, of one account or of all. An account that
   * another server has locked is left to it.
   */
  async finishAll (account?: number): Promise<void> {
    const { database } = this.#parts
    const rows = await database.transact(() =>
      database.connection
        .prepare<[], { number: number; work: string }>('SELECT number, work FROM unfinished_work')
        .all()
    )
    for (const { number, work: text } of rows) {
      const work: Work = JSON.parse(text)
      if (account === undefined) await this.#finishUnlessLocked(number, work)
      else if (work.account === Math.abs(account)) {
        await database.runLocked(work.account, () => this.finish(number, work, account))
      }
    }
  }

  async #finishUnlessLocked (number: number, work: Work): Promise<void> {
    const { sharing } = this.#parts.database
    if (sharing === undefined) return await this.finish(number, work)
    try {
      await sharing.runIfUnlocked(work.account, () => this.finish(number, work))
    } catch (error) {
      // Another server does this work now.
      if (!(error instanceof LeaseLostError)) throw error
    }
  }

  /** Does work until it is done. A full disk delays it; steps that were done do no harm again. */
  async finish (
    number: number,
    work: Work,
    lockedAccount = work.account,
    begun?: Steps
  ): Promise<void> {
    const { database } = this.#parts
    let isReported = false
    for (let steps = begun; ; steps = undefined) {
      try {
        await this.runSteps(lockedAccount, steps ?? listSteps(database.connection, work))
        await database.transact(
          () => {
            this.#conclude(work)
            deleteWork(database.connection, number)
          },
          { lease: lockOf(lockedAccount) }
        )
        return
      } catch (error) {
        if (database.isStopping || error instanceof LeaseLostError) throw error
        // Faults of the storage are reported elsewhere.
        if (!isReported && !database.faults.isFault(error)) {
          database.faults.reportWork(error, work.account)
          isReported = true
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  /** Ends work. Called inside its last transaction. */
  #conclude ({ account }: Work): void {
    this.#parts.outbox.forgetCounts(account)
  }
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
