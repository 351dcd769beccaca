import type { Connection, Dialect, FirstRead, Statement, WorkAhead } from '../connection.ts'
import type { BackgroundTransactions } from './background.ts'
import { PostgresError, type Channel } from './channel.ts'
import { postgresDialect, sharedDialect } from './dialect.ts'
import type { Insert } from './insert.ts'
import { tablesChanged, type Query, type QueryResult, type Value } from './messages.ts'
import { createNumberReader, RowNumbers } from './row-numbers.ts'
import { RowTypes } from './row-types.ts'
import { PostgresStatement } from './statement.ts'
import { Transaction } from './transaction.ts'
import {
  endEarly,
  isOptimistic,
  writeQueries,
  type Batch,
  type PendingResult,
  type WaitingStatement
} from './waiting-statements.ts'

/** SQLSTATE of a row that exists already. */
export const uniqueViolation = '23505'
/** Transactions that stay open after one that needed more than its first reads. */
const openAfterRepeat = 100
/** Transactions that are not in the background after one that needed more. */
const foregroundAfterRepeat = 10

/**
 * Connection to PostgreSQL. A statement whose result nobody has asked for waits in a queue. The
 * queue is sent with the next result that is needed, or with the end of the transaction. Rows for
 * the same table are sent as one statement.
 */
export class PostgresConnection implements Connection {
  readonly dialect: Dialect
  background: BackgroundTransactions | undefined
  readonly #channel: Channel
  /** Names of prepared statements by their text. */
  readonly #names = new Map<string, string>()
  readonly #numbers: RowNumbers
  readonly #rowTypes: RowTypes
  #transaction = new Transaction()
  /** Last number of a transaction or of its part. */
  #lastNumber = 0
  /** Number of the next transactions that do not end early. */
  #openCount = 0
  /** Number of the next transactions that are not in the background. */
  #foregroundCount = 0
  /** True if the next transaction must be careful. */
  #mustBeCareful = false

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (channel: Channel, isShared: boolean) {
    this.#channel = channel
    this.#numbers = new RowNumbers(isShared, createNumberReader(this))
    this.#rowTypes = new RowTypes((query) => this.#run([query])[0])
    this.dialect = isShared ? sharedDialect : postgresDialect
  }

  get inTransaction (): boolean {
    return this.#transaction.isOpen
  }

  get transactionNumber (): number {
    return this.#transaction.number
  }

  /** Number of changes in the transaction: what was read before the last one is outdated. */
  get changes (): number {
    return this.#transaction.changes
  }

  /** True if rows that may exist already are inserted one by one: see `isRepeatable`. */
  get isCareful (): boolean {
    return this.#transaction.isCareful
  }

  /** True if the next transaction may need more than its first reads. */
  get needsForeground (): boolean {
    return this.#foregroundCount > 0
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ): Statement<Parameters, Row> {
    return new PostgresStatement<Parameters, Row>(this, sql)
  }

  exec (sql: string): void {
    // It may be the end of a part of the transaction.
    this.#transaction.number = ++this.#lastNumber
    this.add({ kind: 'script', name: '', text: sql, values: [] })
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
    if (!this.#transaction.isInBackground) this.#transaction = new Transaction()
    this.#transaction.isOpen = true
    this.add(query, true)
    this.#beginPart()
  }

  /** Begins a part of a transaction that can be taken back alone. */
  beginPart (query: Query): void {
    this.add(query)
    this.#beginPart()
  }

  #beginPart (): void {
    this.#transaction.number = ++this.#lastNumber
    this.#transaction.isCareful = this.#mustBeCareful
    this.#mustBeCareful = false
  }

  /** Commits. A transaction without statements never reaches PostgreSQL. */
  commit (query: Query): void {
    const transaction = this.#transaction
    transaction.isOpen = false
    if (transaction.isDone) return transaction.clear()
    const { queue, isBegun, changes } = transaction
    if (!isBegun && changes === 0 && queue.length === 2) {
      // A single read needs neither begin nor end.
      queue.shift()
      return this.send()
    }
    if (queue.length === 0 && changes === 0) {
      // The end of a transaction that only read can be sent without a wait.
      transaction.isBegun = false
      return this.#channel.sendOnly({ kind: 'run', queries: [query], continues: true })
    }
    this.addEnd(query)
    this.send()
  }

  /** Adds the end of a transaction to the queue, with what the next ones will need. */
  addEnd (query: Query): void {
    this.#numbers.askForMore()
    this.add(query)
  }

  rollback (query: Query): void {
    const transaction = this.#transaction
    transaction.isOpen = false
    transaction.clear()
    if (!transaction.isBegun) return
    this.add(query)
    try {
      this.send()
    } catch (error) {
      // With the connection, the transaction has gone, too.
      if (!(error instanceof PostgresError && error.isLost)) throw error
    }
  }

  /** Does something in a transaction in the background, without a wait. */
  workIn<T>(transaction: Transaction, work: () => T): T {
    const outside = this.#transaction
    this.#transaction = transaction
    try {
      return work()
    } finally {
      this.#transaction = outside
    }
  }

  /** Adds a statement to the queue. A change of known rows of one table names the table. */
  add (query: Query, isRead = false, table?: string): PendingResult {
    const pending: PendingResult = {}
    this.#enqueue({ query, pending, table }, isRead)
    return pending
  }

  /** Adds a check: if it fails, the transaction does. */
  addCheck (text: string, values: readonly Value[]): void {
    this.add({ kind: 'read', name: this.nameStatement(text), text, values }, true)
  }

  /** Adds a row to the queue. If it cannot be stored, the transaction fails. */
  addRow (insert: Insert, values: readonly Value[]): void {
    this.#enqueue({ insert, values }, false)
  }

  #enqueue (waiting: WaitingStatement, isRead: boolean): void {
    const transaction = this.#transaction
    if (transaction.isOver && transaction.isOpen) this.#repeatOpen()
    if (!isRead) transaction.changes++
    transaction.queue.push(waiting)
  }

  readAhead (work: readonly WorkAhead[]): void {
    const transaction = this.#transaction
    this.#foregroundCount--
    transaction.endsEarly =
      --this.#openCount < 0 &&
      work.every(({ firstRead, isRead }) => firstRead !== undefined && isRead === true)
    const requests = work.reduce((count, piece) => count + (isRequest(piece) ? 1 : 0), 0)
    this.#numbers.prepare(requests, transaction.isInBackground)
    const reads = new Map<PostgresStatement<unknown[], unknown>, FirstRead[]>()
    for (const { firstRead } of work) {
      if (!(firstRead?.statement instanceof PostgresStatement)) continue
      const { statement } = firstRead
      const list = reads.get(statement)
      if (list === undefined) reads.set(statement, [firstRead])
      else list.push(firstRead)
    }
    for (const [statement, list] of reads) {
      if (list.length > 1 || transaction.isInBackground) statement.readAhead(list)
    }
  }

  forgetNumbers (table: string): void {
    this.#numbers.forget(table)
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
    const transaction = this.#transaction
    if (transaction.queue.length === 0) return
    // The server does not wait for a transaction in the background.
    if (transaction.isInBackground) this.#repeatOpen()
    const batch = this.takeBatch(transaction)
    try {
      transaction.settle(batch, this.#run(batch.queries))
    } catch (error) {
      throw this.learn(transaction, batch, error)
    }
  }

  /** Takes the statements that wait, as they are sent. */
  takeBatch (transaction: Transaction): Batch {
    const isEnd = transaction.endsEarly && transaction.isOpen && transaction.changes === 0
    const { queue } = transaction
    transaction.clear()
    try {
      const nameOf = (text: string): string => this.nameStatement(text)
      const batch = writeQueries(queue, nameOf, this.#rowTypes)
      return isEnd ? endEarly(batch, nameOf) : batch
    } catch (error) {
      // PostgreSQL has not heard of the commit, if there was one: the caller must roll back.
      if (transaction.isBegun) transaction.isOpen = true
      if (error instanceof PostgresError && !transaction.isInBackground) {
        transaction.fail(error.isLost)
      }
      throw error
    }
  }

  /** Learns from the error of statements what the next try must do differently. */
  learn (transaction: Transaction, batch: Batch, error: unknown): unknown {
    if (!(error instanceof PostgresError)) return error
    const wasCareful = transaction.isCareful
    transaction.fail(error.isLost, batch.isEnd)
    const isChanged = error.code === tablesChanged
    if (isChanged) this.#rowTypes.forget()
    const isTaken = error.code === uniqueViolation && isOptimistic(batch)
    // If a careful try fails, the next one must be careful, too.
    if (isTaken || (wasCareful && !error.isLost)) this.#mustBeCareful = true
    error.isRepeatable = isTaken || isChanged
    return error
  }

  #run (queries: Query[]): QueryResult[] {
    const { isBegun, isInBackground } = this.#transaction
    return this.#channel.send({ kind: 'run', queries, continues: isBegun && !isInBackground })
  }

  /** Makes the work of a transaction that ended too early run again. */
  #repeatOpen (): never {
    this.#openCount = openAfterRepeat
    this.#foregroundCount = foregroundAfterRepeat
    const error = new PostgresError({ message: 'more was read than expected', isLost: false })
    error.isRepeatable = true
    throw error
  }
}

/** Tells whether work is a request that may store a payment, and not work of the server. */
function isRequest ({ account, lease, isRead }: WorkAhead): boolean {
  return account !== undefined && lease === undefined && isRead !== true
}
