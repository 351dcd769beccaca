import type { Snapshot, Snapshots, SnapshotState } from '../src/domain/account-tables.ts'
import type { AccountChange } from '../src/domain/ports.ts'
import {
  deleteAccountRows,
  accountTableNames,
  accountTables,
  countRows,
  type AccountTableParts
} from './account-tables.ts'

interface SnapshotRow {
  id: number
  name: string
  taken: number
  state: string
  payments: number
}

const columns =
  'id, name, taken, state, (SELECT count(*) FROM snapshot_payments WHERE snapshot = ' +
  'snapshots.id) AS payments'

/** Snapshots: each holding of an account, copied to the table that mirrors its own, and back. */
export class SqliteSnapshots implements Snapshots {
  readonly #parts: AccountTableParts

  constructor (parts: AccountTableParts) {
    this.#parts = parts
  }

  takeSnapshot (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ): Promise<boolean> {
    return this.#parts.database.transact(() => {
      const { connection } = this.#parts.database
      this.#delete(account, name)
      const { count } = connection
        .prepare<[number], { count: number }>(
          'SELECT count(*) AS count FROM snapshots WHERE account = ?'
        )
        .get(account) as { count: number }
      if (count >= limit) return false
      const { lastInsertRowid: id } = connection
        .prepare('INSERT INTO snapshots (account, name, taken, state) VALUES (?, ?, ?, ?)')
        .run(account, name, taken, JSON.stringify(state()))
      for (const holding of accountTables) {
        const fields = this.#fields(holding.table).join(', ')
        connection
          .prepare(
            `INSERT INTO snapshot_${holding.table} (snapshot, ${fields}) SELECT ?, ${fields} ` +
              `FROM ${holding.table} WHERE ${countRows(holding)}`
          )
          .run(id, account)
      }
      return true
    })
  }

  listSnapshots (account: number): Promise<Snapshot[]> {
    return this.#parts.database.transact(() =>
      this.#parts.database.connection
        .prepare<[number], SnapshotRow>(
          `SELECT ${columns} FROM snapshots WHERE account = ? ORDER BY id`
        )
        .all(account)
        .map(readSnapshot)
    )
  }

  findSnapshot (account: number, name: string): Promise<Snapshot | undefined> {
    return this.#parts.database.transact(() => {
      const row = this.#row(account, name)
      return row && readSnapshot(row)
    })
  }

  restoreSnapshot (
    account: number,
    name: string,
    prepare: (state: SnapshotState) => AccountChange
  ): Promise<boolean> {
    let change: AccountChange | undefined
    const restore = (): boolean => {
      const row = this.#row(account, name)
      if (row === undefined) return false
      change = prepare(JSON.parse(row.state))
      deleteAccountRows(this.#parts.database.connection, account)
      for (const table of accountTableNames.toReversed()) this.#restoreRows(table, row.id)
      this.#parts.accounts.writeState(account, change.state())
      // Callbacks that were on their way when the snapshot was taken are sent again.
      this.#parts.outbox.forgetCounts(account)
      this.#parts.outbox.requeueInTransaction(account)
      return true
    }
    return this.#parts.database.transact(restore, { committed: () => change?.committed() })
  }

  #restoreRows (table: string, snapshot: number): void {
    const renumbered = accountTables.find((holding) => holding.table === table)?.renumbered
    const fields = this.#fields(table)
      .filter((field) => field !== renumbered)
      .join(', ')
    this.#parts.database.connection
      .prepare(
        `INSERT INTO ${table} (${fields}) SELECT ${fields} FROM snapshot_${table} ` +
          `WHERE snapshot = ?${renumbered === undefined ? '' : ` ORDER BY ${renumbered}`}`
      )
      .run(snapshot)
  }

  deleteSnapshot (account: number, name: string): Promise<boolean> {
    return this.#parts.database.transact(() => this.#delete(account, name))
  }

  #delete (account: number, name: string): boolean {
    const row = this.#row(account, name)
    if (row === undefined) return false
    for (const table of accountTableNames) {
      this.#parts.database.connection
        .prepare(`DELETE FROM snapshot_${table} WHERE snapshot = ?`)
        .run(row.id)
    }
    this.#parts.database.connection.prepare('DELETE FROM snapshots WHERE id = ?').run(row.id)
    return true
  }

  #row (account: number, name: string): SnapshotRow | undefined {
    return this.#parts.database.connection
      .prepare<[number, string], SnapshotRow>(
        `SELECT ${columns} FROM snapshots WHERE account = ? AND name = ?`
      )
      .get(account, name)
  }

  #fields (table: string): string[] {
    return this.#parts.database.connection
      .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name)
  }
}

function readSnapshot ({ name, taken, state, payments }: SnapshotRow): Snapshot {
  return { name, taken, state: JSON.parse(state), payments }
}
