import { accountTableNames } from '../account-rows.ts'
import type { Connection } from '../connection.ts'
import { ledgerTable } from './schema.ts'

/** Columns of the keys of each table. The first is its primary key, the others are unique. */
const keys: Readonly<Record<string, readonly string[]>> = {
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
  servers: ['number'],
  snapshots: ['id', 'account, name'],
  unfinished_work: ['number'],
  ...Object.fromEntries(accountTableNames.map((table) => [`snapshot_${table}`, ['rowid']]))
}

/** Tables without a key. Each has exactly one row. */
const singleRows = [ledgerTable, 'account_changes', 'server_secret']

const tables = [...Object.keys(keys), ...singleRows].map((table) => `table ${table}`)

/** What keeps rows unique, and tells servers of the changes of others. */
const rules: readonly string[] = [
  ...Object.entries(keys).flatMap(([table, [primary, ...unique]]) => [
    `primary key ${table} (${primary})`,
    ...unique.map((columns) => `unique key ${table} (${columns})`)
  ]),
  ...singleRows.map((table) => `single row of ${table}`),
  'trigger account_changed of accounts',
  'trigger key_added of keys',
  'function check_ledger',
  'function enter_ledger'
]

const inSchema = '= (SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

const listTables = `
  SELECT 'table ' || relname FROM pg_class
  WHERE relnamespace ${inSchema} AND relkind IN ('r', 'p')`

/** Lists the rules of a ledger that has all tables. ON CONFLICT cannot use deferrable keys. */
const listRules = `
  SELECT CASE WHEN indisprimary THEN 'primary' ELSE 'unique' END || ' key ' || relname ||
    ' (' || string_agg(attname, ', ' ORDER BY place) || ')'
  FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    CROSS JOIN unnest(indkey) WITH ORDINALITY AS columns (number, place)
    JOIN pg_attribute ON attrelid = indrelid AND attnum = columns.number
  WHERE relnamespace ${inSchema} AND place <= indnkeyatts AND indisunique AND indisvalid
    AND indimmediate AND indpred IS NULL AND indexprs IS NULL
  GROUP BY indexrelid, relname, indisprimary
  UNION ALL
  SELECT 'trigger ' || tgname || ' of ' || relname
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace ${inSchema} AND tgenabled IN ('O', 'A')
  UNION ALL
  SELECT 'function ' || proname FROM pg_proc WHERE pronamespace ${inSchema}
  ${singleRows
    .map(
      (table) =>
        `UNION ALL SELECT 'single row of ${table}' FROM ${table} HAVING count(*) = 1`
    )
    .join('\n  ')}`

/**
 * Lists what the ledger in the current schema lacks: tables, or else rules. A backup that was
 * restored in part can have all rows, and accept the same payment twice.
 */
export async function listMissingParts (connection: Connection): Promise<string[]> {
  const missing = await compare(connection, tables, listTables)
  return missing.length > 0 ? missing : await compare(connection, rules, listRules)
}

async function compare (
  connection: Connection,
  needed: readonly string[],
  list: string
): Promise<string[]> {
  const found = new Set(await connection.prepare<[], string>(list).pluck().all())
  return needed.filter((part) => !found.has(part))
}
