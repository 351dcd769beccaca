import type { Query, Value } from './messages.ts'
import { writeRowArray } from './row-array.ts'
import type { RowTypes } from './row-types.ts'
import { numberColumns } from './schema.ts'

/** INSERT of one row or a few, in a form that can be sent for many rows at once. */
export interface Insert {
  table: string
  /** Column of the row's number, if the table numbers its rows and the INSERT does not. */
  numberColumn: string | undefined
  /** True for an INSERT whose row may exist already, which is rare: it is sent as if it did not. */
  isOptimistic: boolean
  /** Statement for one row; the number of the row is the first parameter. */
  text: string
  /** Statement that stores nothing if the row exists. */
  carefulText: string
  /** Statement for many rows: its only parameter is an array of them. */
  manyText: string
  /** Columns of the parameters. */
  names: string[]
  /** Position of the parameter that rows are ordered by. */
  order: number
}

/** Tables where a row rarely exists already. */
const optimisticTables = ['payments']
/** Columns that rows are ordered by, so that two servers lock them in the same order. */
const orderColumns: Readonly<Record<string, string>> = { payments: 'id' }

/** Most rows of one statement. */
const mostRows = 500

/** Table, columns, values of the first row, more rows, and what is done if a row exists. */
const form = new RegExp(
  String.raw`^INSERT INTO (\w+)\s*\(([^()]*)\)\s*VALUES\s*\(([^()]*)\)((?:, \(\3\))*)` +
    '( ON CONFLICT DO NOTHING)?$'
)

/** Reads an INSERT of rows with the same values; undefined for any other statement. */
export function parseInsert (sql: string): Insert | undefined {
  const [, table, list, values, moreRows, conflict] = form.exec(sql) ?? []
  if (table === undefined) return undefined
  const isOptimistic = optimisticTables.includes(table)
  if (conflict !== undefined && !isOptimistic) return undefined
  const named = splitList(list)
  const isNumbered = Object.hasOwn(numberColumns, table) && !named.includes(numberColumns[table])
  const numberColumn = isNumbered ? numberColumns[table] : undefined
  if (numberColumn !== undefined && moreRows !== '') return undefined
  const first = numberColumn === undefined ? [] : [numberColumn]
  const columns = [...first, ...named]
  const items = [...first.map(() => '?'), ...splitList(values)]
  const names = columns.filter((_, i) => items[i] === '?')
  const into = `INSERT INTO ${table} (${columns.join(', ')})`
  const text = numberParameters(`${into} VALUES (${items.join(', ')})`)
  const selected = items.map((item, i) => (item === '?' ? columns[i] : item)).join(', ')
  return {
    table,
    numberColumn,
    isOptimistic,
    text,
    carefulText: `${text} ON CONFLICT DO NOTHING`,
    manyText: `${into} SELECT ${selected} FROM unnest($1::${table}[])`,
    names,
    order: names.indexOf(orderColumns[table] ?? '')
  }
}

/** Writes the parameters as PostgreSQL wants them: $1 instead of the first question mark. */
export function numberParameters (sql: string): string {
  let count = 0
  return sql.replace(/'[^']*'|\?/g, (part) => (part === '?' ? `$${++count}` : part))
}

function splitList (list: string): string[] {
  return list.split(',').map((item) => item.trim())
}

/** Returns the statements that store rows of an INSERT. */
export function writeInserts (
  { table, text, manyText, names, order }: Insert,
  rows: ReadonlyArray<readonly Value[]>,
  nameOf: (text: string) => string,
  types: RowTypes
): Query[] {
  if (rows.length === 1) return [{ kind: 'change', name: nameOf(text), text, values: rows[0] }]
  const sorted =
    order < 0
      ? rows
      : rows.toSorted((one, other) => (String(one[order]) < String(other[order]) ? -1 : 1))
  const type = types.get(table)
  const name = nameOf(manyText)
  const queries: Query[] = []
  for (let start = 0; start < sorted.length; start += mostRows) {
    const part = sorted.slice(start, start + mostRows)
    const values = [writeRowArray(type, names, part)]
    queries.push({ kind: 'change', name, text: manyText, values })
  }
  return queries
}
