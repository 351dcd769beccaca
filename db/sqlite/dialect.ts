import type { Dialect } from '../connection.ts'

/** SQL that only SQLite understands. */
export const sqliteDialect: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,

  // There is one writer.
  skipLocked: '',

  listColumns: (connection, table) =>
    connection
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table),

  listKeyColumns: async (connection, table) => {
    const columns = await connection
      .prepare<[string], { name: string; type: string }>(
        'SELECT name, type FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk'
      )
      .all(table)
    return columns.map(({ name, type }) => ({ name, lowest: type === 'TEXT' ? '' : -1 }))
  }
}
