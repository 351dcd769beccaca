import type { Attempt, Delivery } from '../src/ports/ledger.ts'
import type { Database } from './database.ts'

/**
 * So many attempts are kept per account, and a tenth more before the oldest are thrown away at
 * once.
 */
const kept = 10_000
const slack = kept / 10

/**
 * The attempts at delivering callbacks, the last ones of each account. Called inside a transaction.
 */
export class CallbackAttempts {
  readonly #insert
  readonly #of
  readonly #count
  readonly #drop
  /** Number of attempts of each account, as far as it is known. */
  readonly #counts = new Map<number, number>()
  readonly #database: Database
  #replacedRows = 0

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#insert = connection.prepareInsert('attempts', ['ledger', 'callback', 'n', 'attempt'])
    this.#of = connection.prepare<[number, number], { attempt: string }>(
      'SELECT attempt FROM attempts WHERE ledger = ? AND callback = ? ORDER BY n'
    )
    this.#count = connection.prepare<[number], { count: number }>(
      'SELECT count(*) AS count FROM attempts WHERE ledger = ?'
    )
    this.#drop = connection.prepare(`DELETE FROM attempts WHERE ledger = ? AND (callback, n) <
      (SELECT callback, n FROM attempts WHERE ledger = ? ORDER BY callback, n LIMIT 1 OFFSET ?)`)
  }

  async addAttempt (
    { account, seq, attempts: n, body }: Delivery,
    attempt: Attempt
  ): Promise<void> {
    // The body is stored with the callback, unless this attempt sent another one.
    const { body: sent, ...request } = attempt.request
    const ledger = this.#database.ledgerOf(account)
    this.#insert.run(
      ledger,
      seq,
      n,
      JSON.stringify({ ...attempt, request: sent === body ? request : attempt.request })
    )
    // A transaction that was rolled back has added none.
    if (this.#replacedRows !== this.#database.replacedRows) this.#counts.clear()
    this.#replacedRows = this.#database.replacedRows
    const count = (this.#counts.get(account) ?? (await this.#counted(account)) - 1) + 1
    this.#counts.set(account, count)
    if (count < kept + slack) return
    const changes = await this.#drop.change(ledger, ledger, count - kept)
    // Counting would read all of them: with 1.5 KB each, nothing else stays in the page cache.
    this.#counts.set(account, count - changes)
  }

  /**
   * Attempts that are still kept, oldest first. `body` is the body that was sent, unless an attempt
   * has its own.
   */
  async listAttempts (account: number, callback: number, body: string): Promise<Attempt[]> {
    return (await this.#of.all(this.#database.ledgerOf(account), callback)).map(({ attempt }) => {
      const { request, ...rest } = JSON.parse(attempt)
      return { ...rest, request: { body, ...request } }
    })
  }

  /** Forgets the number of attempts of an account. */
  forgetCount (account: number): void {
    this.#counts.delete(account)
  }

  async #counted (account: number): Promise<number> {
    return (await this.#count.get(this.#database.ledgerOf(account)))?.count ?? 0
  }
}
