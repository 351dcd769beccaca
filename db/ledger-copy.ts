import type { Connection, Insert } from './connection.ts'
import {
  listCopiedColumns,
  readRows,
  requeueCallbacks,
  tablesInOrder,
  type Steps
} from './ledger-rows.ts'
import { CopiedNumbers, type CopiedRow } from './copied-numbers.ts'

/** Stores a copy of a row of a table. */
export type InsertCopy = (table: string, row: CopiedRow) => void

/** Prepares the statements that store copies of rows with the number of a ledger. */
export async function prepareCopies (connection: Connection, ledger: number): Promise<InsertCopy> {
  const inserts = new Map<string, { columns: string[]; ledgers: number[]; insert: Insert }>()
  for (const table of tablesInOrder) {
    const columns = await listCopiedColumns(connection, table)
    const hasLedger = (await connection.dialect.listColumns(connection, table)).includes('ledger')
    const insert = connection.prepareInsert(table, [...(hasLedger ? ['ledger'] : []), ...columns])
    inserts.set(table, { columns, ledgers: hasLedger ? [ledger] : [], insert })
  }
  return (table, row) => {
    const { columns, ledgers, insert } = inserts.get(table)!
    insert.run(...ledgers, ...columns.map((column) => row[column] ?? null))
  }
}

/**
 * Copies the rows of a ledger to another one, which has none. The rows get new numbers, as many as
 * there are, in the same order. Callbacks that were on their way are due again.
 */
export async function * copyRows (connection: Connection, from: number, to: number): Steps {
  const numbers = new CopiedNumbers()
  const insert = await prepareCopies(connection, to)
  for (const table of tablesInOrder) {
    for await (const rows of readRows(connection, from, table, (work) => work())) {
      for (const row of rows) numbers.addRow(table, row)
      await numbers.reserve(connection)
      for (const row of rows) insert(table, numbers.renumber(table, row))
      yield
    }
  }
  yield * requeueCallbacks(connection, to)
}
