import { SnapshotFileError } from '../src/domain/account-tables.ts'
import { isObject } from '../src/lib/json.ts'
import { version } from '../src/lib/package.ts'
import { ledgerVersion } from './ledger-version.ts'
import type { FileRow, NumberRanges } from './snapshot-numbers.ts'

/** Lines of snapshot files. */

/** First line of a file. */
export interface Header {
  momock: 'snapshot'
  /** Version of the program that wrote it. */
  version: string
  /** Version of the ledger: the rows have its columns. */
  ledger: number
  taken: number
  state: Record<string, unknown>
  ranges: NumberRanges
}

/** Writes the first line of a file. */
export function writeHeader (header: Pick<Header, 'taken' | 'state' | 'ranges'>): string {
  const kind = { momock: 'snapshot', version, ledger: ledgerVersion }
  return `${JSON.stringify({ ...kind, ...header })}\n`
}

/** Writes a row. Bytes are written as { base64 }. */
export function writeRow (table: string, { rowid: _, ...row }: FileRow): string {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value
  ])
  return `${JSON.stringify([table, Object.fromEntries(values)])}\n`
}

/** Reads a line after the header: a row, or the number of rows. */
export function readRow (
  line: string,
  number: number
): { rows: number } | { table: string; values: FileRow } {
  const value = parseLine(line, number)
  if (isObject(value) && typeof value.rows === 'number') return { rows: value.rows }
  if (Array.isArray(value) && typeof value[0] === 'string' && isObject(value[1])) {
    return { table: value[0], values: value[1] }
  }
  throw new SnapshotFileError(`line ${number} is no row`)
}

/** Reads a value of a row. */
export function readValue (value: unknown): string | number | null | Buffer {
  if (isObject(value) && typeof value.base64 === 'string') {
    return Buffer.from(value.base64, 'base64')
  }
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new SnapshotFileError('it has a value that no column can hold')
}

/** Reads the first line, or refuses the file with the reason. */
export function readHeader (line: string | undefined): Header {
  const header = line === undefined ? undefined : parseLine(line, 1)
  if (!isHeader(header)) {
    throw new SnapshotFileError('it is no snapshot of momock: the first line must say so')
  }
  if (header.ledger !== ledgerVersion) {
    throw new SnapshotFileError(
      `it was written by momock ${header.version} with version ${header.ledger} of the ledger, ` +
        `but this server (${version}) has version ${ledgerVersion}; export it again with ` +
        'the same version of momock'
    )
  }
  return header
}

function isHeader (value: unknown): value is Header {
  return (
    isObject(value) &&
    value.momock === 'snapshot' &&
    typeof value.ledger === 'number' &&
    typeof value.taken === 'number' &&
    isObject(value.state) &&
    typeof value.state.now === 'number' &&
    isObject(value.ranges) &&
    Object.values(value.ranges).every(isRange)
  )
}

function isRange (value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((number) => Number.isSafeInteger(number) && number > 0) &&
    value[0] <= value[1]
  )
}

function parseLine (line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new SnapshotFileError(`line ${number} is not JSON`)
  }
}

/** Returns the state of an imported account. Its tokens can belong to another account here. */
export function prepareState ({ patched, ...state }: Record<string, unknown>): object {
  const { tokens: _, ...settings } = isObject(patched) ? patched : {}
  return { ...state, patched: settings }
}
