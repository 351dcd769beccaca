import t, { type Test } from 'tap'
import type { Connection } from '../../db/connection.ts'
import { openEngine } from '../../db/open-engine.ts'
import { ledgerTable } from '../../db/postgres/schema.ts'
import { ledgerVersion } from '../../db/schema.ts'
import { requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { run, serve } from '../support/process.ts'

/** Ledgers in PostgreSQL of other versions. */

/** Creates a ledger with a payment, says that it has another version, and adds a foreign table. */
async function createOther (t: Test, version: number): Promise<string> {
  const db = await createSchema(t, (await openCluster()).url)
  const { call, app } = await build(t, { db })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await app.close()
  await runSql(db, `UPDATE ${ledgerTable} SET version = ${version}`)
  await runSql(db, 'ALTER TABLE payments DROP COLUMN plan; CREATE TABLE notes (text TEXT)')
  return db
}

const others = [
  [ledgerVersion - 1, /before the first release \(schema \d+, .*; start with --fresh/],
  [ledgerVersion + 1, /written by a newer momock \(schema \d+, .*; update momock/]
] as const

for (const [version, says] of others) {
  t.test(`a ledger of schema ${version} is refused`, postgresOptions, async (t) => {
    const db = await createOther(t, version)
    const refused = await run(t, ['--port', '0', '--db', db])
    t.equal(refused.code, 4)
    t.match(refused.stderr, says)
    t.match(await runSql(db, 'SELECT count(*)::int AS count FROM payments'), [{ count: 1 }])
  })

  t.test(`--fresh makes a new ledger of schema ${version}`, postgresOptions, async (t) => {
    const db = await createOther(t, version)
    const { call } = await serve(t, ['--db', db, '--fresh'])
    t.match(await call('POST', '/v2/deposits', requests.v2.deposit!()), {
      body: { status: 'ACCEPTED' }
    })
    t.match(await call('GET', '/__admin/payments'), { body: { payments: { length: 1 } } })
    t.match(await runSql(db, 'SELECT * FROM notes'), { length: 0 }, 'other tables stay')
  })
}

t.test('servers that start together create one ledger', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const engines = await Promise.all(Array.from({ length: 4 }, () => openEngine(db)))
  const count = (connection: Connection): Promise<unknown> =>
    connection.prepare(`SELECT count(*) FROM ${ledgerTable}`).pluck().get()
  t.same(
    await Promise.all(engines.map(({ connection }) => count(connection))),
    [1, 1, 1, 1]
  )
  for (const engine of engines) await engine.close()
})
