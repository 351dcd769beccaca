import type { Statement } from '../connection.ts'
import type { PostgresConnection } from './connection.ts'
import type { Query } from './statement-batch.ts'
import { readRows, writeValues, type Mode } from './values.ts'

/** Rows that were asked for before the work that needs them. */
interface RowsAhead {
  transaction: number
  /** Number of changes at the time of the read. */
  changes: number
  /** True if no other work of the transaction changes the rows that were found. */
  isStable: boolean
  rows: Map<string, Promise<unknown>>
}

/** Prepared statement of PostgreSQL. */
export class PostgresStatement<Parameters extends unknown[], Row> implements Statement<
  Parameters,
  Row
> {
  readonly #connection: PostgresConnection
  readonly #text: string
  readonly #name: string
  /** Table of the rows that are changed, if the statement looks at nothing else. */
  readonly #changedTable: string | undefined
  #mode: Mode = 'objects'
  #ahead: RowsAhead | undefined

  constructor (connection: PostgresConnection, sql: string) {
    this.#connection = connection
    this.#text = numberParameters(sql.trim())
    this.#name = connection.nameStatement(this.#text)
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

  async get (...parameters: Parameters): Promise<Row | undefined> {
    const ahead = this.#ahead
    const { transactionNumber, changes } = this.#connection
    const asked =
      ahead?.transaction === transactionNumber ? ahead.rows.get(keyOf(parameters)) : undefined
    if (ahead !== undefined && asked !== undefined) {
      const row = (await asked) as Row | undefined
      const isCurrent = ahead.changes === changes || (ahead.isStable && row !== undefined)
      if (isCurrent) return row
    }
    return (await this.all(...parameters))[0]
  }

  async all (...parameters: Parameters): Promise<Row[]> {
    const result = await this.#connection.read(this.#query(parameters))
    return readRows(result, this.#mode) as Row[]
  }

  run (...parameters: Parameters): void {
    this.#connection.addChange(this.#query(parameters), this.#changedTable)
  }

  async change (...parameters: Parameters): Promise<number> {
    return (await this.#connection.change(this.#query(parameters))).changes
  }

  /** Reads a row that `get` will be asked for, so that many are read with one round trip. */
  readAhead (parameters: Parameters, isStable: boolean): void {
    const { transactionNumber: transaction, changes } = this.#connection
    if (this.#ahead?.transaction !== transaction) {
      this.#ahead = { transaction, changes, isStable, rows: new Map() }
    }
    const { rows } = this.#ahead
    const key = keyOf(parameters)
    if (rows.has(key)) return
    const row = this.all(...parameters).then(([first]) => first)
    // Maybe nobody asks for it, because the transaction fails before.
    row.catch(() => {})
    rows.set(key, row)
  }

  #query (parameters: Parameters): Query {
    return { name: this.#name, text: this.#text, values: writeValues(parameters) }
  }
}

/** Writes the parameters as PostgreSQL wants them: $1 instead of the first question mark. */
function numberParameters (sql: string): string {
  let count = 0
  return sql.replace(/'[^']*'|\?/g, (part) => (part === '?' ? `$${++count}` : part))
}

/** Returns the table of the rows that a statement changes, if it looks at nothing else. */
function readChangedTable (text: string): string | undefined {
  return /^(?:UPDATE|DELETE FROM|INSERT INTO) (\w+)(?!.*SELECT)/s.exec(text)?.[1]
}

function keyOf (parameters: readonly unknown[]): string {
  return parameters
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join('\n')
}
