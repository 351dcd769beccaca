import type { Book, Posting, WalletName } from '../src/domain/money.ts'
import type { Connection } from './connection.ts'

export interface Wallet {
  id: number
  country: string
  currency: string
  available: number
  reserved: number
}

/** The opening balance of a wallet, in hundredths. */
export type OpeningBalance = (account: number, country: string, currency: string) => number

/**
 * Double-entry books: every posting is two entries that sum to zero. Called inside a transaction.
 */
export class Balances {
  readonly #opening: OpeningBalance
  readonly #find
  readonly #all
  readonly #open
  readonly #change
  readonly #enter

  constructor (connection: Connection, opening: OpeningBalance) {
    this.#opening = opening
    this.#find = connection.prepare<[number, string, string], Wallet>(
      'SELECT id, country, currency, available, reserved FROM wallets WHERE account = ? AND ' +
        'country = ? AND currency = ?'
    )
    this.#all = connection.prepare<[number], Wallet>(
      'SELECT id, country, currency, available, reserved FROM wallets WHERE account = ?'
    )
    this.#open = connection.prepare(
      'INSERT INTO wallets (account, country, currency, available, reserved) VALUES (?, ?, ?, 0, 0)'
    )
    this.#change = connection.prepare(
      'UPDATE wallets SET available = available + ?, reserved = reserved + ? WHERE id = ?'
    )
    this.#enter = connection.prepare(
      'INSERT INTO entries (wallet, book, payment, at, amount) VALUES (?, ?, ?, ?, ?)'
    )
  }

  post (account: number, payment: number, at: number, postings: readonly Posting[]): void {
    for (const { country, currency, from, to, amount } of postings) {
      this.#transfer(this.#wallet(account, country, currency, at).id, payment, at, from, to, amount)
    }
  }

  /** Money that is available in a wallet, in hundredths. */
  readAvailable (account: number, country: string, currency: string): number {
    return (
      this.#find.get(account, country, currency)?.available ??
      this.#opening(account, country, currency)
    )
  }

  /**
   * Changes the available money of a wallet by hand. The change is an entry that belongs to no
   * payment, like the opening balance.
   */
  adjust (
    account: number,
    { country, currency }: WalletName,
    at: number,
    change: (available: number) => number
  ): Wallet {
    const wallet = this.#wallet(account, country, currency, at)
    const added = change(wallet.available) - wallet.available
    if (added > 0) this.#transfer(wallet.id, null, at, 'world', 'available', added)
    if (added < 0) this.#transfer(wallet.id, null, at, 'available', 'world', -added)
    return { ...wallet, available: wallet.available + added }
  }

  /** The wallets of an account that have been used. */
  used (account: number): Wallet[] {
    return this.#all.all(account)
  }

  /** Creates a wallet when it is first used. Its opening balance is its first entry. */
  #wallet (account: number, country: string, currency: string, at: number): Wallet {
    const known = this.#find.get(account, country, currency)
    if (known !== undefined) return known
    this.#open.run(account, country, currency)
    const wallet = this.#find.get(account, country, currency) as Wallet
    const available = this.#opening(account, country, currency)
    this.#transfer(wallet.id, null, at, 'world', 'available', available)
    return { ...wallet, available }
  }

  #transfer (
    wallet: number,
    payment: number | null,
    at: number,
    from: Book,
    to: Book,
    amount: number
  ): void {
    this.#enter.run(wallet, from, payment, at, -amount)
    this.#enter.run(wallet, to, payment, at, amount)
    this.#change.run(
      applyChange('available', from, to, amount),
      applyChange('reserved', from, to, amount),
      wallet
    )
  }
}

function applyChange (book: Book, from: Book, to: Book, amount: number): number {
  return (to === book ? amount : 0) - (from === book ? amount : 0)
}
