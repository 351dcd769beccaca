import type {
  Entry,
  OpeningBalance,
  WalletBalance,
  WalletEntry,
  WalletName
} from '../src/domain/money.ts'
import type { Payment } from '../src/domain/payment.ts'
import type { Wallets } from '../src/ports/stores.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'
import { joinLastMove, lastStep } from './payment-status.ts'
import { paymentColumns, readPayment, type MoveRow, type PaymentRow } from './rows.ts'

interface EntryRow extends PaymentRow, MoveRow {
  entry: number
  entry_at: number
  amount: number
}

/** Entry that belongs to no payment: the opening balance, or a change by hand. */
type LooseEntry = Pick<EntryRow, 'entry' | 'entry_at' | 'amount'> & { seq: null }

/** Books as merchants see them. */
export class SqlWallets implements Wallets {
  readonly #database: Database
  readonly #balances: Balances
  readonly #entries
  readonly #ofPayment
  readonly #openings

  constructor (database: Database, balances: Balances) {
    this.#database = database
    this.#balances = balances
    this.#entries = database.connection.prepare<
      [number, string, string, number, number],
      EntryRow | LooseEntry
    >(`
      SELECT entries.seq AS entry, entries.at AS entry_at, amount,
        payments.${paymentColumns}, moves.at, status, failure, actor, cause, ${lastStep},
        no_callback_reason
      FROM entries ${database.connection.dialect.indexedBy('entries_of_wallet')}
      LEFT JOIN payments ON payments.seq = entries.payment ${joinLastMove}
      WHERE wallet = (SELECT id FROM wallets WHERE ledger = ? AND country = ? AND currency = ?)
        AND book = 'available' AND entries.seq > ?
      ORDER BY entries.seq LIMIT ?`)
    this.#ofPayment = database.connection.prepare<[number], Entry>(`
      SELECT country, currency, at, book, amount
      FROM entries JOIN wallets ON wallets.id = wallet WHERE payment = ? ORDER BY seq`)
    // The first entry of a wallet is its opening balance.
    this.#openings = database.connection.prepare<[number], OpeningBalance>(`
      SELECT country, currency, amount AS opening FROM wallets JOIN entries ON entries.seq = (
        SELECT min(seq) FROM entries
        WHERE wallet = wallets.id AND payment IS NULL AND book = 'available')
      WHERE ledger = ?`)
  }

  readAvailable (account: number, wallets: readonly WalletName[]): Promise<number[]> {
    return this.#database.read(account, () => this.#balances.listAvailable(account, wallets))
  }

  listUsed (account: number): Promise<WalletBalance[]> {
    return this.#database.read(account, () => this.#balances.used(account))
  }

  listOpenings (account: number): Promise<OpeningBalance[]> {
    return this.#database.read(account, () =>
      this.#openings.all(this.#database.ledgerOf(account))
    )
  }

  changeAvailable (
    account: number,
    wallet: WalletName,
    at: () => number,
    change: (available: number) => number
  ): Promise<WalletBalance> {
    return this.#database.write(account, () =>
      this.#balances.adjust(account, wallet, at(), change)
    )
  }

  listEntriesOfPayment (payment: number): Promise<Entry[]> {
    return this.#database.read(undefined, () => this.#ofPayment.all(payment))
  }

  async listEntries (
    account: number,
    { country, currency }: WalletName,
    after: number,
    limit: number
  ): Promise<WalletEntry[]> {
    const rows = await this.#database.read(account, () =>
      this.#entries.all(this.#database.ledgerOf(account), country, currency, after, limit)
    )
    return rows.map((row) => ({
      seq: row.entry,
      at: row.entry_at,
      amount: row.amount,
      // The last move is enough to know the state, if it has the last step.
      ...(row.seq !== null && {
        payment: readPayment(account, row, row.status === null ? [] : [row]) as Payment
      })
    }))
  }
}
