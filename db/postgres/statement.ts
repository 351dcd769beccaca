import type { RunResult, Statement } from '../connection.ts'
import type { PendingResult, PostgresConnection } from './connection.ts'
import { numberParameters, parseInsert, type Insert } from './insert.ts'
import type { Field, Query, Value } from './messages.ts'

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
  readonly #insert: Insert | undefined
  readonly #text: string
  readonly #name: string
  #mode: Mode = 'objects'

  constructor (connection: PostgresConnection, sql: string) {
    this.#connection = connection
    this.#insert = parseInsert(sql.trim())
    this.#text = this.#insert?.carefulText ?? numberParameters(sql.trim())
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
    if (this.#insert !== undefined) return this.#insertRow(this.#insert, parameters)
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

  #insertRow (insert: Insert, parameters: Parameters): RunResult {
    const { table, numberColumn, isOptimistic, names } = insert
    const connection = this.#connection
    const values = parameters.map(writeValue)
    if (numberColumn === undefined) {
      const count = values.length / names.length
      for (let i = 0; i < count; i++) {
        connection.addRow(insert, values.slice(i * names.length, (i + 1) * names.length))
      }
      if (!connection.inTransaction) connection.send()
      return { changes: count, lastInsertRowid: 0 }
    }
    const number = connection.takeNumber(table, numberColumn)
    values.unshift(number)
    if (isOptimistic && connection.isCareful) {
      const pending = connection.add({ name: this.#name, text: this.#text, values })
      return new LazyRunResult(connection, pending, number)
    }
    connection.addRow(insert, values)
    if (!connection.inTransaction) connection.send()
    return { changes: 1, lastInsertRowid: number }
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
  readonly #number: number | undefined

  constructor (connection: PostgresConnection, pending: PendingResult, number?: number) {
    this.#connection = connection
    this.#pending = pending
    this.#number = number
  }

  get lastInsertRowid (): number {
    if (this.#number === undefined) throw new Error('the statement does not number its row')
    return this.#number
  }

  get changes (): number {
    return this.#connection.read(this.#pending).changes
  }
}

/** Returns a value as PostgreSQL reads it. Text cannot contain NUL there. */
function writeValue (value: unknown): Value {
  if (typeof value === 'string') {
    return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value.toWellFormed()
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
