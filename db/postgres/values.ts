import type { Field, QueryResult, Value } from './statement-batch.ts'

/** Numbers of the types of columns that are read as numbers: bigint, integer, smallint. */
const integerTypes: readonly number[] = [20, 23, 21]
/** Number of the type bytea. */
const byteaType = 17

/** Returns values as PostgreSQL reads them. */
export function writeValues (values: readonly unknown[]): Value[] {
  return values.map(writeValue)
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

/** How the rows of a statement are returned. */
export type Mode = 'objects' | 'arrays' | 'firstColumn'

/** Returns the rows of a result. */
export function readRows ({ fields, rows }: QueryResult, mode: Mode): unknown[] {
  const readers = fields.map(readerOf)
  return rows.map((row) => {
    if (mode === 'firstColumn') return readers[0](row[0])
    if (mode === 'arrays') return row.map((value, i) => readers[i](value))
    const read: Record<string, unknown> = {}
    for (let i = 0; i < row.length; i++) read[fields[i].name] = readers[i](row[i])
    return read
  })
}

function readerOf ({ type }: Field): (value: Value) => unknown {
  if (integerTypes.includes(type)) return (value) => (value === null ? null : Number(value))
  // PostgreSQL writes bytes as \x and hexadecimal digits.
  if (type === byteaType) {
    return (value) => (value === null ? null : Buffer.from(String(value).slice(2), 'hex'))
  }
  return (value) => value
}
