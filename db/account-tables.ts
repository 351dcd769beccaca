import type { AccountTables, LedgerPart } from '../src/domain/account-tables.ts'
import { firstCallbackQueue } from '../src/domain/due-queue.ts'
import type { AccountChange } from '../src/domain/ports.ts'
import type { SqliteAccounts } from './accounts.ts'
import type { Connection, Database } from './database.ts'
import type { SqliteOutbox } from './outbox.ts'

/** Rows of a table that are an account's: which they are, and which part of it they make up. */
interface Holding {
  table: string
  part: LedgerPart
  /**
   * The column that leads to the rows of another table, which say whose they are; left out where
   * they say so themselves.
   */
  by?: { column: string; table: string; key: string }
  /** What else must be true of them. */
  and?: string
  /** A column whose numbers nobody refers to: a copy that is put back gets new ones. */
  renumbered?: string
}

const byPayment = { column: 'payment', table: 'payments', key: 'seq' }
const byWallet = { column: 'wallet', table: 'wallets', key: 'id' }

/**
 * All that the ledger holds of an account. What is found by other rows comes before them, so that
 * it can be deleted in this order and put back in the other. Reset, deletion, snapshots and their
 * restoring are all made from this list.
 */
export const accountTables: readonly Holding[] = [
  { table: 'moves', part: 'payments', by: byPayment },
  { table: 'codes', part: 'payments', by: byPayment },
  { table: 'provider_queue', part: 'payments' },
  { table: 'set_aside', part: 'payments' },
  { table: 'sessions', part: 'payments' },
  { table: 'statements', part: 'payments' },
  { table: 'entries', part: 'payments', by: byPayment, renumbered: 'seq' },
  { table: 'entries', part: 'payments', by: byWallet, and: 'payment IS NULL', renumbered: 'seq' },
  { table: 'wallets', part: 'payments' },
  { table: 'due_queue', part: 'payments', and: `queue < ${firstCallbackQueue}` },
  { table: 'payments', part: 'payments' },
  { table: 'attempts', part: 'callbacks' },
  { table: 'held_callbacks', part: 'callbacks' },
  { table: 'due_queue', part: 'callbacks', and: `queue >= ${firstCallbackQueue}` },
  { table: 'callbacks', part: 'callbacks' },
  { table: 'uses', part: 'scenarios' }
]

/** The condition for the rows of a holding; the account's number stands for the question mark. */
export function countRows ({ by, and }: Holding): string {
  const own =
    by === undefined
      ? 'account = ?'
      : `${by.column} IN (SELECT ${by.key} FROM ${by.table} WHERE account = ?)`
  return and === undefined ? own : `${own} AND ${and}`
}

/** The tables of the list, each once. */
export const accountTableNames: readonly string[] = [
  ...new Set(accountTables.map(({ table }) => table))
]

/** The tables that belong to the server, or that an account is found by. */
export const sharedTableNames: readonly string[] = ['accounts', 'keys', 'snapshots']

/** Keeps kind and identifier of deleted payments in their callbacks. */
const detachCallbacks = `UPDATE callbacks SET payment = NULL,
  gone_kind = (SELECT kind FROM payments WHERE payments.seq = payment),
  gone_id = (SELECT id FROM payments WHERE payments.seq = payment)
  WHERE account = ? AND payment IS NOT NULL`

/** What it takes to do something to an account as a whole. */
export interface AccountTableParts {
  database: Database
  accounts: SqliteAccounts
  outbox: SqliteOutbox
}

/**
 * What the ledger holds of accounts, taken as a whole. Statements are prepared when they are
 * needed: most servers never do.
 */
export class SqliteAccountTables implements AccountTables {
  readonly #parts: AccountTableParts

  constructor (parts: AccountTableParts) {
    this.#parts = parts
  }

  clearAccount (
    account: number,
    keep: readonly LedgerPart[],
    { state, committed }: AccountChange
  ): Promise<void> {
    const { database, accounts, outbox } = this.#parts
    return database.transact(
      () => {
        if (keep.includes('callbacks') && !keep.includes('payments')) {
          database.connection.prepare(detachCallbacks).run(account)
        }
        deleteAccountRows(database.connection, account, keep)
        outbox.forgetCounts(account)
        accounts.writeState(account, state())
      },
      { committed }
    )
  }

  removeAccount (account: number, agreed: () => boolean, committed: () => void): Promise<boolean> {
    const { database, outbox } = this.#parts
    const remove = (): boolean => {
      if (!agreed()) return false
      const { connection } = database
      deleteAccountRows(connection, account)
      for (const table of accountTableNames) {
        connection
          .prepare(
            `DELETE FROM snapshot_${table} ` +
              'WHERE snapshot IN (SELECT id FROM snapshots WHERE account = ?)'
          )
          .run(account)
      }
      connection.prepare('DELETE FROM snapshots WHERE account = ?').run(account)
      connection.prepare('DELETE FROM accounts WHERE id = ?').run(account)
      outbox.forgetCounts(account)
      return true
    }
    return database.transact(remove, {
      committed: (removed) => {
        if (removed) committed()
      }
    })
  }

  countPayments (): Promise<Map<number, number>> {
    return this.#parts.database.transact(
      () =>
        new Map(
          this.#parts.database.connection
            .prepare<[], { account: number; count: number }>(
              'SELECT account, count(*) AS count FROM payments GROUP BY account'
            )
            .all()
            .map(({ account, count }) => [account, count])
        )
    )
  }
}

/**
 * Forgets what the ledger holds of an account, but for the parts that are kept. Called inside a
 * transaction.
 */
export function deleteAccountRows (
  connection: Connection,
  account: number,
  keep: readonly LedgerPart[] = []
): void {
  for (const holding of accountTables) {
    if (keep.includes(holding.part)) continue
    const { table, by, and } = holding
    // Emptied as a whole where nobody else has anything in it: SQLite then need not look at the
    // rows. Who has no payments has no entries either.
    if (and === undefined && isForeignKeyFree(connection, by?.table ?? table, account)) {
      connection.prepare(`DELETE FROM ${table}`).run()
    } else connection.prepare(`DELETE FROM ${table} WHERE ${countRows(holding)}`).run(account)
  }
}

/** Is there nothing in the table that belongs to another account? */
function isForeignKeyFree (connection: Connection, table: string, account: number): boolean {
  return (
    connection
      .prepare(
        `SELECT 1 FROM ${table} WHERE account < ? UNION ALL SELECT 1 FROM ${table} WHERE ` +
          'account > ? LIMIT 1'
      )
      .get(account, account) === undefined
  )
}
