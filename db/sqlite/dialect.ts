import type { Connection, Dialect } from '../connection.ts'

/** SQL that only SQLite understands. */
export const sqliteDialect: Dialect = {
  // There is no other writer.
  lockRows: '',

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
    const used = readLastNumber(connection, table) ?? 0
    writeLastNumber(connection, table, used + count)
    return used + 1
  }
}

function readLastNumber (connection: Connection, table: string): number | undefined {
  return connection
    .prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?')
    .pluck()
    .get(table)
}

function writeLastNumber (connection: Connection, table: string, number: number): void {
  const sql =
    readLastNumber(connection, table) === undefined
      ? 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)'
      : 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?'
  connection.prepare(sql).run(number, table)
}
