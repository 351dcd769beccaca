import { setTimeout as sleep } from 'node:timers/promises'
import {
  SnapshotFileError,
  SnapshotGoneError,
  type Snapshot,
  type Snapshots,
  type SnapshotState
} from '../src/ports/account-tables.ts'
import { AccountMovedError } from '../src/ports/ledger-error.ts'
import type { AccountChange } from '../src/ports/stores.ts'
import type { AccountTableParts } from './account-tables.ts'
import type { SqlAccounts } from './accounts.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { LedgerNumbers } from './ledger-numbers.ts'
import { copyRows } from './ledger-copy.ts'
import { paymentRanges, type Steps } from './ledger-rows.ts'

interface SnapshotRow {
  name: string
  taken: number
  state: string
  payments: number
  ledger: number
}

/** Wait before a lock is asked for again that another connection has. */
const askAgainMs = 25

/** What is stored of a snapshot besides the rows of its ledger. */
export type SnapshotHead = Pick<SnapshotRow, 'name' | 'taken' | 'state'>

/** Columns of a SnapshotRow. */
const columns = 'name, taken, state, payments, ledger'

/** Snapshots: copies of ledgers, which no account points to. */
export class SqlSnapshots implements Snapshots {
  readonly #database: Database
  readonly #accounts: SqlAccounts
  readonly #numbers: LedgerNumbers
  #turn: Promise<unknown> = Promise.resolve()

  constructor ({ database, accounts }: AccountTableParts) {
    this.#database = database
    this.#accounts = accounts
    this.#numbers = new LedgerNumbers(database)
  }

  takeSnapshot (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ): Promise<boolean> {
    const database = this.#database
    const { connection } = database
    // Nothing changes meanwhile: the copy is of one moment.
    return database.hold(account, async () => {
      if (await this.isFull(account, name, limit)) return false
      let text = ''
      const copy = (ledger: number): Steps => {
        text = JSON.stringify(state())
        return copyRows(connection, database.ledgerOf(account), ledger)
      }
      const ledger = await this.#numbers.copy(account, copy)
      return await this.publish(account, { name, taken, state: text }, ledger, limit)
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

  async findSnapshot (account: number, name: string): Promise<Snapshot | undefined> {
    const row = await this.findRow(account, name)
    return row && readSnapshot(row)
  }

  /** Returns what is stored of a snapshot. */
  findRow (account: number, name: string): Promise<SnapshotRow | undefined> {
    return this.#database.read(account, () => find(this.#database.connection, account, name))
  }

  async restoreSnapshot (
    account: number,
    name: string,
    prepare: (state: SnapshotState) => AccountChange
  ): Promise<boolean> {
    const database = this.#database
    const { connection } = database
    return await database.hold(account, async () => {
      const row = await this.findRow(account, name)
      if (row === undefined) return false
      const copy = (ledger: number): Steps => copyRows(connection, row.ledger, ledger)
      const ledger = await this.#numbers.copy(account, copy)
      const change = prepare(JSON.parse(row.state))
      await this.#inTurn(async () => {
        await this.#refuseTakenLinks(account, ledger)
        await this.#point(account, name, row.ledger, ledger, change)
      })
      database.wakeCleaner()
      await change.finished?.()
      return true
    })
  }

  /** Runs one piece of work at a time: no two accounts may get the same links. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#takeLock()).then(work)
    this.#turn = turn.catch(() => {}).then(() => this.#giveLock())
    return turn
  }

  async #takeLock (): Promise<void> {
    while ((await this.#callLock('take')) === 0) await sleep(askAgainMs)
  }

  async #giveLock (): Promise<void> {
    while (!this.#database.isStopping) {
      try {
        await this.#callLock('give')
        return
      } catch {
        // It ends with the connection, but an interruption may be shorter.
        await sleep(askAgainMs)
      }
    }
  }

  /** Returns 0 if the lock was not taken. */
  async #callLock (what: 'take' | 'give'): Promise<number | undefined> {
    const { connection } = this.#database
    const sql = connection.dialect.restoreLock?.[what]
    if (sql === undefined) return undefined
    const call = connection.prepare<[], number>(sql).pluck()
    // What is taken twice would be given back once.
    return await this.#database.write(undefined, () => call.get(), { alone: true })
  }

  /** Refuses a copy with links that lead to another account of the server, and gives it up. */
  async #refuseTakenLinks (account: number, ledger: number): Promise<void> {
    const { connection } = this.#database
    const check = async (sql: string, ...parameters: number[]): Promise<void> => {
      const find = connection.prepare<number[], string>(sql).pluck()
      const taken = await this.#database.read(account, () => find.get(account, ...parameters))
      if (taken === undefined) return
      throw new SnapshotFileError(
        `its links and statements exist in account '${taken}' of this server`
      )
    }
    try {
      const ranges = paymentRanges(connection, ledger)
      for (;;) {
        const { done, value: range } = await this.#database.read(account, () => ranges.next())
        if (done === true) break
        await check(takenCodes, ledger, ...range)
      }
      await check(takenSessions, ledger)
      await check(takenStatements, ledger)
    } catch (error) {
      await this.#numbers.giveUp(account, ledger)
      throw error
    }
  }

  /** Makes the copy of a snapshot the ledger of an account. */
  async #point (
    account: number,
    name: string,
    source: number,
    ledger: number,
    change: AccountChange
  ): Promise<void> {
    const database = this.#database
    const point = async (): Promise<void> => {
      const row = await find(database.connection, account, name)
      // Its rows were deleted while they were copied.
      if (row?.ledger !== source) throw new SnapshotGoneError()
      await this.#accounts.writeChange(account, change)
      if (!(await this.#numbers.complete(ledger))) throw new AccountMovedError()
      this.#numbers.point(account, ledger)
    }
    const committed = (): void => {
      database.setLedger(account, ledger)
      change.committed()
    }
    try {
      await database.write(account, point, { committed })
    } catch (error) {
      await this.#numbers.giveUp(account, ledger)
      throw error
    }
  }

  async deleteSnapshot (account: number, name: string): Promise<boolean> {
    const { connection } = this.#database
    const isDeleted = await this.#database.write(account, async () => {
      const row = await find(connection, account, name)
      if (row === undefined) return false
      this.#drop(account, row)
      return true
    })
    this.#database.wakeCleaner()
    return isDeleted
  }

  #drop (account: number, { name, ledger }: SnapshotRow): void {
    this.#database.connection
      .prepare('DELETE FROM snapshots WHERE account = ? AND name = ?')
      .run(account, name)
    this.#numbers.drop(ledger)
  }

  /** Tells whether an account has as many snapshots with other names as it can have. */
  isFull (account: number, name: string, limit: number): Promise<boolean> {
    const { connection } = this.#database
    return this.#database.read(
      account,
      async () => (await countOthers(connection, account, name)) >= limit
    )
  }

  /**
   * Shows a complete copy under its name, in the place of one with the same name. Returns false if
   * the account has too many meanwhile.
   */
  async publish (
    account: number,
    head: SnapshotHead,
    ledger: number,
    limit: number
  ): Promise<boolean> {
    const { connection } = this.#database
    const payments = await this.#countPayments(ledger)
    const insert = connection.prepareInsert('snapshots', [
      'account',
      'name',
      'taken',
      'state',
      'payments',
      'ledger'
    ])
    const publish = async (): Promise<boolean> => {
      if ((await countOthers(connection, account, head.name)) >= limit) return false
      const replaced = await find(connection, account, head.name)
      if (replaced !== undefined) this.#drop(account, replaced)
      if (!(await this.#numbers.complete(ledger))) throw new AccountMovedError()
      insert.run(account, head.name, head.taken, head.state, payments, ledger)
      return true
    }
    let isPublished = false
    try {
      isPublished = await this.#database.write(account, publish)
    } finally {
      if (!isPublished) await this.#numbers.giveUp(account, ledger)
    }
    this.#database.wakeCleaner()
    return isPublished
  }

  async #countPayments (ledger: number): Promise<number> {
    const { connection } = this.#database
    const count = connection
      .prepare<[number], number>('SELECT count(*) FROM payments WHERE ledger = ?')
      .pluck()
    return Number(await this.#database.read(undefined, () => count.get(ledger)))
  }
}

function find (
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

async function countOthers (
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

function readSnapshot ({ name, taken, state, payments }: SnapshotRow): Snapshot {
  return { name, taken, state: JSON.parse(state), payments }
}

/** Name of another account whose links are those of a ledger. */
const ofOther = 'SELECT name FROM accounts WHERE id <> ? AND ledger IN'
const takenCodes = `${ofOther} (
  SELECT others.ledger FROM payments JOIN codes ON codes.payment = payments.seq
    JOIN codes AS same ON same.code = codes.code
    JOIN payments AS others ON others.seq = same.payment
  WHERE payments.ledger = ? AND payments.seq > ? AND payments.seq <= ?)`
const takenSessions = `${ofOther} (
  SELECT others.ledger FROM sessions JOIN sessions AS others ON others.token = sessions.token
  WHERE sessions.ledger = ?)`
const takenStatements = `${ofOther} (
  SELECT others.ledger FROM statements JOIN statements AS others ON others.id = statements.id
  WHERE statements.ledger = ?)`
