import t, { type Test } from 'tap'
import type { Connection } from '../../db/connection.ts'
import { ledgerVersion } from '../../db/ledger-version.ts'
import { openEngine } from '../../db/open-engine.ts'
import { firstVersion, ledgerTable, migrations } from '../../db/postgres/schema.ts'
import { requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { build } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Schemas of ledgers in PostgreSQL. */

/** Creates a ledger with an older schema, as the momock of its time did. */
async function createOldLedger (t: Test, version: number): Promise<string> {
  const db = await createSchema(t, (await openCluster()).url)
  for (const script of migrations.slice(0, version - firstVersion + 1)) await runSql(db, script)
  await runSql(db, `UPDATE ${ledgerTable} SET version = ${version}`)
  return db
}

const versions = migrations.map((_, i) => firstVersion + i)

/** Describes all columns, indexes and settings of the tables. */
const description = `
  SELECT relname, relkind, reloptions, (
    SELECT json_agg(json_build_array(attname, atttypid::regtype, attnotnull) ORDER BY attname)
    FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace ORDER BY relname`

t.test('the last migration has the version of this momock', async (t) => {
  t.equal(versions.at(-1), ledgerVersion)
})

for (const version of versions) {
  // The oldest one has all migrations.
  const options = version === firstVersion ? postgresOptions : makeLong(postgresOptions)
  t.test(`a ledger with schema ${version} becomes a current one`, options, async (t) => {
    const db = await createOldLedger(t, version)
    const fresh = await createSchema(t, (await openCluster()).url)
    const { call } = await build(t, { db })
    t.match((await call('POST', '/v2/deposits', requests.v2.deposit!())).body, {
      status: 'ACCEPTED'
    })
    ;(await openEngine(fresh)).close()
    t.strictSame(await runSql(db, description), await runSql(fresh, description))
    t.same(await runSql(db, `SELECT version::int FROM ${ledgerTable}`), [
      { version: ledgerVersion }
    ])
  })

  t.test(`servers that find schema ${version} migrate it once`, options, async (t) => {
    const db = await createOldLedger(t, version)
    const engines = await Promise.all(Array.from({ length: 4 }, () => openEngine(db, true)))
    const count = (connection: Connection): unknown =>
      connection.prepare(`SELECT count(*) FROM ${ledgerTable}`).pluck().get()
    t.same(
      engines.map(({ connection }) => count(connection)),
      [1, 1, 1, 1]
    )
    for (const engine of engines) engine.close()
  })
}
