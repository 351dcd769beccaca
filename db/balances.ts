import type { Book, Posting, WalletName } from '../src/domain/money.ts'
import type { FirstRead } from './connection.ts'
import type { Database } from './database.ts'

export interface Wallet {
  id: number
  country: string
  currency: string
  available: number
  reserved: number
}

/** Wallet with the changes that are not written yet. */
interface CollectedWallet {
  wallet: Wallet
  availableChange: number
  reservedChange: number
}

/** Amount that moves between two books of a wallet. It belongs to a payment, or to none. */
interface Transfer extends Pick<Posting, 'from' | 'to' | 'amount'> {
  payment: number | null
  at: number
}

/** The opening balance of a wallet, in hundredths. */
export type OpeningBalance = (account: number, country: string, currency: string) => number

/**
 * Double-entry books: every posting is two entries that sum to zero. Called inside a transaction.
 */
export class Balances {
  readonly #database: Database
  readonly #opening: OpeningBalance
  readonly #find
  readonly #all
  readonly #open
  readonly #change
  readonly #enter
  /** Wallets with the changes that are not written yet, while postings are collected. */
  #collected: Map<string, CollectedWallet> | undefined
  /**
   * Wallets that were read in a transaction. They are read once, where a read costs a round trip.
   */
  readonly #known = new Map<string, Wallet>()
  #transaction: number | undefined

  constructor (database: Database, opening: OpeningBalance) {
    const { connection } = database
    this.#database = database
    this.#opening = opening
    this.#find = connection.prepare<[number, string, string], Wallet>(
      'SELECT id, country, currency, available, reserved FROM wallets WHERE ledger = ? AND ' +
        'country = ? AND currency = ?'
    )
    this.#all = connection.prepare<[number], Wallet>(
      'SELECT id, country, currency, available, reserved FROM wallets WHERE ledger = ?'
    )
    this.#open = connection.prepareInsert('wallets', [
      'ledger',
      'country',
      'currency',
      'available',
      'reserved'
    ])
    this.#change = connection.prepare(
      'UPDATE wallets SET available = available + ?, reserved = reserved + ? WHERE id = ?'
    )
    // Both entries of a posting in one statement.
    this.#enter = connection.prepareInsert(
      'entries',
      ['wallet', 'book', 'payment', 'at', 'amount'],
      { rows: 2 }
    )
  }

  async post (
    account: number,
    payment: number,
    at: number,
    postings: readonly Posting[]
  ): Promise<void> {
    for (const { country, currency, from, to, amount } of postings) {
      const collected = await this.#collect(account, country, currency, at)
      const transfer = { payment, at, from, to, amount }
      if (collected === undefined) {
        this.#transfer(await this.#wallet(account, country, currency, at), transfer)
      } else {
        this.#addEntries(collected.wallet, transfer)
        collected.availableChange += changeOf('available', transfer)
        collected.reservedChange += changeOf('reserved', transfer)
      }
    }
  }

  /**
   * Runs work that posts many times to the same wallets. Each wallet is read once, and written once
   * at the end. Failed work writes nothing: its transaction must be rolled back.
   */
  async collectPostings<T>(work: () => Promise<T>): Promise<T> {
    this.#collected = new Map()
    try {
      const value = await work()
      this.#writeCollected()
      return value
    } finally {
      this.#collected = undefined
    }
  }

  /** Returns a wallet whose changes are collected, or undefined if none are collected. */
  async #collect (
    account: number,
    country: string,
    currency: string,
    at: number
  ): Promise<CollectedWallet | undefined> {
    if (this.#collected === undefined) return undefined
    const key = `${account} ${country} ${currency}`
    let collected = this.#collected.get(key)
    if (collected === undefined) {
      const wallet = await this.#wallet(account, country, currency, at)
      collected = { wallet, availableChange: 0, reservedChange: 0 }
      this.#collected.set(key, collected)
    }
    return collected
  }

  /** Writes the changes that were collected, before anything else reads the wallets. */
  #writeCollected (): void {
    for (const { wallet, availableChange, reservedChange } of this.#collected?.values() ?? []) {
      this.#changeWallet(wallet, availableChange, reservedChange)
    }
    this.#collected?.clear()
  }

  #changeWallet (wallet: Wallet, availableChange: number, reservedChange: number): void {
    this.#change.run(availableChange, reservedChange, wallet.id)
    wallet.available += availableChange
    wallet.reserved += reservedChange
  }

  /** Reads a wallet, or returns it as it was read and changed in this transaction. */
  async #findWallet (
    account: number,
    country: string,
    currency: string
  ): Promise<Wallet | undefined> {
    const { transactionNumber: transaction } = this.#database.connection
    const ledger = this.#database.ledgerOf(account)
    if (transaction === undefined) return await this.#find.get(ledger, country, currency)
    if (transaction !== this.#transaction) this.#known.clear()
    this.#transaction = transaction
    const key = `${account} ${country} ${currency}`
    const wallet = this.#known.get(key) ?? (await this.#find.get(ledger, country, currency))
    if (wallet !== undefined) this.#known.set(key, wallet)
    return wallet
  }

  /** Returns the read that finds a wallet. What changes it later in the transaction is known. */
  describeFind (account: number, { country, currency }: WalletName): FirstRead {
    const ledger = this.#database.ledgerOf(account)
    return { statement: this.#find, parameters: [ledger, country, currency], isStable: true }
  }

  /** Money that is available in a wallet, in hundredths. */
  async readAvailable (account: number, country: string, currency: string): Promise<number> {
    this.#writeCollected()
    const wallet = await this.#findWallet(account, country, currency)
    return wallet?.available ?? this.#opening(account, country, currency)
  }

  /** Money that is available in wallets. */
  async listAvailable (account: number, wallets: readonly WalletName[]): Promise<number[]> {
    const used = await this.used(account)
    return wallets.map(({ country, currency }) => {
      const wallet = used.find((one) => one.country === country && one.currency === currency)
      return wallet?.available ?? this.#opening(account, country, currency)
    })
  }

  /**
   * Changes the available money of a wallet by hand. The change is an entry that belongs to no
   * payment, like the opening balance.
   */
  async adjust (
    account: number,
    { country, currency }: WalletName,
    at: number,
    change: (available: number) => number
  ): Promise<Wallet> {
    this.#writeCollected()
    const wallet = await this.#wallet(account, country, currency, at)
    const added = change(wallet.available) - wallet.available
    const entry = { payment: null, at, amount: Math.abs(added) }
    if (added > 0) this.#transfer(wallet, { ...entry, from: 'world', to: 'available' })
    if (added < 0) this.#transfer(wallet, { ...entry, from: 'available', to: 'world' })
    return { ...wallet }
  }

  /** The wallets of an account that have been used. */
  used (account: number): Promise<Wallet[]> {
    this.#writeCollected()
    return this.#all.all(this.#database.ledgerOf(account))
  }

  /** Creates a wallet when it is first used. Its opening balance is its first entry. */
  async #wallet (
    account: number,
    country: string,
    currency: string,
    at: number
  ): Promise<Wallet> {
    const known = await this.#findWallet(account, country, currency)
    if (known !== undefined) return known
    this.#open.run(this.#database.ledgerOf(account), country, currency, 0, 0)
    const wallet = (await this.#findWallet(account, country, currency)) as Wallet
    const amount = this.#opening(account, country, currency)
    this.#transfer(wallet, { payment: null, at, from: 'world', to: 'available', amount })
    return wallet
  }

  #transfer (wallet: Wallet, transfer: Transfer): void {
    this.#addEntries(wallet, transfer)
    this.#changeWallet(wallet, changeOf('available', transfer), changeOf('reserved', transfer))
  }

  #addEntries ({ id }: Wallet, { payment, at, from, to, amount }: Transfer): void {
    this.#enter.run(id, from, payment, at, -amount, id, to, payment, at, amount)
  }
}

/** Returns how much more a book has after a transfer. */
function changeOf (book: Book, { from, to, amount }: Transfer): number {
  return (to === book ? amount : 0) - (from === book ? amount : 0)
}
