import type { Connection, Dialect, FirstRead, Statement, WorkAhead } from '../connection.ts'
import { PostgresError, type Channel } from './channel.ts'
import { postgresDialect, sharedDialect } from './dialect.ts'
import type { Insert } from './insert.ts'
import { tablesChanged, type Query, type QueryResult, type Value } from './messages.ts'
import { createNumberReader, RowNumbers } from './row-numbers.ts'
import { RowTypes } from './row-types.ts'
import { PostgresStatement } from './statement.ts'
import {
  isOptimistic,
  writeQueries,
  type PendingResult,
  type WaitingStatement
} from './waiting-statements.ts'

/** SQLSTATE of a row that exists already. */
export const uniqueViolation = '23505'
/** Transactions that stay open after one that ended too early. */
const openAfterRepeat = 100

/**
 * Connection to PostgreSQL. A statement whose result nobody has asked for waits in a queue. The
 * queue is sent with the next result that is needed, or with the end of the transaction. Rows for
 * the same table are sent as one statement.
 */
export class PostgresConnection implements Connection {
  readonly dialect: Dialect
  inTransaction = false
  /** True if rows that may exist already are inserted one by one: see `isRepeatable`. */
  isCareful = false
  /** Number that grows with every change and transaction: what was read before is outdated. */
  state = 0
  transactionNumber = 0
  readonly #channel: Channel
  /** Names of prepared statements by their text. */
  readonly #names = new Map<string, string>()
  readonly #numbers: RowNumbers
  readonly #rowTypes: RowTypes
  #queue: WaitingStatement[] = []
  /** True if PostgreSQL knows of the transaction. */
  #isBegun = false
  /**
   * True if the transaction is expected to need its first reads alone: then its end is sent with
   * them. If it needs more, its work is done again in a transaction that stays open.
   */
  #endsEarly = false
  /** True if PostgreSQL has ended the transaction already. */
  #isOver = false
  /** Number of the next transactions that do not end early. */
  #openCount = 0
  #hasChanged = false
  /** True if the next transaction must be careful. */
  #mustBeCareful = false

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (channel: Channel, isShared: boolean) {
    this.#channel = channel
    this.#numbers = new RowNumbers(isShared, createNumberReader(this))
    this.#rowTypes = new RowTypes((query) => this.#run([query])[0])
    this.dialect = isShared ? sharedDialect : postgresDialect
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ): Statement<Parameters, Row> {
    return new PostgresStatement<Parameters, Row>(this, sql)
  }

  exec (sql: string): void {
    // It may be the end of a part of the transaction.
    this.transactionNumber++
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
    this.#endsEarly = false
    this.#isOver = false
    this.add(query)
    this.transactionNumber++
    this.inTransaction = true
    this.#hasChanged = false
    this.#chooseCare()
  }

  /** Begins a part of a transaction that can be taken back alone. */
  beginPart (query: Query): void {
    this.add(query)
    this.transactionNumber++
    this.#chooseCare()
  }

  /** Commits. A transaction without statements never reaches PostgreSQL. */
  commit (query: Query): void {
    const isEmpty = !this.#isBegun && this.#queue.length === 1
    this.inTransaction = false
    if (isEmpty || this.#isOver) return this.#clear()
    if (!this.#isBegun && !this.#hasChanged && this.#queue.length === 2) {
      // A single read needs neither begin nor end.
      this.#queue.shift()
      return this.send()
    }
    if (this.#queue.length === 0 && !this.#hasChanged) {
      // The end of a transaction that only read can be sent without a wait.
      this.#isBegun = false
      return this.#channel.sendOnly({ kind: 'run', queries: [query], continues: true })
    }
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

  /** Adds a statement to the queue. A change of known rows of one table names the table. */
  add (query: Query, isRead = false, table?: string): PendingResult {
    if (this.#isOver && this.inTransaction) this.#repeatOpen()
    if (!isRead) this.#noteChange()
    const pending: PendingResult = {}
    this.#queue.push({ query, pending, table })
    return pending
  }

  /** Adds a check: if it fails, the transaction does. */
  addCheck (text: string, values: readonly Value[]): void {
    this.add({ name: this.nameStatement(text), text, values }, true)
  }

  /** Adds a row to the queue. If it cannot be stored, the transaction fails. */
  addRow (insert: Insert, values: readonly Value[]): void {
    if (this.#isOver && this.inTransaction) this.#repeatOpen()
    this.#noteChange()
    this.#queue.push({ insert, values })
  }

  readAhead (work: readonly WorkAhead[]): void {
    this.#endsEarly =
      --this.#openCount < 0 &&
      work.every(({ firstRead, isRead }) => firstRead !== undefined && isRead === true)
    this.#numbers.prepare(work.reduce((count, piece) => count + (isRequest(piece) ? 1 : 0), 0))
    const reads = new Map<PostgresStatement<unknown[], unknown>, FirstRead[]>()
    for (const { firstRead } of work) {
      if (!(firstRead?.statement instanceof PostgresStatement)) continue
      const { statement } = firstRead
      const list = reads.get(statement)
      if (list === undefined) reads.set(statement, [firstRead])
      else list.push(firstRead)
    }
    for (const [statement, list] of reads) if (list.length > 1) statement.readAhead(list)
  }

  /** Returns an unused number for a row of a table. */
  takeNumber (table: string, column: string): number {
    return this.#numbers.take(table, column)
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
    const queue = this.#queue
    const endsEarly = this.#endsEarly && this.inTransaction && !this.#hasChanged
    this.#clear()
    let isSent = false
    try {
      const nameOf = (text: string): string => this.nameStatement(text)
      const { queries, pending } = writeQueries(queue, nameOf, this.#rowTypes)
      if (endsEarly) this.#endEarly(queries, pending)
      isSent = true
      const results = this.#run(queries)
      for (const [i, result] of results.entries()) {
        const waiting = pending[i]
        if (waiting !== undefined) waiting.result = result
      }
      this.#isBegun = this.inTransaction && !endsEarly
      this.#isOver = endsEarly
    } catch (error) {
      // PostgreSQL has not heard of the commit, if there was one: the caller must roll back.
      if (!isSent && this.#isBegun) this.inTransaction = true
      if (error instanceof PostgresError) this.#learn(error, queue)
      this.#isBegun = this.inTransaction
      throw error
    }
  }

  /** Learns from an error what the next try must do differently. */
  #learn (error: PostgresError, queue: readonly WaitingStatement[]): void {
    if (error.isLost) this.inTransaction = false
    const isChanged = error.code === tablesChanged
    if (isChanged) this.#rowTypes.forget()
    const isTaken = error.code === uniqueViolation && queue.some(isOptimistic)
    if (isTaken) this.#mustBeCareful = true
    error.isRepeatable = isTaken || isChanged
  }

  #run (queries: Query[]): QueryResult[] {
    return this.#channel.send({ kind: 'run', queries, continues: this.#isBegun })
  }

  /** Adds the end of the transaction. A single statement needs neither begin nor end. */
  #endEarly (queries: Query[], pending: Array<PendingResult | undefined>): void {
    if (queries.length === 2) {
      queries.shift()
      pending.shift()
    } else queries.push({ name: this.nameStatement('COMMIT'), text: 'COMMIT', values: [] })
  }

  /** Makes the work of a transaction that ended too early run again. */
  #repeatOpen (): never {
    this.#openCount = openAfterRepeat
    const error = new PostgresError({ message: 'more was read than expected', isLost: false })
    error.isRepeatable = true
    throw error
  }

  #chooseCare (): void {
    this.isCareful = this.#mustBeCareful
    this.#mustBeCareful = false
  }

  #noteChange (): void {
    this.state++
    this.#hasChanged = true
  }

  #clear (): void {
    this.#queue = []
  }
}

/** Tells whether work is a request that may store a payment, and not work of the server. */
function isRequest ({ account, lease, isRead }: WorkAhead): boolean {
  return account !== undefined && lease === undefined && isRead !== true
}
