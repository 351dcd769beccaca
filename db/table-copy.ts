import { createHash } from 'node:crypto'
import type { Connection, Statement } from './connection.ts'

/** Copies of whole tables from one ledger to another, page by page. */

/** Rows of the first page, and most rows of a page. */
const firstRows = 50
const mostRows = 1000
/** Size of a page that the next one should have: statements are rows with whole files. */
const pageBytes = 2 ** 20
/** Rows of one INSERT. A larger number is not faster. */
const insertedRows = 100

/** Rows of a table that were read, and the sum of their content. */
export interface TableContent {
  rows: number
  /** SHA-256 of all values, in the order of the rows. */
  digest: string
}

/** Use of the rows of a page. */
export type UsePage = (rows: readonly unknown[][]) => Promise<void>

/** Returns the columns of a table that are copied. Rows of snapshots get new numbers, in order. */
export function listCopiedColumns (connection: Connection, table: string): string[] {
  return connection.dialect.listColumns(connection, table).filter((name) => name !== 'rowid')
}

/** Returns the number of rows of a table. */
export function countRows (connection: Connection, table: string): number {
  return connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
}

/** Reads a table in the order of its key. Only one page is in memory. */
export async function readTable (
  connection: Connection,
  table: string,
  columns: readonly string[],
  usePage: UsePage
): Promise<TableContent> {
  const hash = createHash('sha256')
  let rows = 0
  for (const page of readPages(connection, table, columns)) {
    for (const row of page) hash.update(JSON.stringify(row.map(writeValue)))
    rows += page.length
    await usePage(page)
  }
  return { rows, digest: hash.digest('hex') }
}

/** Returns the function that adds rows to a table. */
export function prepareInsert (
  connection: Connection,
  table: string,
  columns: readonly string[]
): (rows: readonly unknown[][]) => void {
  const marks = `(${columns.map(() => '?').join(', ')})`
  const statements = new Map<number, Statement>()
  const prepare = (count: number): Statement => {
    const values = Array.from({ length: count }, () => marks).join(', ')
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`
    const statement = statements.get(count) ?? connection.prepare(sql)
    statements.set(count, statement)
    return statement
  }
  // PostgreSQL keeps rows back until a result is needed. A page must not wait in memory.
  const send = connection.prepare('SELECT 1')
  return (rows) => {
    for (let start = 0; start < rows.length; start += insertedRows) {
      const part = rows.slice(start, start + insertedRows)
      prepare(part.length).run(...part.flat())
    }
    send.get()
  }
}

/** Makes the numbers of new rows go on where those of the other ledger ended. */
export function continueNumbers (from: Connection, to: Connection, table: string): void {
  const [key, ...others] = to.dialect.listKeyColumns(to, table)
  const isNumbered = key !== undefined && typeof key.lowest === 'number' && others.length === 0
  if (!isNumbered || key.name === 'rowid') return
  const highest = to.prepare<[], number | null>(`SELECT max(${key.name}) FROM ${table}`).pluck()
  const last = Math.max(from.dialect.readLastNumber(from, table, key.name) ?? 0, highest.get() ?? 0)
  if (last > 0) to.dialect.setLastNumber(to, table, key.name, last)
}

function * readPages (
  connection: Connection,
  table: string,
  columns: readonly string[]
): Generator<unknown[][]> {
  const keys = connection.dialect.listKeyColumns(connection, table).map(({ name }) => name)
  // In SQLite, the rows of snapshots have no other key.
  const key = keys.length === 0 ? 'rowid' : keys.join(', ')
  const prepare = (where: string): Statement<unknown[], unknown[]> =>
    connection
      .prepare<unknown[], unknown[]>(
        `SELECT ${key}, ${columns.join(', ')} FROM ${table} ${where} ORDER BY ${key} LIMIT ?`
      )
      .raw()
  const readFirst = prepare('')
  const readNext = prepare(`WHERE (${key}) > (${key.replace(/[^,]+/g, '?')})`)
  const keyCount = Math.max(1, keys.length)
  let size = firstRows
  let page = readFirst.all(size)
  while (page.length > 0) {
    yield page.map((row) => row.slice(keyCount))
    if (page.length < size) return
    const last = page[page.length - 1].slice(0, keyCount)
    size = chooseSize(page)
    page = readNext.all(...last, size)
  }
}

/** Returns how many rows the next page should have. */
function chooseSize (page: readonly unknown[][]): number {
  let bytes = 1
  for (const value of page.flat()) {
    if (typeof value === 'string' || Buffer.isBuffer(value)) bytes += value.length
  }
  const fitting = Math.floor((pageBytes / bytes) * page.length)
  return Math.max(1, Math.min(fitting, page.length * 2, mostRows))
}

function writeValue (value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('base64') : value
}
