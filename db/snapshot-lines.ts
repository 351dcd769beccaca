import { SnapshotFileError } from '../src/ports/account-tables.ts'
import { isObject } from '../src/lib/json.ts'
import { isTooDeep } from '../src/lib/json-limits.ts'
import { version } from '../src/lib/package.ts'
import { ledgerVersion } from './schema.ts'
import type { CopiedRow } from './copied-numbers.ts'

/** Lines of snapshot files. */

/** Writes the first line of a file. */
export function writeHeader (header: { taken: number; state: object }): string {
  const kind = { momock: 'snapshot', version, ledger: ledgerVersion }
  return `${JSON.stringify({ ...kind, ...header })}\n`
}

/** Writes a row. Bytes are written as { base64 }. */
export function writeRow (table: string, row: CopiedRow): string {
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
): { rows: number } | { table: string; values: CopiedRow } {
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
export function readHeader (line: string | undefined): Record<string, unknown> {
  const header = line === undefined ? undefined : parseLine(line, 1)
  if (!isObject(header) || header.momock !== 'snapshot') {
    throw new SnapshotFileError('it is no snapshot of momock: the first line must say so')
  }
  if (header.ledger !== ledgerVersion) {
    throw new SnapshotFileError(
      `it was written by momock ${show(header.version)} with version ${show(header.ledger)} of ` +
        `the ledger, but this server (${version}) has version ${ledgerVersion}; export it again ` +
        'with the same version of momock'
    )
  }
  return header
}

function show (value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, 40)
    : 'unknown'
}

function parseLine (line: string, number: number): unknown {
  if (isTooDeep(line)) throw new SnapshotFileError(`line ${number} is nested too deeply`)
  try {
    return JSON.parse(line)
  } catch {
    throw new SnapshotFileError(`line ${number} is not JSON`)
  }
}

/**
 * Returns the state of an imported account. Its tokens can belong to another account here, and the
 * settings that it was made with stay those of the account.
 */
export function prepareState ({ patched, made: _, ...state }: Record<string, unknown>): object {
  const { tokens: __, ...settings } = isObject(patched) ? patched : {}
  return { ...state, patched: settings }
}
