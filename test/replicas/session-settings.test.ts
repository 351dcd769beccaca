import t, { type Test } from 'tap'
import { PostgresEngine } from '../../db/postgres/engine.ts'
import { id } from '../support/helper.ts'
import { pgbouncerOptions, startPgBouncer } from '../support/pgbouncer.ts'
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

/** Returns the URL of a database through something. */
type Connect = (t: Test, url: string) => Promise<(database: string) => string>

const ways: Array<[what: string, options: typeof postgresOptions, connect: Connect]> = [
  [
    'a connection of their own',
    postgresOptions,
    async (_, url) => (database) => databaseUrl(url, database)
  ],
  ['a PgBouncer', pgbouncerOptions, startPgBouncer]
]

for (const [what, options, connect] of ways) {
  t.test(`servers with ${what} use their own settings`, options, async (t) => {
    const { url } = await openCluster()
    const name = await createDatabase(t, url)
    for (const [changed, unusual] of settings) {
      await runSql(url, `ALTER DATABASE ${name} SET ${changed} = '${unusual}'`)
    }
    const db = (await connect(t, url))(name)
    const engine = new PostgresEngine(db, { isShared: true })
    const { connection } = engine
    const readAll = (when: string): void => {
      for (const [, , read, needed] of settings) {
        const setting = connection.prepare(`SELECT current_setting('${read}')`).pluck().get()
        t.equal(setting, needed, `${read} ${when}`)
      }
    }
    readAll('outside a transaction')
    t.throws(() => connection.prepare('SELECT 1 / 0').get())
    readAll('after an error')
    connection.prepare('BEGIN').run()
    readAll('in a transaction')
    connection.prepare('COMMIT').run()
    const list = settings.map(([, , read]) => `current_setting('${read}')`)
    connection.exec(`CREATE TABLE in_script AS SELECT unnest(ARRAY[${list.join(', ')}])`)
    t.strictSame(
      connection.prepare('SELECT * FROM in_script').pluck().all(),
      settings.map(([, , , needed]) => needed),
      'in a script'
    )
    connection.exec('DROP TABLE in_script')
    engine.close()
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
}
