import {
  SnapshotFileError,
  type Snapshot,
  type Snapshots,
  type SnapshotState
} from '../src/domain/account-tables.ts'
import { LeaseLostError } from '../src/domain/ledger-error.ts'
import type { AccountChange } from '../src/domain/stores.ts'
import { copyRows, type Steps } from './account-rows.ts'
import { AccountWork, type AccountWorkParts, type BegunWork } from './account-work.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { deleteWork, insertWork, leaseOfLock, runForAWhile } from './stored-work.ts'
import type { Work, WorkRow } from './stored-work.ts'

interface SnapshotRow {
  id: number
  name: string
  taken: number
  state: string
  payments: number
}

/** Copy that was begun; with the number of the unfinished work if it is not complete. */
interface BegunCopy {
  snapshot: number
  steps: Steps
  number?: number
  /** Deletion of the copy that it has replaced. */
  replaced?: WorkRow
}

/** Columns of a SnapshotRow. */
const columns = 'id, name, taken, state, payments'

/** Snapshots: copies of all rows of an account, in tables with the same columns. */
export class SqlSnapshots implements Snapshots {
  readonly #database: Database
  readonly #work: AccountWork

  constructor (parts: AccountWorkParts) {
    this.#database = parts.database
    this.#work = new AccountWork(parts)
  }

  takeSnapshot (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ): Promise<boolean> {
    return this.#work.runLocked(account, async () => {
      const begun = await this.#begin(account, name, taken, state, limit)
      if (begun === undefined) return false
      const { number, replaced } = begun
      await this.#work.finishOrPostpone(
        number === undefined ? replaced : await this.#complete(account, name, begun, number)
      )
      return true
    })
  }

  listSnapshots (account: number): Promise<Snapshot[]> {
    return this.#database.read(account, async () => {
      const rows = await this.#database.connection
        .prepare<[number], SnapshotRow>(
          `SELECT ${columns} FROM snapshots WHERE account = ? ORDER BY id`
        )
        .all(account)
      return rows.map(readSnapshot)
    })
  }

  findSnapshot (account: number, name: string): Promise<Snapshot | undefined> {
    return this.#database.read(account, async () => {
      const row = await findRow(this.#database.connection, account, name)
      return row && readSnapshot(row)
    })
  }

  restoreSnapshot (
    account: number,
    name: string,
    prepare: (state: SnapshotState) => AccountChange
  ): Promise<boolean> {
    const begin = async (): Promise<BegunWork | undefined> => {
      const row = await findRow(this.#database.connection, account, name)
      if (row === undefined) return undefined
      const state: SnapshotState = JSON.parse(row.state)
      await refuseTakenLinks(this.#database.connection, account, row.id)
      const change = prepare(state)
      return { work: { kind: 'restore', account, snapshot: row.id }, change }
    }
    return this.#work.runLocked(account, () => this.#work.run(account, begin))
  }

  deleteSnapshot (account: number, name: string): Promise<boolean> {
    return this.#work.runLocked(account, () => this.#delete(account, name))
  }

  #delete (account: number, name: string): Promise<boolean> {
    return this.#work.run(account, async () => {
      const row = await findRow(this.#database.connection, account, name)
      if (row === undefined) return undefined
      this.#database.connection.prepare('DELETE FROM snapshots WHERE id = ?').run(row.id)
      return { work: { kind: 'deleteCopy', account, snapshot: row.id } }
    })
  }

  /**
   * Begins a copy, and completes it if it is small. A larger one is hidden under the negative
   * number of its account until it is complete: the unfinished work is to delete it.
   */
  #begin (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ): Promise<BegunCopy | undefined> {
    const { connection } = this.#database
    const begin = async (): Promise<BegunCopy | undefined> => {
      if ((await countOthers(connection, account, name)) >= limit) return undefined
      const row = [-account, `${name} taken ${taken}`, taken, JSON.stringify(state())]
      const snapshot = await insertSnapshot(connection, row)
      const steps = copyRows(connection, account, snapshot)
      const work: Work = { kind: 'deleteCopy', account, snapshot }
      if (!(await runForAWhile(steps))) {
        return { snapshot, steps, number: await insertWork(connection, work) }
      }
      return { snapshot, steps, replaced: await publishCopy(connection, account, name, snapshot) }
    }
    // With an own transaction, which is never repeated: the steps go on from where they are.
    const options = { committed: () => {}, lease: leaseOfLock(account) }
    return this.#database.write(undefined, begin, options)
  }

  /** Completes a copy. Returns the deletion of the one that it has replaced. */
  async #complete (
    account: number,
    name: string,
    { snapshot, steps }: BegunCopy,
    number: number
  ): Promise<WorkRow | undefined> {
    const { connection } = this.#database
    try {
      await this.#work.runSteps(account, steps)
      return await this.#database.write(
        undefined,
        async () => {
          const replaced = await publishCopy(connection, account, name, snapshot)
          deleteWork(connection, number)
          return replaced
        },
        { lease: leaseOfLock(account) }
      )
    } catch (error) {
      // The disk may be full: the copy is deleted as soon as that is possible.
      this.#work.retryLater(account)
      throw error
    }
  }
}

/** Returns the row of a snapshot, or undefined. Called inside a transaction. */
export function findRow (
  connection: Connection,
  account: number,
  name: string
): Promise<SnapshotRow | undefined> {
  return connection
    .prepare<[number, string], SnapshotRow>(
      `SELECT ${columns} FROM snapshots WHERE account = ? AND name = ?`
    )
    .get(account, name)
}

function readSnapshot ({ name, taken, state, payments }: SnapshotRow): Snapshot {
  return { name, taken, state: JSON.parse(state), payments }
}

/** Counts the snapshots of an account with other names. Called inside a transaction. */
export async function countOthers (
  connection: Connection,
  account: number,
  name: string
): Promise<number> {
  const count = connection
    .prepare<[number, string], number>(
      'SELECT count(*) FROM snapshots WHERE account = ? AND name <> ?'
    )
    .pluck()
  return Number(await count.get(account, name))
}

/** Stores the row of a snapshot: account, name, time and state. Returns its number. */
export async function insertSnapshot (
  connection: Connection,
  row: readonly unknown[]
): Promise<number> {
  const insert = connection.prepareInsert('snapshots', ['account', 'name', 'taken', 'state'])
  return (await insert.add(...row)) as number
}

/**
 * Shows a complete copy under its name. One with the same name is hidden; its deletion is stored,
 * and returned. Called inside a transaction.
 */
export async function publishCopy (
  connection: Connection,
  account: number,
  name: string,
  snapshot: number
): Promise<WorkRow | undefined> {
  const old = (await findRow(connection, account, name))?.id
  let replaced: WorkRow | undefined
  if (old !== undefined) {
    connection
      .prepare('UPDATE snapshots SET account = ?, name = ? WHERE id = ?')
      .run(-account, `${name} replaced ${old}`, old)
    const work: Work = { kind: 'deleteCopy', account, snapshot: old }
    replaced = { number: await insertWork(connection, work), work }
  }
  const changes = await connection
    .prepare(
      'UPDATE snapshots SET account = ?, name = ?, payments = ' +
        '(SELECT count(*) FROM snapshot_payments WHERE snapshot = ?) WHERE id = ?'
    )
    .change(account, name, snapshot, snapshot)
  // A server that has taken over the lock has deleted the copy.
  if (changes === 0) throw new LeaseLostError()
  return replaced
}

/** Refuses a snapshot with links that lead to another account of the server. */
async function refuseTakenLinks (
  connection: Connection,
  account: number,
  snapshot: number
): Promise<void> {
  const taken = await connection
    .prepare<number[], string>(
      `SELECT name FROM accounts WHERE id <> ? AND id IN (
        SELECT payments.account FROM snapshot_codes
          JOIN codes USING (code) JOIN payments ON payments.seq = codes.payment
          WHERE snapshot = ?
        UNION SELECT sessions.account FROM snapshot_sessions
          JOIN sessions USING (token) WHERE snapshot = ?
        UNION SELECT statements.account FROM snapshot_statements
          JOIN statements ON statements.id = snapshot_statements.id WHERE snapshot = ?)`
    )
    .pluck()
    .get(account, snapshot, snapshot, snapshot)
  if (taken === undefined) return
  throw new SnapshotFileError(`its links and statements exist in account '${taken}' of this server`)
}
