import { kindOfCode } from '../src/domain/kinds.ts'
import type { Entry, WalletEntry, WalletName } from '../src/domain/money.ts'
import type { Wallets } from '../src/domain/ports.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'

interface EntryRow {
  seq: number
  at: number
  amount: number
  kind: number | null
  details: string | null
}

/** What merchants see of their books. */
export class SqliteWallets implements Wallets {
  readonly #database: Database
  readonly #balances: Balances
  readonly #entries
  readonly #ofPayment

  constructor (database: Database, balances: Balances) {
    this.#database = database
    this.#balances = balances
    this.#entries = database.connection.prepare<
      [number, string, string, number, number],
      EntryRow
    >(`
      SELECT entries.seq, at, amount, kind, details
      FROM entries LEFT JOIN payments ON payments.seq = entries.payment
      WHERE wallet = (SELECT id FROM wallets WHERE account = ? AND country = ? AND currency = ?)
        AND book = 'available' AND entries.seq > ?
      ORDER BY entries.seq LIMIT ?`)
    this.#ofPayment = database.connection.prepare<[number], Entry>(`
      SELECT country, currency, at, book, amount
      FROM entries JOIN wallets ON wallets.id = wallet WHERE payment = ? ORDER BY seq`)
  }

  readAvailable (account: number, wallets: readonly WalletName[]): Promise<number[]> {
    return this.#database.transact(() =>
      wallets.map(({ country, currency }) =>
        this.#balances.readAvailable(account, country, currency)
      )
    )
  }

  listEntriesOfPayment (payment: number): Promise<Entry[]> {
    return this.#database.transact(() => this.#ofPayment.all(payment))
  }

  listEntries (
    account: number,
    { country, currency }: WalletName,
    after: number,
    limit: number
  ): Promise<WalletEntry[]> {
    return this.#database.transact(() =>
      this.#entries
        .all(account, country, currency, after, limit)
        .map(({ seq, at, amount, kind, details }) => ({
          seq,
          at,
          amount,
          ...(kind !== null &&
            details !== null && {
            payment: { kind: kindOfCode(kind), details: JSON.parse(details) }
          })
        }))
    )
  }
}
