import type { Connection, Dialect } from '../connection.ts'

/** SQL that only SQLite understands. */
export const sqliteDialect: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,

  listColumns: (connection, table) =>
    connection
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table),

  listKeyColumns: (connection, table) =>
    connection
      .prepare<[string], { name: string; type: string }>(
        'SELECT name, type FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk'
      )
      .all(table)
      .map(({ name, type }) => ({ name, lowest: type === 'TEXT' ? '' : -1 })),

  reserveNumbers: (connection, table, count) => {
    const used = readLastNumber(connection, table)
    const sql =
      used === undefined
        ? 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)'
        : 'UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?'
    connection.prepare(sql).run(count, table)
    return (used ?? 0) + 1
  }
}

function readLastNumber (connection: Connection, table: string): number | undefined {
  return connection
    .prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?')
    .pluck()
    .get(table)
}
