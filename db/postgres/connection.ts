import type {
  Connection,
  Dialect,
  Insert,
  InsertOptions,
  Statement,
  WorkAhead
} from '../connection.ts'
import { postgresDialect } from './dialect.ts'
import { PostgresInsert } from './insert.ts'
import { PostgresError, toPostgresError, uniqueViolation } from './postgres-error.ts'
import { RowNumbers } from './row-numbers.ts'
import { numberColumns } from './schema.ts'
import type { Session } from './session.ts'
import type { Query, QueryResult, Value } from './statement-batch.ts'
import { PostgresStatement } from './statement.ts'

/** Row that waits to be sent. */
interface WaitingRow {
  insert: PostgresInsert
  values: readonly Value[]
  /** True if the row is sent as if it did not exist, which nobody knows. */
  isOptimistic?: boolean
}

/** Statement that waits to be sent. */
interface WaitingStatement {
  query: Query
  /** Who waits for the result. */
  pending?: PromiseWithResolvers<QueryResult>
  /** Table of the rows that it changes, if it looks at nothing else. */
  table?: string
}

/** Statements to send, with those who wait for the results. */
interface Batch {
  queries: Query[]
  pending: Array<PromiseWithResolvers<QueryResult> | undefined>
  isOptimistic: boolean
}

/**
 * Connection to PostgreSQL. A statement whose result nobody has asked for waits in a queue. All
 * that wait are sent together with the next result that is needed, or with the end of the
 * transaction. Results that are asked for at the same time cost one round trip. Rows for the same
 * table are sent as one statement.
 */
export class PostgresConnection implements Connection {
  readonly dialect: Dialect = postgresDialect
  transactionNumber = 0
  /** Number of changes: what was read before the last one is outdated. */
  changes = 0
  /**
   * True if rows that may exist already are inserted one by one, because one of them existed in
   * the try before.
   */
  isCareful = false
  readonly #session: Session
  /** Names of prepared statements by their text. */
  readonly #names = new Map<string, string>()
  readonly #numbers: RowNumbers
  #queue: Array<WaitingRow | WaitingStatement> = []
  /** The last batch that was sent. */
  #sent: Promise<void> = Promise.resolve()
  #willSend = false
  /** Statement that begins the transaction, until it is sent. */
  #begin: string | undefined
  /** True between the begin and the end of a transaction. */
  #isOpen = false
  /** True if PostgreSQL knows of the transaction. */
  #isBegun = false
  /** Session on which the transaction began. */
  #began: object | undefined
  /** Error that has ended the transaction. */
  #failure: PostgresError | undefined
  #mustBeCareful = false

  constructor (session: Session) {
    this.#session = session
    this.#numbers = new RowNumbers((table, count) => this.#takeNumbers(table, count))
  }

  get inTransaction (): boolean {
    return this.#isOpen
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string
  ): Statement<Parameters, Row> {
    return new PostgresStatement<Parameters, Row>(this, sql)
  }

  prepareInsert (table: string, columns: readonly string[], options: InsertOptions = {}): Insert {
    return new PostgresInsert(this, table, columns, options)
  }

  async exec (sql: string): Promise<void> {
    this.changes++
    await this.flush()
    const continues = this.#isBegun
    const script = this.#begin === undefined ? sql : `${this.#begin}; ${sql}`
    this.#isBegun ||= this.#begin !== undefined
    this.#begin = undefined
    const done = this.#sent.then(() => this.#session.runScript(script, continues))
    this.#sent = done.catch((error: unknown) => {
      if (this.#isOpen) this.#failure = toPostgresError(error)
    })
    await done
  }

  /** Returns the name of the prepared statement with this text. */
  nameStatement (text: string): string {
    const name = this.#names.get(text) ?? `momock_${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }

  /**
   * Begins a transaction. PostgreSQL hears of it with the first statement. One that only reads
   * needs none: nobody else writes what this server reads.
   */
  async begin (isRead = false): Promise<void> {
    const session = this.#session.current
    if (this.#queue.length > 0) await this.flush()
    this.#began = session
    this.#isOpen = true
    this.#isBegun = false
    this.#failure = undefined
    this.changes = 0
    this.transactionNumber++
    this.isCareful = this.#mustBeCareful
    this.#mustBeCareful = false
    this.#begin = isRead ? undefined : 'BEGIN'
  }

  async commit (): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.changes > 0) this.#numbers.askForMore()
    if (!this.#isBegun) {
      // A batch is a transaction without being told so.
      this.#begin = undefined
      await this.flush()
    } else if (this.changes === 0 && this.#queue.length === 0) {
      await this.flush()
      // The end of a transaction that only read is sent without a wait.
      this.#sent = this.#sent.then(() => this.#end('COMMIT')).catch(() => {})
    } else {
      this.#queue.push({ query: this.#write('COMMIT') })
      await this.flush()
    }
    this.#isOpen = false
    this.#isBegun = false
  }

  async rollback (): Promise<void> {
    this.#queue = []
    this.#isOpen = false
    await this.#sent
    if (this.#isBegun && this.#failure?.isLost !== true) {
      // With the connection, the transaction has gone, too.
      await this.#end('ROLLBACK').catch(() => {})
    }
    this.#begin = undefined
    this.#isBegun = false
    this.#failure = undefined
  }

  async withSavepoint<T>(work: () => Promise<T>): Promise<T> {
    // A transaction that only reads may have none in PostgreSQL.
    if (!this.#isBegun) this.#begin ??= 'BEGIN'
    await this.#add(this.#write('SAVEPOINT work'))
    try {
      const value = await work()
      this.#queue.push({ query: this.#write('RELEASE work') })
      await this.flush()
      return value
    } catch (error) {
      await this.#sent
      if (this.#failure?.isLost === true) throw error
      this.#failure = undefined
      this.#queue = ['ROLLBACK TO work', 'RELEASE work'].map((text) => ({
        query: this.#write(text)
      }))
      // What was read since the savepoint may be undone.
      this.changes++
      this.transactionNumber++
      throw error
    }
  }

  readAhead (work: readonly WorkAhead[]): void {
    for (const { firstRead } of work) {
      if (!(firstRead?.statement instanceof PostgresStatement)) continue
      const { statement, parameters, isStable = false } = firstRead
      statement.readAhead(parameters, isStable)
    }
  }

  /** Returns an unused number for a row of a table. */
  takeNumber (table: string): Promise<number> {
    return this.#numbers.next(table)
  }

  isAlive (): boolean {
    return this.#session.isAlive
  }

  async #takeNumbers (table: string, count: number): Promise<number[]> {
    // OFFSET lets PostgreSQL look for the sequence once, and not for each number: 3 µs each. One
    // row with all numbers is read faster than one for each.
    const text = `SELECT string_agg(nextval(sequence)::text, ',') FROM (
      SELECT pg_get_serial_sequence('${table}', '${numberColumns[table]}')::regclass AS sequence
      OFFSET 0) AS named CROSS JOIN generate_series(1, $1)`
    const { rows } = await this.read({ name: this.nameStatement(text), text, values: [count] })
    return String(rows[0][0]).split(',').map(Number)
  }

  async reserveNumbers (table: string, count: number): Promise<number[]> {
    // Those that the server has in reserve are smaller.
    this.#numbers.forget(table)
    return await this.#takeNumbers(table, count)
  }

  /** Takes no number any more that is smaller than one of a row of another server. */
  forgetNumbers (): void {
    this.#numbers.forget()
  }

  read (query: Query): Promise<QueryResult> {
    return this.#add(query)
  }

  change (query: Query): Promise<QueryResult> {
    this.changes++
    return this.#add(query)
  }

  /** Adds a change to the queue. If it fails, the transaction does. */
  addChange (query: Query, table?: string): void {
    this.changes++
    this.#queue.push({ query, table })
  }

  /** Adds a row to the queue. If it cannot be stored, the transaction fails. */
  addRow (row: WaitingRow): void {
    this.changes++
    this.#queue.push(row)
  }

  #add (query: Query): Promise<QueryResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const pending = Promise.withResolvers<QueryResult>()
    this.#queue.push({ query, pending })
    this.#sendSoon()
    return pending.promise
  }

  /** Sends the queue, and returns when all that was sent is answered. Throws the first error. */
  async flush (): Promise<void> {
    this.#sendSoon()
    await this.#sent
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Sends the queue after what was sent before: by then it has all that is asked for together. */
  #sendSoon (): void {
    if (this.#willSend) return
    this.#willSend = true
    this.#sent = this.#sent.then(() => this.#send())
  }

  async #send (): Promise<void> {
    this.#willSend = false
    if (this.#queue.length === 0) return
    const continues = this.#isBegun && this.#begin === undefined
    if (this.#begin !== undefined) {
      this.#queue.unshift({ query: this.#write(this.#begin) })
      this.#begin = undefined
      this.#isBegun = true
    }
    const batch = writeBatch(this.#queue)
    this.#queue = []
    try {
      if (this.#failure !== undefined) throw this.#failure
      const results = await this.#session.run(batch.queries, continues, this.#began)
      for (const [i, result] of results.entries()) batch.pending[i]?.resolve(result)
    } catch (thrown) {
      const error = this.#learn(toPostgresError(thrown), batch)
      for (const pending of batch.pending) pending?.reject(error)
    }
  }

  /** Learns from the error of statements what the next try must do differently. */
  #learn (error: PostgresError, { isOptimistic }: Batch): PostgresError {
    if (!this.#isOpen) return error
    this.#failure = error
    error.isRepeatable = error.code === uniqueViolation && isOptimistic
    // If a careful try fails, the next one must be careful, too.
    if (error.isRepeatable || (this.isCareful && !error.isLost)) this.#mustBeCareful = true
    return error
  }

  /** Ends the transaction in PostgreSQL. */
  async #end (text: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.#session.run([this.#write(text)], true)
  }

  #write (text: string): Query {
    return { name: this.nameStatement(text), text, values: [] }
  }
}

/**
 * Writes the statements that wait. The rows for the same table between two other statements become
 * one statement. Nothing looks at them before the next statement, so their order does not matter.
 * Changes of rows in other tables do not look at them, either.
 */
function writeBatch (waiting: ReadonlyArray<WaitingRow | WaitingStatement>): Batch {
  const batch: Batch = { queries: [], pending: [], isOptimistic: false }
  const rows = new Map<PostgresInsert, Array<readonly Value[]>>()
  const endRows = (): void => {
    for (const [insert, values] of rows) batch.queries.push(...insert.writeRows(values))
    rows.clear()
    batch.pending.length = batch.queries.length
  }
  for (const one of waiting) {
    if ('insert' in one) {
      batch.isOptimistic ||= one.isOptimistic === true
      const values = rows.get(one.insert)
      if (values === undefined) rows.set(one.insert, [one.values])
      else values.push(one.values)
      continue
    }
    const { query, pending, table } = one
    if (table === undefined || rows.keys().some((insert) => insert.table === table)) endRows()
    batch.queries.push(query)
    batch.pending.push(pending)
  }
  endRows()
  return batch
}
