import type { Connection, Statement } from '../connection.ts'
import { PostgresError, type Channel } from './channel.ts'
import { postgresDialect } from './dialect.ts'
import type { Query, QueryResult } from './messages.ts'
import { PostgresStatement } from './statement.ts'

/** Result of a statement that may still wait to be sent. */
export interface PendingResult {
  result?: QueryResult
}

/**
 * Connection to PostgreSQL. A statement whose result nobody has asked for waits in a queue. The
 * queue is sent with the next result that is needed, or with the end of the transaction.
 */
export class PostgresConnection implements Connection {
  readonly dialect = postgresDialect
  inTransaction = false
  readonly #channel: Channel
  /** Names of prepared statements by their text. */
  readonly #names = new Map<string, string>()
  #queue: Query[] = []
  #pending: PendingResult[] = []
  /** True if PostgreSQL knows of the transaction. */
  #isBegun = false

  constructor (channel: Channel) {
    this.#channel = channel
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ): Statement<Parameters, Row> {
    return new PostgresStatement<Parameters, Row>(this, sql)
  }

  exec (sql: string): void {
    this.add({ name: '', text: sql, values: [] })
    this.send()
  }

  /** Returns the name of the prepared statement with this text. */
  nameStatement (text: string): string {
    const name = this.#names.get(text) ?? `momock_${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }

  /** Begins a transaction. PostgreSQL hears of it with the first statement. */
  begin (query: Query): void {
    this.add(query)
    this.inTransaction = true
  }

  /** Commits. A transaction without statements never reaches PostgreSQL. */
  commit (query: Query): void {
    const isEmpty = !this.#isBegun && this.#queue.length === 1
    this.inTransaction = false
    if (isEmpty) return this.#clear()
    this.add(query)
    this.send()
  }

  rollback (query: Query): void {
    this.inTransaction = false
    this.#clear()
    if (!this.#isBegun) return
    this.add(query)
    try {
      this.send()
    } catch (error) {
      // With the connection, the transaction has gone, too.
      if (!(error instanceof PostgresError && error.isLost)) throw error
    }
  }

  /** Adds a statement to the queue. */
  add (query: Query): PendingResult {
    const pending: PendingResult = {}
    this.#queue.push(query)
    this.#pending.push(pending)
    return pending
  }

  /** Returns the result of a statement. Sends the queue if it is still in there. */
  read (pending: PendingResult): QueryResult {
    if (pending.result === undefined) this.send()
    if (pending.result === undefined) throw new Error('the transaction of the statement has ended')
    return pending.result
  }

  /** Sends the queue and waits for its results. */
  send (): void {
    if (this.#queue.length === 0) return
    const [queries, pending] = [this.#queue, this.#pending]
    this.#clear()
    try {
      const results = this.#channel.send({ kind: 'run', queries, continues: this.#isBegun })
      for (const [i, result] of results.entries()) pending[i].result = result
      this.#isBegun = this.inTransaction
    } catch (error) {
      const isLost = error instanceof PostgresError && error.isLost
      if (isLost) this.inTransaction = false
      this.#isBegun = this.inTransaction
      throw error
    }
  }

  #clear (): void {
    this.#queue = []
    this.#pending = []
  }
}
