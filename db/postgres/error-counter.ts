import {
  maxErrorCounts,
  OwnErrorCounter,
  type ErrorCounter,
  type ErrorCounts
} from '../../src/lib/ids.ts'
import type { Database } from '../database.ts'
import { PostgresError } from './channel.ts'

/**
 * Counts of failed requests in the table `error_counts`, so that a request that fails twice has two
 * identifiers, whichever servers get it. While the database cannot be used, a server counts alone.
 */
export class PostgresErrorCounter implements ErrorCounter {
  readonly #database: Database
  readonly #server: number
  readonly #own = new OwnErrorCounter()
  readonly #add
  readonly #forgetOldest
  readonly #read
  readonly #forget
  readonly #insert

  /** `server` is the number of this server. */
  constructor (database: Database, server: number) {
    const { connection } = database
    this.#database = database
    this.#server = server
    this.#add = connection
      .prepare<[string, string], number>(
        `INSERT INTO error_counts (account, request, count, used) VALUES (?, ?, 1, now())
        ON CONFLICT (account, request)
        DO UPDATE SET count = error_counts.count + 1, used = now() RETURNING count`
      )
      .pluck()
    this.#forgetOldest = connection.prepare(
      `DELETE FROM error_counts WHERE account = ? AND request IN (
        SELECT request FROM error_counts WHERE account = ?
        ORDER BY used DESC OFFSET ${maxErrorCounts})`
    )
    this.#read = connection.prepare<[string], { request: string; count: number }>(
      'SELECT request, count FROM error_counts WHERE account = ?'
    )
    this.#forget = connection.prepare('DELETE FROM error_counts WHERE account = ?')
    this.#insert = connection.prepare(
      `INSERT INTO error_counts (account, request, count, used)
      SELECT ?::text, key, value::bigint, now() FROM json_each_text(?::json)`
    )
  }

  add (account: string, request: string): string {
    const count = this.#try(() => this.#add.get(account, request))
    // No other server has these numbers.
    if (count === undefined) return `${this.#server}-${this.#own.add(account, request)}`
    // About every sixteenth new request looks for counts to forget.
    if (count === 1 && request.startsWith('0')) {
      this.#try(() => this.#forgetOldest.run(account, account))
    }
    return String(count)
  }

  read (account: string): ErrorCounts {
    return Object.fromEntries(this.#read.all(account).map(({ request, count }) => [request, count]))
  }

  replace (account: string, counts: ErrorCounts): void {
    this.#own.replace(account, {})
    this.#try(() => {
      this.#forget.run(account)
      if (Object.keys(counts).length > 0) this.#insert.run(account, JSON.stringify(counts))
    })
  }

  /** Does something, or nothing if the database cannot be used: an answer must not fail for it. */
  #try<T>(work: () => T): T | undefined {
    if (this.#database.isClosed || this.#database.faults.current !== undefined) return undefined
    try {
      return work()
    } catch (error) {
      if (error instanceof PostgresError) return undefined
      throw error
    }
  }
}
