import t, { type Test } from 'tap'
import { SqlAccountTables } from '../../db/account-tables.ts'
import { Balances } from '../../db/balances.ts'
import { Database } from '../../db/database.ts'
import { PaymentSearch } from '../../db/payment-search.ts'
import { PaymentRows } from '../../db/payments.ts'
import { SqlOutbox } from '../../db/outbox.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { SqlWallets } from '../../db/wallets.ts'
import { createMomock } from '../support/momock.ts'
import { openDatabase, postgresOptions, runSql } from '../support/postgres.ts'

/** How SQLite finds the rows that grow with a ledger. */

/** Reads a table, or all its rows after a number. */
const readsAll = /^SCAN (?!page|CONSTANT ROW)|PRIMARY KEY \(rowid[<>]\?\)/

const stores: Record<string, (database: Database) => unknown> = {
  wallets: (database) => new SqlWallets(database, new Balances(database, () => 0)),
  payments: (database) => new PaymentSearch(database, new PaymentRows(database)),
  'sizes of accounts': (database) => new SqlAccountTables({ database } as never)
}

/** Opens a store with an engine in memory, and lists the queries that it prepares. */
async function listQueries (t: Test, open: (database: Database) => unknown) {
  const engine = new SqliteEngine(':memory:')
  t.teardown(() => engine.close())
  const { connection } = engine
  const prepare = connection.prepare.bind(connection)
  const queries = new Set<string>()
  connection.prepare = (sql: string): never => {
    if (/^\s*SELECT/.test(sql)) queries.add(sql)
    return prepare(sql) as never
  }
  open(new Database(engine))
  t.ok(queries.size > 0, `${queries.size} queries`)
  return { queries, prepare }
}

for (const [name, open] of Object.entries(stores)) {
  t.test(`no query of ${name} reads the rows of other accounts`, async (t) => {
    const { queries, prepare } = await listQueries(t, open)
    for (const sql of queries) {
      const parameters = Array.from(sql.matchAll(/\?/g), () => 1)
      const plan = prepare<number[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      const scans = (await plan.all(...parameters)).map(({ detail }) => detail)
      t.strictSame(
        scans.filter((detail) => readsAll.test(detail)),
        [],
        sql
      )
    }
  })
}

t.test('the payments of an account are counted in pages', async (t) => {
  const database = new Database(new SqliteEngine(':memory:'))
  t.teardown(() => database.close())
  const sizes = { 1: 20_000, 2: 0, 3: 40_001 }
  const insert = database.connection.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    INSERT INTO payments (ledger, kind, id, version, created, details, plan)
    SELECT ?, 0, CAST(n AS BLOB), 'v2', 0, '{}', '{}' FROM numbers`)
  for (const [account, size] of Object.entries(sizes)) {
    database.setLedger(Number(account), Number(account))
    if (size > 0) insert.run(size, Number(account))
  }
  const tables = new SqlAccountTables({ database } as never)
  for (const [account, size] of Object.entries(sizes)) {
    const before = database.flushSizes.get(1) ?? 0
    t.equal(await tables.countRows('payments', Number(account)), size)
    const pages = (database.flushSizes.get(1) ?? 0) - before
    t.equal(pages, 1 + Math.floor(size / 20_000), `${size} payments in ${pages} transactions`)
  }
})

// A plan with a subquery for each row, or with all rows of it in memory, ended a start after 10 s.
t.test('PostgreSQL finds lost callbacks with a join', postgresOptions, async (t) => {
  const db = await openDatabase(t)
  await (await createMomock({ db })).close()
  const open = (database: Database): unknown => new SqlOutbox(database, {} as never, {} as never)
  const { queries } = await listQueries(t, open)
  const lost = [...queries].filter((sql) => sql.includes("state = 'PENDING' AND"))
  t.ok(lost.length >= 2, `${lost.length} queries`)
  for (const sql of lost) {
    const rows = await runSql(db, `EXPLAIN ${sql.replaceAll('?', '1')}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    t.match(plan, 'Anti Join', sql)
    t.notMatch(plan, 'SubPlan', sql)
  }
})
