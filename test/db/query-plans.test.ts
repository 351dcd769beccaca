import t from 'tap'
import { SqlAccountTables } from '../../db/account-tables.ts'
import { Balances } from '../../db/balances.ts'
import { Database } from '../../db/database.ts'
import { PaymentSearch } from '../../db/payment-search.ts'
import { PaymentRows } from '../../db/payments.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { SqlWallets } from '../../db/wallets.ts'

/** How SQLite finds the rows that grow with a ledger. */

/** Reads a table, or all its rows after a number. */
const readsAll = /^SCAN (?!page|CONSTANT ROW)|PRIMARY KEY \(rowid[<>]\?\)/

const stores: Record<string, (database: Database) => unknown> = {
  wallets: (database) => new SqlWallets(database, new Balances(database, () => 0)),
  payments: (database) => new PaymentSearch(database, new PaymentRows(database)),
  'sizes of accounts': (database) => new SqlAccountTables({ database } as never)
}

for (const [name, open] of Object.entries(stores)) {
  t.test(`no query of ${name} reads the rows of other accounts`, async (t) => {
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
