import type { RunResult, Statement } from '../connection.ts'
import type { PendingResult, PostgresConnection } from './connection.ts'
import type { Field, Query, QueryResult, Value } from './messages.ts'
import { numberColumns } from './schema.ts'

/** Numbers of types in PostgreSQL. */
const byteaType = 17
const integerTypes = [20, 21, 23]

/** What a statement does to a transaction, by its text. */
const transactionEnds: Readonly<Record<string, 'begin' | 'commit' | 'rollback'>> = {
  BEGIN: 'begin',
  COMMIT: 'commit',
  ROLLBACK: 'rollback'
}

type Mode = 'objects' | 'arrays' | 'firstColumn'

/** Prepared statement of PostgreSQL. */
export class PostgresStatement<Parameters extends unknown[], Row> implements Statement<
  Parameters,
  Row
> {
  readonly #connection: PostgresConnection
  readonly #text: string
  readonly #name: string
  #mode: Mode = 'objects'

  constructor (connection: PostgresConnection, sql: string) {
    this.#connection = connection
    this.#text = returnNumber(numberParameters(sql.trim()))
    this.#name = connection.nameStatement(this.#text)
  }

  pluck (): this {
    this.#mode = 'firstColumn'
    return this
  }

  raw (): this {
    this.#mode = 'arrays'
    return this
  }

  run (...parameters: Parameters): RunResult {
    const query = this.#query(parameters)
    const end = transactionEnds[this.#text]
    if (end !== undefined) {
      this.#connection[end](query)
      return { changes: 0, lastInsertRowid: 0 }
    }
    const pending = this.#connection.add(query)
    if (!this.#connection.inTransaction || this.#text.startsWith('RELEASE')) this.#connection.send()
    return new LazyRunResult(this.#connection, pending)
  }

  get (...parameters: Parameters): Row | undefined {
    return this.all(...parameters)[0]
  }

  all (...parameters: Parameters): Row[] {
    const { fields, rows } = this.#connection.read(this.#connection.add(this.#query(parameters)))
    return readRows(fields, rows, this.#mode) as Row[]
  }

  #query (parameters: Parameters): Query {
    return { name: this.#name, text: this.#text, values: parameters.map(writeValue) }
  }
}

/** Result of a change. It is fetched when it is looked at: most are not. */
class LazyRunResult implements RunResult {
  readonly #connection: PostgresConnection
  readonly #pending: PendingResult

  constructor (connection: PostgresConnection, pending: PendingResult) {
    this.#connection = connection
    this.#pending = pending
  }

  get changes (): number {
    return this.#read().changes
  }

  get lastInsertRowid (): number {
    return Number(this.#read().rows[0]?.[0] ?? 0)
  }

  #read (): QueryResult {
    return this.#connection.read(this.#pending)
  }
}

/** Writes the parameters as PostgreSQL wants them: $1 instead of the first question mark. */
function numberParameters (sql: string): string {
  let count = 0
  return sql.replace(/'[^']*'|\?/g, (part) => (part === '?' ? `$${++count}` : part))
}

/** Makes an INSERT return the number of its row, if the table numbers its rows. */
function returnNumber (sql: string): string {
  const table = /^INSERT INTO (\w+)\s[^]*\bVALUES\b/.exec(sql)?.[1] ?? ''
  return Object.hasOwn(numberColumns, table) ? `${sql} RETURNING ${numberColumns[table]}` : sql
}

/** Returns a value as PostgreSQL reads it. Text cannot contain NUL there. */
function writeValue (value: unknown): Value {
  if (typeof value === 'string') {
    return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  }
  if (typeof value === 'number') return value
  if (value === null || value === undefined) return null
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
}

function readRows (fields: readonly Field[], rows: readonly Value[][], mode: Mode): unknown[] {
  const readers = fields.map(({ type }) => readerOf(type))
  return rows.map((row) => {
    if (mode === 'firstColumn') return readers[0](row[0])
    if (mode === 'arrays') return row.map((value, i) => readers[i](value))
    const read: Record<string, unknown> = {}
    for (let i = 0; i < row.length; i++) read[fields[i].name] = readers[i](row[i])
    return read
  })
}

function readerOf (type: number): (value: Value) => unknown {
  if (integerTypes.includes(type)) return (value) => (value === null ? null : Number(value))
  // PostgreSQL writes bytes as \x and hexadecimal digits.
  if (type === byteaType) {
    return (value) => (value === null ? null : Buffer.from(String(value).slice(2), 'hex'))
  }
  return (value) => value
}
