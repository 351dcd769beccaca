import { SnapshotFileError } from '../src/domain/account-tables.ts'
import {
  firstCallbackQueue,
  linkQueue,
  paymentQueue,
  statementQueue
} from '../src/domain/due-queue.ts'
import type { Connection } from './connection.ts'

/**
 * Numbers of rows in snapshot files. Other accounts of a ledger have rows with the same numbers, so
 * an imported snapshot gets new ones, in the same order.
 */

/** Column of each table whose numbers other rows refer to. */
const keyColumns = {
  payments: 'seq',
  wallets: 'id',
  callbacks: 'seq',
  statements: 'seq',
  sessions: 'seq'
} as const

type NumberedTable = keyof typeof keyColumns

export const numberedTables = Object.keys(keyColumns) as NumberedTable[]

/** Columns that refer to rows of another table. */
const references: Record<string, Record<string, NumberedTable>> = {
  payments: { seq: 'payments', parent: 'payments' },
  moves: { payment: 'payments' },
  codes: { payment: 'payments' },
  entries: { payment: 'payments', wallet: 'wallets' },
  provider_queue: { payment: 'payments' },
  set_aside: { payment: 'payments' },
  wallets: { id: 'wallets' },
  callbacks: { seq: 'callbacks', payment: 'payments' },
  held_callbacks: { callback: 'callbacks' },
  attempts: { callback: 'callbacks' },
  statements: { seq: 'statements' },
  sessions: { seq: 'sessions' }
}

/** First and last number of the rows of each table in a snapshot. */
export type NumberRanges = Partial<Record<NumberedTable, [first: number, last: number]>>

/** A row of a file: values by column. */
export type FileRow = Record<string, unknown>

/** Rows whose numbers are read in one step. */
const pageSize = 5000

/** Range of the numbers of some rows, and the last of these rows. */
interface Page {
  first: number | null
  last: number
  rowid: number
}

/**
 * Reads the ranges of numbers of a snapshot, in short steps. Its rows can be in any order.
 * `transact` runs work inside a transaction.
 */
export async function readRanges (
  connection: Connection,
  snapshot: number,
  transact: <T>(work: () => T) => Promise<T>
): Promise<NumberRanges> {
  const ranges: NumberRanges = {}
  for (const table of numberedTables) {
    const key = keyColumns[table]
    const read = connection.prepare<[number, number], Page>(
      `SELECT min(${key}) AS first, max(${key}) AS last, max(rowid) AS rowid FROM (
        SELECT rowid, ${key} FROM snapshot_${table} WHERE snapshot = ? AND rowid > ?
        ORDER BY rowid LIMIT ${pageSize}) AS page`
    )
    for (let rowid = -1; ;) {
      const page = await transact(() => read.get(snapshot, rowid))
      if (page === undefined || page.first === null) break
      const [first, last] = ranges[table] ?? [page.first, page.last]
      ranges[table] = [Math.min(first, page.first), Math.max(last, page.last)]
      rowid = page.rowid
    }
  }
  return ranges
}

/**
 * Reserves new numbers for the rows of a file and returns the function that renumbers a row. Called
 * inside a transaction.
 */
export function reserveNumbers (
  connection: Connection,
  account: number,
  ranges: NumberRanges
): (table: string, row: FileRow) => FileRow {
  const offsets = new Map<NumberedTable, number>()
  for (const table of numberedTables) {
    const range = ranges[table]
    if (range === undefined) continue
    const [first, last] = range
    const reserved = connection.dialect.reserveNumbers(connection, table, last - first + 1)
    offsets.set(table, reserved - first)
  }
  const renumber = (table: NumberedTable, value: unknown): unknown => {
    if (value === null) return null
    const [first, last] = ranges[table] ?? [1, 0]
    if (typeof value !== 'number' || value < first || value > last) {
      throw new SnapshotFileError(
        `a row refers to number ${String(value)} of ${table}, which is not in the file`
      )
    }
    return value + (offsets.get(table) ?? 0)
  }
  return (table, row) => {
    const changed: FileRow = { ...row, ...('account' in row && { account }) }
    for (const [column, target] of Object.entries(references[table] ?? {})) {
      changed[column] = renumber(target, row[column])
    }
    const subjects = table === 'due_queue' ? subjectsOf(Number(row.queue)) : undefined
    if (subjects !== undefined) changed.subject = renumber(subjects, row.subject)
    return changed
  }
}

/** Returns the table that the entries of a queue of due work belong to. */
function subjectsOf (queue: number): NumberedTable | undefined {
  if (queue >= firstCallbackQueue) return 'callbacks'
  return { [paymentQueue]: 'payments', [statementQueue]: 'statements', [linkQueue]: 'sessions' }[
    queue
  ] as NumberedTable | undefined
}
