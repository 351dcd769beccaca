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
interface Queries {
  queries: Query[]
  pending: Array<PendingResult | undefined>
}

/**
 * Writes the statements that wait. The rows for the same table between two other statements become
 * one statement. Nothing looks at them before the next statement, so their order does not matter.
 * Changes of rows in other tables do not look at them, either.
 */
export function writeQueries (
  queue: readonly WaitingStatement[],
  nameOf: (text: string) => string,
  types: RowTypes
): Queries {
  const queries: Query[] = []
  const pending: Queries['pending'] = []
  let rows = new Map<Insert, Array<readonly Value[]>>()
  const endRows = (): void => {
    for (const [insert, values] of rows) {
      queries.push(...writeInserts(insert, values, nameOf, types))
    }
    if (rows.size > 0) rows = new Map()
    pending.length = queries.length
  }
  for (const waiting of queue) {
    if ('insert' in waiting) {
      const values = rows.get(waiting.insert)
      if (values === undefined) rows.set(waiting.insert, [waiting.values])
      else values.push(waiting.values)
    } else {
      const { table } = waiting
      if (table === undefined || hasRowsOf(table, rows.keys())) endRows()
      queries.push(waiting.query)
      pending.push(waiting.pending)
    }
  }
  endRows()
  return { queries, pending }
}

function hasRowsOf (table: string, inserts: Iterable<Insert>): boolean {
  for (const insert of inserts) if (insert.table === table) return true
  return false
}

/** Tells whether a statement stores a row as if it did not exist. */
export function isOptimistic (waiting: WaitingStatement): boolean {
  return 'insert' in waiting && waiting.insert.isOptimistic
}
