import type { Value } from './messages.ts'
import type { RowType } from './row-types.ts'

/** Numbers of types in PostgreSQL. */
const [byteaType, bigintType, textType] = [17, 20, 25]
/** Bytes of a length, of a number of a type and of a count. */
const intBytes = 4
const bigintBytes = 8
/** Most bytes of a character of a string in UTF-8. */
const characterBytes = 3
const headBytes = 5 * intBytes

/** Buffer in which arrays are written before they are copied. */
let buffer = Buffer.allocUnsafeSlow(65_536)

/**
 * Writes rows as an array in the binary format of PostgreSQL: an array of the type of the table's
 * rows. Columns without a value are null. PostgreSQL needs 0.6 to 0.7 of the time that it needs to
 * read the same rows as JSON, where each quote in a text has to be escaped.
 */
export function writeRowArray (
  { number, columns }: RowType,
  names: readonly string[],
  rows: ReadonlyArray<readonly Value[]>
): Uint8Array {
  const places = columns.map(({ name }) => names.indexOf(name))
  const writers = columns.map(({ type }) => writerOf(type))
  reserve(measureRows(rows, columns.length))
  let at = writeInts(0, [1, 0, number, rows.length, 1])
  for (const row of rows) {
    const start = at
    at = writeInts(at + intBytes, [columns.length])
    for (let i = 0; i < columns.length; i++) {
      at = buffer.writeInt32BE(columns[i].type, at)
      const value = row[places[i]] ?? null
      if (value === null) at = buffer.writeInt32BE(-1, at)
      else {
        const end = writers[i](value, at + intBytes)
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
  if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(2 * bytes)
}

/** Returns the most bytes that rows can take. */
function measureRows (rows: ReadonlyArray<readonly Value[]>, columnCount: number): number {
  const fixed = 2 * intBytes + columnCount * (2 * intBytes + bigintBytes)
  let bytes = headBytes + rows.length * fixed
  for (const row of rows) {
    for (const value of row) if (typeof value === 'string') bytes += characterBytes * value.length
  }
  return bytes
}

function writeInts (at: number, ints: readonly number[]): number {
  for (const int of ints) at = buffer.writeInt32BE(int, at)
  return at
}

/** Writes a value at a place. Returns the place after it. */
type Writer = (value: string | number, at: number) => number

/** Returns the writer of the values of a type. The tables have no other types. */
function writerOf (type: number): Writer {
  if (type === bigintType) return writeBigint
  if (type === textType) return (value, at) => at + buffer.write(String(value), at, 'utf8')
  // Bytes are written as \x and hexadecimal digits.
  if (type === byteaType) return (value, at) => at + buffer.write(String(value).slice(2), at, 'hex')
  throw new Error(`the type ${type} of PostgreSQL cannot be written`)
}

function writeBigint (value: string | number, at: number): number {
  if (!Number.isSafeInteger(value)) return buffer.writeBigInt64BE(BigInt(value), at)
  // Two halves take less time than a BigInt.
  const number = Number(value)
  buffer.writeInt32BE(Math.floor(number / 2 ** 32), at)
  return buffer.writeUInt32BE(number >>> 0, at + intBytes)
}
