import { writeInserts, type Insert } from './insert.ts'
import type { Query, QueryResult, Value } from './messages.ts'
import type { RowTypes } from './row-types.ts'

/** Result of a statement that may still wait to be sent. */
export interface PendingResult {
  result?: QueryResult
}

/** Statement that waits to be sent: a row to insert, or any other statement. */
export type WaitingStatement =
  | { insert: Insert; values: readonly Value[] }
  | { query: Query; pending: PendingResult; table?: string }

/** Statements to send, with the places of their results. Nobody needs those of rows. */
export interface Batch {
  waiting: readonly WaitingStatement[]
  queries: Query[]
  pending: Array<PendingResult | undefined>
  /** True if the transaction ends with them, earlier than it is told to. */
  isEnd: boolean
}

/**
 * Writes the statements that wait. The rows for the same table between two other statements become
 * one statement. Nothing looks at them before the next statement, so their order does not matter.
 * Changes of rows in other tables do not look at them, either.
 */
export function writeQueries (
  waiting: readonly WaitingStatement[],
  nameOf: (text: string) => string,
  types: RowTypes
): Batch {
  const queries: Query[] = []
  const pending: Batch['pending'] = []
  let rows = new Map<Insert, Array<readonly Value[]>>()
  const endRows = (): void => {
    for (const [insert, values] of rows) {
      queries.push(...writeInserts(insert, values, nameOf, types))
    }
    if (rows.size > 0) rows = new Map()
    pending.length = queries.length
  }
  for (const one of waiting) {
    if ('insert' in one) {
      const values = rows.get(one.insert)
      if (values === undefined) rows.set(one.insert, [one.values])
      else values.push(one.values)
    } else {
      const { table } = one
      if (table === undefined || hasRowsOf(table, rows.keys())) endRows()
      queries.push(one.query)
      pending.push(one.pending)
    }
  }
  endRows()
  return { waiting, queries, pending, isEnd: false }
}

function hasRowsOf (table: string, inserts: Iterable<Insert>): boolean {
  for (const insert of inserts) if (insert.table === table) return true
  return false
}

/** Tells whether one of the statements stores a row as if it did not exist. */
export function isOptimistic ({ waiting }: Batch): boolean {
  return waiting.some((one) => 'insert' in one && one.insert.isOptimistic)
}

/** Adds the end of the transaction. A single statement needs neither begin nor end. */
export function endEarly (batch: Batch, nameOf: (text: string) => string): Batch {
  const { waiting, queries, pending } = batch
  if (queries.length === 2) {
    return { waiting, queries: queries.slice(1), pending: pending.slice(1), isEnd: true }
  }
  return { waiting, queries: [...queries, writeCommit(nameOf)], pending, isEnd: true }
}

/** Writes the end of a transaction. */
export function writeCommit (nameOf: (text: string) => string): Query {
  return { kind: 'commit', name: nameOf('COMMIT'), text: 'COMMIT', values: [] }
}
