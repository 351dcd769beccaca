import { accountTableNames } from '../account-rows.ts'
import type { Connection } from '../connection.ts'

/** Columns of the unique keys of the tables. The copies of rows in snapshots have row numbers. */
const uniqueKeys: Readonly<Record<string, readonly string[]>> = {
  accounts: ['id', 'name'],
  account_versions: ['account'],
  payments: ['seq', 'account, kind, id'],
  codes: ['code'],
  sessions: ['seq', 'token', 'account, deposit, n'],
  provider_queue: ['account, provider, operation, payment'],
  moves: ['payment, n'],
  set_aside: ['account, payment'],
  uses: ['account, scenario'],
  wallets: ['id', 'account, country, currency'],
  entries: ['seq'],
  callbacks: ['seq'],
  held_callbacks: ['account, callback'],
  attempts: ['account, callback, n'],
  statements: ['seq', 'id'],
  keys: ['seq', 'id'],
  due_queue: ['account, queue, due, subject'],
  due_leases: ['account, queue'],
  server_leases: ['owner'],
  error_counts: ['account, request'],
  servers: ['number'],
  snapshots: ['id', 'account, name'],
  unfinished_work: ['number'],
  ...Object.fromEntries(accountTableNames.map((table) => [`snapshot_${table}`, ['rowid']]))
}

/** Tables without a unique key. They have one row. */
const singleRows = ['momock_ledger', 'account_changes', 'server_secret']

/** Everything without which a ledger would not be correct. An index only makes it faster. */
const neededParts: readonly string[] = [
  ...[...Object.keys(uniqueKeys), ...singleRows].map((table) => `table ${table}`),
  ...Object.entries(uniqueKeys).flatMap(([table, keys]) =>
    keys.map((columns) => `unique key ${table} (${columns})`)
  ),
  'trigger account_changed',
  'trigger key_added',
  'function check_ledger',
  'function enter_ledger'
]

const inSchema = '= (SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

/** Parts of the current schema, named as above. A key that PostgreSQL does not use is none. */
const listParts = `
  SELECT 'table ' || relname FROM pg_class
  WHERE relnamespace ${inSchema} AND relkind IN ('r', 'p')
  UNION ALL
  SELECT 'unique key ' || relname || ' (' || string_agg(attname, ', ' ORDER BY place) || ')'
  FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    CROSS JOIN unnest(indkey) WITH ORDINALITY AS columns (number, place)
    JOIN pg_attribute ON attrelid = indrelid AND attnum = columns.number
  WHERE relnamespace ${inSchema} AND place <= indnkeyatts
    AND indisunique AND indisvalid AND indpred IS NULL
  GROUP BY indexrelid, relname
  UNION ALL
  SELECT 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace ${inSchema} AND tgenabled <> 'D'
  UNION ALL
  SELECT 'function ' || proname FROM pg_proc
  WHERE pronamespace ${inSchema}`

/**
 * Lists the parts that the ledger in the current schema lacks, the tables first. A backup that was
 * restored in part can have all rows, and accept the same payment twice.
 */
export function listMissingParts (connection: Connection): string[] {
  const parts = new Set(connection.prepare<[], string>(listParts).pluck().all())
  return neededParts.filter((part) => !parts.has(part))
}
