import type { Connection } from '../connection.ts'
import { ledgerTable } from './schema.ts'

/** Columns of the keys of each table. The first is its primary key, the others are unique. */
const keys: Readonly<Record<string, readonly string[]>> = {
  accounts: ['id', 'name', 'ledger'],
  ledgers: ['number'],
  tokens: ['token'],
  payments: ['seq', 'ledger, kind, id'],
  codes: ['code, payment'],
  sessions: ['seq', 'token, ledger', 'ledger, deposit, n'],
  provider_queue: ['ledger, provider, operation, payment'],
  moves: ['payment, n'],
  set_aside: ['ledger, payment'],
  uses: ['ledger, scenario'],
  wallets: ['id', 'ledger, country, currency'],
  entries: ['seq'],
  callbacks: ['seq'],
  held_callbacks: ['ledger, callback'],
  attempts: ['ledger, callback, n'],
  statements: ['seq', 'id, ledger'],
  keys: ['seq', 'id'],
  due_queue: ['ledger, queue, due, subject'],
  servers: ['number'],
  account_owners: ['account'],
  snapshots: ['id', 'account, name']
}

/** Tables without a key. Each has exactly one row. */
const singleRows = [ledgerTable, 'server_secret']

const tables = [...Object.keys(keys), ...singleRows].map((table) => `table ${table}`)

/** What keeps rows unique. */
const rules: readonly string[] = [
  ...Object.entries(keys).flatMap(([table, [primary, ...unique]]) => [
    `primary key ${table} (${primary})`,
    ...unique.map((columns) => `unique key ${table} (${columns})`)
  ]),
  ...singleRows.map((table) => `single row of ${table}`)
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
