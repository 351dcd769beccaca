import type { FirstRead, RunResult, Statement } from '../connection.ts'
import type { PostgresConnection } from './connection.ts'
import { numberParameters, parseInsert, type Insert } from './insert.ts'
import type { Field, Query, Value } from './messages.ts'
import { RowsAhead, skipRepeated } from './rows-ahead.ts'
import { readChangedTable, readKind, type StatementKind } from './statement-kind.ts'
import { byteaType, integerTypes } from './type-numbers.ts'
import type { PendingResult } from './waiting-statements.ts'

/** Methods of the connection for the statements that begin or end something. */
const bounds = {
  begin: 'begin',
  beginRead: 'begin',
  beginPart: 'beginPart',
  commit: 'commit',
  rollback: 'rollback'
} as const satisfies Partial<Record<StatementKind, keyof PostgresConnection>>

type Mode = 'objects' | 'arrays' | 'firstColumn'

/** Statement that reads for many parameters of the same types at once. */
interface ReadMany {
  types: string
  name: string
  text: string
}

/** Rows of a statement that may still wait to be sent. */
export interface LaterRows<Row> {
  /** True if the database has answered. */
  readonly areThere: boolean
  read: () => Row[]
}

/** Prepared statement of PostgreSQL. */
export class PostgresStatement<Parameters extends unknown[], Row> implements Statement<
  Parameters,
  Row
> {
  readonly #connection: PostgresConnection
  readonly #insert: Insert | undefined
  readonly #text: string
  readonly #name: string
  readonly #kind: StatementKind
  /** Table of the rows that are changed, if the statement looks at nothing else. */
  readonly #changedTable: string | undefined
  #mode: Mode = 'objects'
  #ahead: RowsAhead | undefined
  #readMany: ReadMany | undefined

  constructor (connection: PostgresConnection, sql: string) {
    this.#connection = connection
    this.#insert = parseInsert(sql.trim())
    this.#text = this.#insert?.carefulText ?? numberParameters(sql.trim())
    this.#name = connection.nameStatement(this.#text)
    this.#kind = readKind(this.#text)
    this.#changedTable = readChangedTable(this.#text)
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
    if (isBound(this.#kind)) {
      this.#connection[bounds[this.#kind]](query)
      return { changes: 0, lastInsertRowid: 0 }
    }
    const pending = this.#connection.add(query, false, this.#changedTable)
    if (!this.#connection.inTransaction || this.#kind === 'endPart') this.#connection.send()
    return new LazyRunResult(this.#connection, pending)
  }

  #insertRow (insert: Insert, parameters: Parameters): RunResult {
    const { table, numberColumn, isOptimistic, names } = insert
    const connection = this.#connection
    if (numberColumn === undefined) {
      const values = writeValues(parameters)
      const count = values.length / names.length
      for (let i = 0; i < count; i++) {
        connection.addRow(insert, values.slice(i * names.length, (i + 1) * names.length))
      }
      if (!connection.inTransaction) connection.send()
      return { changes: count, lastInsertRowid: 0 }
    }
    const number = connection.takeNumber(table, numberColumn)
    const values = writeValues(parameters, 1)
    values[0] = number
    if (isOptimistic && connection.isCareful) {
      const pending = connection.add({ kind: 'change', name: this.#name, text: this.#text, values })
      return new LazyRunResult(connection, pending, number)
    }
    connection.addRow(insert, values)
    if (!connection.inTransaction) connection.send()
    return { changes: 1, lastInsertRowid: number }
  }

  /** Reads for many parameters at once, so that `get` has the rows already. */
  readAhead (reads: readonly FirstRead[]): void {
    const list = skipRepeated(reads.map(({ parameters }) => parameters))
    const { name, text } = this.#prepareReadMany(list[0])
    const values = list[0].map((_, i) => writeArray(list.map((parameters) => parameters[i])))
    const pending = this.#connection.add({ kind: 'read', name, text, values }, true)
    this.#ahead = new RowsAhead(this.#connection, pending, list, reads[0].isStable === true)
  }

  /** Returns the statement that reads for many such parameters. */
  #prepareReadMany (parameters: readonly unknown[]): ReadMany {
    const types = parameters.map(typeOf).join()
    if (this.#readMany?.types !== types) {
      const text = writeReadMany(this.#text, types)
      this.#readMany = { types, name: this.#connection.nameStatement(text), text }
    }
    return this.#readMany
  }

  get (...parameters: Parameters): Row | undefined {
    const ahead = this.#ahead
    const place = ahead?.isCurrent(this.#connection) ? ahead.findPlace(parameters) : undefined
    if (ahead !== undefined && place !== undefined) return this.#readRowAhead(ahead, place)
    return this.#readAll(this.#query(parameters))[0]
  }

  all (...parameters: Parameters): Row[] {
    return this.#readAll(this.#query(parameters))
  }

  #readRowAhead (ahead: RowsAhead, place: number): Row | undefined {
    const { fields, rows } = this.#connection.read(ahead.pending)
    if (ahead.rows === undefined) {
      const read = readRows(fields, rows, this.#mode, 1)
      ahead.rows = []
      // The first column counts from 1.
      for (const [i, row] of read.entries()) ahead.rows[Number(rows[i][0]) - 1] = row
    }
    return ahead.rows[place] as Row | undefined
  }

  /** Adds the statement to the queue. Its rows are read later, as `all` reads them. */
  allLater (...parameters: Parameters): LaterRows<Row> {
    const pending = this.#connection.add(this.#query(parameters), this.#kind === 'read')
    return {
      get areThere () {
        return pending.result !== undefined
      },
      read: () => this.#readRows(pending)
    }
  }

  #readAll (query: Query): Row[] {
    return this.#readRows(this.#connection.add(query, this.#kind === 'read'))
  }

  #readRows (pending: PendingResult): Row[] {
    const { fields, rows } = this.#connection.read(pending)
    return readRows(fields, rows, this.#mode) as Row[]
  }

  #query (parameters: Parameters): Query & { values: Value[] } {
    const values = writeValues(parameters)
    return { kind: this.#kind, name: this.#name, text: this.#text, values }
  }
}

function isBound (kind: StatementKind): kind is keyof typeof bounds {
  return Object.hasOwn(bounds, kind)
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

/**
 * Writes the statement that reads the rows for many parameters at once. Its parameters are arrays.
 * The place of the parameters in the arrays, from 1, comes back with each row. With JSON instead
 * of arrays PostgreSQL needs 1.3 times as long.
 */
function writeReadMany (text: string, types: string): string {
  if (types === '') return `SELECT 1 AS place, found.* FROM (${text}) AS found`
  const arrays = types.split(',').map((type, i) => `$${i + 1}::${type}[]`)
  const columns = arrays.map((_, i) => `"${i}"`)
  const read = text.replace(/\$(\d+)/g, (_, n) => `many."${Number(n) - 1}"`)
  return `SELECT many.place, found.*
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS many (${columns.join(', ')}, place)
    CROSS JOIN LATERAL (${read}) AS found`
}

/** Writes an array as PostgreSQL reads it. */
function writeArray (list: readonly unknown[]): string {
  const items = list.map((item) => {
    const value = writeValue(item)
    return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
  })
  return `{${items.join(',')}}`
}

function typeOf (value: unknown): string {
  if (typeof value === 'number') return 'BIGINT'
  return Buffer.isBuffer(value) ? 'BYTEA' : 'TEXT'
}

/** Returns values as PostgreSQL reads them, after some that are still missing. */
function writeValues (parameters: readonly unknown[], missing = 0): Value[] {
  const values = new Array<Value>(missing + parameters.length)
  for (let i = 0; i < parameters.length; i++) values[missing + i] = writeValue(parameters[i])
  return values
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

/** Reads rows, without their first columns if there are some to skip. */
function readRows (
  fields: readonly Field[],
  rows: readonly Value[][],
  mode: Mode,
  skipped = 0
): unknown[] {
  const readers = fields.map(({ type }) => readerOf(type))
  return rows.map((row) => {
    if (mode === 'firstColumn') return readers[skipped](row[skipped])
    if (mode === 'arrays') return row.slice(skipped).map((value, i) => readers[i + skipped](value))
    const read: Record<string, unknown> = {}
    for (let i = skipped; i < row.length; i++) read[fields[i].name] = readers[i](row[i])
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
