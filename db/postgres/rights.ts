import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { listNames } from '../../src/lib/name-list.ts'
import type { Connection } from '../connection.ts'
import { orElsewhere } from './faults.ts'

/** Throws a LedgerUnusableError if a server could not write to a ledger, or create it. */
export async function refuseUnwritable (
  connection: Connection,
  place: string,
  isNew: boolean
): Promise<void> {
  const setting = connection.prepare("SELECT current_setting('transaction_read_only')")
  if ((await setting.pluck().get()) === 'on') {
    throw new LedgerUnusableError(
      `${place} is read-only`,
      `name the primary server of the database, ${orElsewhere}`
    )
  }
  const closed = await listClosed(connection, isNew)
  if (closed.length === 0) return
  throw new LedgerUnusableError(
    `the user of ${place} has not enough rights on ${listNames(closed)}`,
    `grant CREATE on the schema, and all rights on its tables and sequences, ${orElsewhere}`
  )
}

/** Lists what the user may not write to: tables, sequences, and the schema of a new ledger. */
function listClosed (connection: Connection, isNew: boolean): Promise<string[]> {
  const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']
  const mayChange = rights.map((right) => `has_table_privilege(pg_class.oid, '${right}')`)
  return connection
    .prepare<[], string>(
      `SELECT 'schema ' || current_schema() WHERE ${isNew}
        AND NOT has_schema_privilege(current_schema(), 'CREATE')
      UNION ALL (
        SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || relname
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = current_schema() AND CASE relkind
          WHEN 'r' THEN NOT (${mayChange.join(' AND ')})
          WHEN 'S' THEN NOT has_sequence_privilege(pg_class.oid, 'USAGE')
          ELSE false END
        ORDER BY relkind DESC, relname)`
    )
    .pluck()
    .all()
}
