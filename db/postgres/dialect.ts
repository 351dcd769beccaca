import type { Dialect } from '../connection.ts'

/** SQL that only PostgreSQL understands. */
export const postgresDialect: Dialect = {
  lockRows: '',

  // PostgreSQL chooses the index itself.
  indexedBy: () => '',

  listColumns: (connection, table) =>
    connection
      .prepare<[string], string>(
        `SELECT attname::text FROM pg_attribute
        WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`
      )
      .pluck()
      .all(table),

  listKeyColumns: async (connection, table) => {
    const columns = await connection
      .prepare<[string], { name: string; type: string }>(
        `SELECT attname::text AS name, atttypid::regtype::text AS type
        FROM pg_index CROSS JOIN unnest(indkey) WITH ORDINALITY AS key (attnum, place)
        JOIN pg_attribute ON attrelid = indrelid AND pg_attribute.attnum = key.attnum
        WHERE indrelid = to_regclass(?) AND indisprimary ORDER BY place`
      )
      .all(table)
    return columns.map(({ name, type }) => ({ name, lowest: type === 'text' ? '' : -1 }))
  }
}

/** SQL for a ledger that several servers use. */
export const sharedDialect: Dialect = {
  ...postgresDialect,
  lockRows: ' FOR NO KEY UPDATE',
  // The number of the transaction that stored the row, which has 32 bits, and the number of moves,
  // which are only added. Together they have at most 53 bits, as numbers of JavaScript.
  paymentVersion: 'payments.xmin::text::bigint * 1048576 + coalesce(n, -1) + 1',
  dropEntries: `
    DELETE FROM due_queue
    WHERE account = ? AND queue = ? AND due <= ? AND subject = ANY (?::bigint[])`
}
