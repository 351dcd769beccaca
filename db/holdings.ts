import type { AccountState } from '../src/domain/account.ts'
import type { Holdings, LedgerPart } from '../src/domain/holdings.ts'
import { firstOriginLane } from '../src/domain/ports.ts'
import type { SqliteAccounts } from './accounts.ts'
import type { Connection, Database } from './database.ts'
import type { SqliteOutbox } from './outbox.ts'

/** Rows of a table that are an account's: which they are, and which part of it they make up. */
interface Holding {
  table: string
  part: LedgerPart
  /** The account's number stands for the question mark. */
  where: string
  /** A column whose numbers nobody refers to: a copy that is put back gets new ones. */
  renumbered?: string
}

const itsPayments = 'SELECT seq FROM payments WHERE account = ?'

/**
 * All that the ledger holds of an account. What is found by other rows comes before them, so that it can be deleted in
 * this order and put back in the other. Reset, deletion, snapshots and their restoring are all made from this list.
 */
export const holdings: readonly Holding[] = [
  { table: 'moves', part: 'payments', where: `payment IN (${itsPayments})` },
  { table: 'codes', part: 'payments', where: `payment IN (${itsPayments})` },
  { table: 'queue', part: 'payments', where: 'account = ?' },
  { table: 'sessions', part: 'payments', where: 'account = ?' },
  { table: 'statements', part: 'payments', where: 'account = ?' },
  { table: 'entries', part: 'payments', where: `payment IN (${itsPayments})`, renumbered: 'seq' },
  { table: 'entries', part: 'payments', where: 'payment IS NULL AND wallet IN (SELECT id FROM wallets WHERE account = ?)', renumbered: 'seq' },
  { table: 'wallets', part: 'payments', where: 'account = ?' },
  { table: 'agenda', part: 'payments', where: `account = ? AND lane < ${firstOriginLane}` },
  { table: 'payments', part: 'payments', where: 'account = ?' },
  { table: 'attempts', part: 'callbacks', where: 'account = ?' },
  { table: 'held_callbacks', part: 'callbacks', where: 'account = ?' },
  { table: 'agenda', part: 'callbacks', where: `account = ? AND lane >= ${firstOriginLane}` },
  { table: 'callbacks', part: 'callbacks', where: 'account = ?' },
  { table: 'uses', part: 'scenarios', where: 'account = ?' }
]

/** The tables of the list, each once. */
export const heldTables: readonly string[] = [...new Set(holdings.map(({ table }) => table))]

/** The tables that belong to the server, or that an account is found by. */
export const otherTables: readonly string[] = ['accounts', 'keys', 'snapshots']

/** A callback that is kept remembers the payment that goes. */
const outlive = `UPDATE callbacks SET payment = NULL,
  gone_kind = (SELECT kind FROM payments WHERE payments.seq = payment), gone_id = (SELECT id FROM payments WHERE payments.seq = payment)
  WHERE account = ? AND payment IS NOT NULL`

/** What the ledger holds of accounts, taken as a whole. Statements are prepared when they are needed: most servers never do. */
export class SqliteHoldings implements Holdings {
  readonly #database: Database
  readonly #accounts: SqliteAccounts
  readonly #outbox: SqliteOutbox

  constructor (database: Database, accounts: SqliteAccounts, outbox: SqliteOutbox) {
    this.#database = database
    this.#accounts = accounts
    this.#outbox = outbox
  }

  clear (account: number, keep: readonly LedgerPart[], state: () => AccountState): Promise<void> {
    return this.#database.transact(() => {
      const { connection } = this.#database
      if (keep.includes('callbacks') && !keep.includes('payments')) connection.prepare(outlive).run(account)
      deleteHoldings(connection, account, keep)
      this.#outbox.forget(account)
      this.#accounts.put(account, state())
    })
  }

  remove (account: number, agreed: () => boolean): Promise<boolean> {
    return this.#database.transact(() => {
      if (!agreed()) return false
      const { connection } = this.#database
      deleteHoldings(connection, account)
      for (const table of heldTables) connection.prepare(`DELETE FROM snapshot_${table} WHERE snapshot IN (SELECT id FROM snapshots WHERE account = ?)`).run(account)
      connection.prepare('DELETE FROM snapshots WHERE account = ?').run(account)
      connection.prepare('DELETE FROM accounts WHERE id = ?').run(account)
      this.#outbox.forget(account)
      return true
    })
  }

  counts (): Promise<Map<number, number>> {
    return this.#database.transact(() => new Map(this.#database.connection
      .prepare<[], { account: number, count: number }>('SELECT account, count(*) AS count FROM payments GROUP BY account').all()
      .map(({ account, count }) => [account, count])))
  }
}

/** Forgets what the ledger holds of an account, but for the parts that are kept. Called inside a transaction. */
export function deleteHoldings (connection: Connection, account: number, keep: readonly LedgerPart[] = []): void {
  for (const { table, part, where } of holdings) if (!keep.includes(part)) connection.prepare(`DELETE FROM ${table} WHERE ${where}`).run(account)
}
