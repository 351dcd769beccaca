import type { Dialect } from '../connection.ts'
import { numberLock } from './server-tables.ts'

/** SQL that only PostgreSQL understands. */
export const postgresDialect: Dialect = {
  // PostgreSQL chooses the index itself.
  indexedBy: () => '',

  skipLocked: 'FOR UPDATE SKIP LOCKED',

  // No server has the number 0. The lock ends with the session, also after a kill.
  restoreLock: {
    take: `SELECT pg_try_advisory_lock(${numberLock}, 0)::int`,
    give: `SELECT pg_advisory_unlock(${numberLock}, 0)::int`
  },

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
