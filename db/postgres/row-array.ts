import { PostgresError } from './channel.ts'
import type { Field, Value } from './messages.ts'
import type { RowType } from './row-types.ts'
import { bigintType, byteaType, textType } from './type-numbers.ts'

/** Bytes of a length, of a count and of the number of a type. */
const intBytes = 4
/** Most bytes of a number, as an integer or as text. */
const numberBytes = 24
/** Most bytes of a character of a string in UTF-8. */
const characterBytes = 3
const headBytes = 5 * intBytes

/** SQLSTATE of a value that its column cannot have. */
const invalidValue = '22P02'

/** Bytes of the buffer in which arrays are written before they are copied. */
const usualBytes = 65_536
/** Most bytes that the buffer keeps after a large array. */
const mostKeptBytes = 2 ** 20
let buffer = Buffer.allocUnsafeSlow(usualBytes)

/**
 * Writes rows as an array in the binary format of PostgreSQL: an array of the type of the table's
 * rows. Columns without a value are null. PostgreSQL needs 0.6 to 0.7 of the time that it needs to
 * read the same rows as JSON, where each quote in a text has to be escaped.
 */
export function writeRowArray (
  { oid, columns }: RowType,
  names: readonly string[],
  rows: ReadonlyArray<readonly Value[]>
): Uint8Array {
  const places = columns.map(({ name }) => names.indexOf(name))
  // The others are null, so their types do not matter.
  const writers = columns.map((column, i) => (places[i] < 0 ? undefined : writerOf(column)))
  reserve(measureRows(rows, columns.length))
  let at = writeHead(oid, rows.length)
  for (const row of rows) {
    const start = at
    at = buffer.writeInt32BE(columns.length, at + intBytes)
    for (let i = 0; i < columns.length; i++) {
      at = buffer.writeUInt32BE(columns[i].type, at)
      const value = row[places[i]] ?? null
      if (value === null) at = buffer.writeInt32BE(-1, at)
      else {
        const end = writers[i]!(value, at + intBytes)
        buffer.writeInt32BE(end - at - intBytes, at)
        at = end
      }
    }
    buffer.writeInt32BE(at - start - intBytes, start)
  }
  return new Uint8Array(buffer.subarray(0, at))
}

/** Makes room for so many bytes. */
function reserve (bytes: number): void {
  const isTooSmall = buffer.length < bytes
  if (isTooSmall || buffer.length > mostKeptBytes) {
    buffer = Buffer.allocUnsafeSlow(Math.max(bytes, usualBytes))
  }
}

/** Returns the most bytes that rows can take. */
function measureRows (rows: ReadonlyArray<readonly Value[]>, columnCount: number): number {
  const fixed = 2 * intBytes + columnCount * (2 * intBytes + numberBytes)
  let bytes = headBytes + rows.length * fixed
  for (let i = 0; i < rows.length; i++) bytes += characterBytes * countCharacters(rows[i])
  return bytes
}

/** Returns the number of characters of the texts of a row. */
function countCharacters (row: readonly Value[]): number {
  let count = 0
  // An iterator would create an object for each value.
  for (let i = 0; i < row.length; i++) {
    const value = row[i]
    if (typeof value === 'string') count += value.length
  }
  return count
}

/** Writes the head of an array with one dimension, which begins with the place 1. */
function writeHead (oid: number, count: number): number {
  buffer.writeInt32BE(1, 0)
  // Whether elements can be null.
  buffer.writeInt32BE(0, intBytes)
  buffer.writeUInt32BE(oid, 2 * intBytes)
  buffer.writeInt32BE(count, 3 * intBytes)
  return buffer.writeInt32BE(1, 4 * intBytes)
}

/** Writes a value at a place. Returns the place after it. */
type Writer = (value: string | number, at: number) => number

/** Returns the writer of the values of a column. momock's tables have no other types. */
function writerOf (column: Field): Writer {
  const { name, type } = column
  if (type === textType) return (value, at) => at + buffer.write(String(value), at, 'utf8')
  if (type === bigintType) return (value, at) => writeBigint(column, value, at)
  if (type === byteaType) return (value, at) => writeBytes(column, value, at)
  throw new Error(`the column ${name} has the type ${type}, which cannot be written`)
}

function writeBigint (column: Field, value: string | number, at: number): number {
  if (Number.isSafeInteger(value)) {
    // Two halves take less time than a BigInt.
    const number = Number(value)
    buffer.writeInt32BE(Math.floor(number / 2 ** 32), at)
    return buffer.writeUInt32BE(number >>> 0, at + intBytes)
  }
  const number = /^-?\d+$/.test(String(value)) ? BigInt(value) : undefined
  if (number === undefined || BigInt.asIntN(64, number) !== number) throw refuse(column, value)
  return buffer.writeBigInt64BE(number, at)
}

/** Writes bytes, which are given as \x and hexadecimal digits. */
function writeBytes (column: Field, value: string | number, at: number): number {
  const text = String(value)
  // It ends at the first character that is no hexadecimal digit.
  const length = text.startsWith('\\x') ? buffer.write(text.slice(2), at, 'hex') : -1
  if (2 * length !== text.length - 2) throw refuse(column, value)
  return at + length
}

/** Returns the error that PostgreSQL would have for such a value. */
function refuse ({ name }: Field, value: string | number): PostgresError {
  const message = `invalid value for the column ${name}: ${String(value).slice(0, 100)}`
  return new PostgresError({ message, code: invalidValue, isLost: false })
}
