import t from 'tap'
import { PostgresEngine } from '../../db/postgres/engine.ts'
import { id } from '../support/helper.ts'
import {
  createDatabase,
  databaseUrl,
  openCluster,
  postgresOptions,
  runSql
} from '../support/postgres.ts'
import { deposit } from '../support/process.ts'
import { countBy, sendAll, serveShared } from './servers.ts'

/** Databases whose sessions begin with other settings than usual. */

/** Settings that a database has for its sessions, and those that transactions need. */
const settings: Array<[changed: string, unusual: string, read: string, needed: string]> = [
  ['default_transaction_isolation', 'serializable', 'transaction_isolation', 'read committed'],
  ['bytea_output', 'escape', 'bytea_output', 'hex'],
  ['standard_conforming_strings', 'off', 'standard_conforming_strings', 'on'],
  ['statement_timeout', '77s', 'statement_timeout', '10s'],
  ['lock_timeout', '77s', 'lock_timeout', '0']
]

t.test('servers use their own settings', postgresOptions, async (t) => {
  const { url } = await openCluster()
  const name = await createDatabase(t, url)
  for (const [changed, unusual] of settings) {
    await runSql(url, `ALTER DATABASE ${name} SET ${changed} = '${unusual}'`)
  }
  const db = databaseUrl(url, name)
  const engine = await PostgresEngine.open(db)
  const { connection } = engine
  const readAll = async (when: string): Promise<void> => {
    for (const [, , read, needed] of settings) {
      const setting = await connection.prepare(`SELECT current_setting('${read}')`).pluck().get()
      t.equal(setting, needed, `${read} ${when}`)
    }
  }
  await readAll('outside a transaction')
  await t.rejects(connection.prepare('SELECT 1 / 0').get())
  await readAll('after an error')
  await connection.begin()
  await readAll('in a transaction')
  await connection.commit()
  const list = settings.map(([, , read]) => `current_setting('${read}')`)
  await connection.exec(`CREATE TABLE in_script AS SELECT unnest(ARRAY[${list.join(', ')}])`)
  t.strictSame(
    await connection.prepare('SELECT * FROM in_script').pluck().all(),
    settings.map(([, , , needed]) => needed),
    'in a script'
  )
  await connection.exec('DROP TABLE in_script')
  await engine.close()
  const servers = await Promise.all([serveShared(t, db), serveShared(t, db)])
  const same = id()
  const answers = await sendAll(
    servers,
    Array.from({ length: 20 }, () => ['POST', '/v2/deposits', deposit(same)])
  )
  t.strictSame(countBy(answers.map(({ body }) => body.status)), {
    ACCEPTED: 1,
    DUPLICATE_IGNORED: 19
  })
  for (const [n, server] of servers.entries()) {
    const { body } = await server.call('GET', `/v2/deposits/${same}`)
    t.equal(body.status, 'FOUND', `server ${n}`)
    const token = `token-${n}`
    const account = { name: `shop-${n}`, tokens: [{ token }] }
    t.equal((await server.call('POST', '/__admin/accounts', account)).status, 201)
    const next = await servers[1 - n].call('POST', '/v2/deposits', deposit(id()), token)
    t.equal(next.body.status, 'ACCEPTED', 'the other server knows a new account at once')
  }
})
