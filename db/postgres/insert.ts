import type { Insert, InsertOptions } from '../connection.ts'
import type { PostgresConnection } from './connection.ts'
import { numberColumns } from './schema.ts'
import type { Query, Value } from './statement-batch.ts'
import { writeValues } from './values.ts'

/** Most rows of one statement. */
const mostRows = 500

/** Statements that store rows with values for some columns. */
interface Form {
  columns: readonly string[]
  one: Omit<Query, 'values'>
  oneIfNew: Omit<Query, 'values'>
  /** Its only parameter is JSON. */
  many: Omit<Query, 'values'>
}

/**
 * INSERT whose rows wait until they are sent, together with others for the same table. A row that
 * may exist already is sent as if it did not, because that is rare: see `isCareful`.
 */
export class PostgresInsert implements Insert {
  readonly table: string
  readonly #connection: PostgresConnection
  readonly #ifNew: boolean
  readonly #plain: Form
  /** With the number of the row first; the same for a table that needs none. */
  readonly #numbered: Form

  constructor (
    connection: PostgresConnection,
    table: string,
    columns: readonly string[],
    { ifNew = false }: InsertOptions
  ) {
    this.#connection = connection
    this.table = table
    this.#ifNew = ifNew
    const name = (text: string): Omit<Query, 'values'> => ({
      name: connection.nameStatement(text),
      text
    })
    this.#plain = writeForm(table, columns, name)
    const number = numberColumns[table]
    this.#numbered =
      number === undefined ? this.#plain : writeForm(table, [number, ...columns], name)
  }

  run (...values: unknown[]): void {
    const { columns, oneIfNew } = this.#plain
    if (this.#ifNew) {
      this.#connection.addChange({ ...oneIfNew, values: writeValues(values) })
      return
    }
    for (let start = 0; start < values.length; start += columns.length) {
      const row = values.slice(start, start + columns.length)
      this.#connection.addRow({ insert: this, values: writeValues(row) })
    }
  }

  async add (...values: unknown[]): Promise<number | undefined> {
    const connection = this.#connection
    const number = await connection.takeNumber(this.table)
    const row = writeValues([number, ...values])
    if (this.#ifNew && connection.isCareful) {
      const { changes } = await connection.change({ ...this.#numbered.oneIfNew, values: row })
      return changes === 0 ? undefined : number
    }
    connection.addRow({ insert: this, values: row, isOptimistic: this.#ifNew })
    return number
  }

  /** Writes the statements that store rows. They have a number, or all have none. */
  writeRows (rows: ReadonlyArray<readonly Value[]>): Query[] {
    const { columns, one, many } =
      rows[0].length === this.#plain.columns.length ? this.#plain : this.#numbered
    if (rows.length === 1) return [{ ...one, values: rows[0] }]
    const queries: Query[] = []
    for (let start = 0; start < rows.length; start += mostRows) {
      const part = rows.slice(start, start + mostRows).map((row) => writeObject(columns, row))
      queries.push({ ...many, values: [`[${part.join(',')}]`] })
    }
    return queries
  }
}

function writeForm (
  table: string,
  columns: readonly string[],
  name: (text: string) => Omit<Query, 'values'>
): Form {
  const list = columns.join(', ')
  const into = `INSERT INTO ${table} (${list})`
  const one = `${into} VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`
  return {
    columns,
    one: name(one),
    oneIfNew: name(`${one} ON CONFLICT DO NOTHING`),
    many: name(`${into} SELECT ${list} FROM json_populate_recordset(NULL::${table}, $1)`)
  }
}

/** Writes a row as an object in JSON. */
function writeObject (columns: readonly string[], row: readonly Value[]): string {
  let text = '{'
  for (let i = 0; i < columns.length; i++) {
    text += `${i === 0 ? '' : ','}"${columns[i]}":${JSON.stringify(row[i])}`
  }
  return `${text}}`
}
