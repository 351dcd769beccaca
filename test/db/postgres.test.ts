import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { ledgerVersion } from '../../db/schema.ts'
import { findLedgerProblem, openEngine } from '../../db/open-engine.ts'
import { makeLong } from '../support/full.ts'
import { prefix, requests } from '../support/examples.ts'
import { build, id } from '../support/helper.ts'
import {
  createSchema,
  databaseUrl,
  openCluster,
  postgresOptions,
  runSql
} from '../support/postgres.ts'
import { deposit, run, serve } from '../support/process.ts'

/** Ledgers in PostgreSQL, seen from outside. */

/** Exit code of a ledger that cannot be used. */
const ledgerCode = 4

interface Refusal {
  what: string
  /** Returns the URL of a database that cannot be used. */
  url: (t: Test, url: string) => Promise<string>
  says: RegExp
}

/** Returns the URL of a schema after this SQL was run in it. */
async function prepareSchema (t: Test, url: string, sql: string): Promise<string> {
  const schema = await createSchema(t, url)
  await runSql(schema, sql)
  return schema
}

/** Returns the URL of a schema for a new user with a password and these rights. */
async function asUser (t: Test, url: string, grant: (name: string) => string): Promise<string> {
  const name = `user_${id().slice(0, 8)}`
  const schema = await prepareSchema(t, url, `CREATE ROLE ${name} LOGIN; ${grant(name)}`)
  t.teardown(() => runSql(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`))
  return schema.replace('momock@', `${name}@`)
}

/** Returns the URL of a ledger. */
async function createLedger (t: Test, url: string): Promise<string> {
  const schema = await createSchema(t, url)
  await (await openEngine(schema)).close()
  return schema
}

/** Returns the URL of a ledger for a new user who may only read it. */
async function asReader (t: Test, url: string): Promise<string> {
  const ledger = await createLedger(t, url)
  const name = `reader_${id().slice(0, 8)}`
  const [{ schema }] = await runSql(ledger, 'SELECT current_schema() AS schema')
  await runSql(
    ledger,
    `CREATE ROLE ${name} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${name};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`
  )
  t.teardown(() => runSql(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`))
  return ledger.replace('momock@', `${name}@`)
}

/** URL of a role that has a password, with another one or none. */
async function guardUrl (t: Test, url: string, password: string): Promise<string> {
  await runSql(url, "CREATE ROLE guarded LOGIN PASSWORD 'right'")
  t.teardown(() => runSql(url, 'DROP ROLE guarded'))
  return url.replace('momock@', `guarded${password}@`)
}

const refusals: Refusal[] = [
  {
    what: 'a port where nothing listens',
    url: async () => {
      const server = createServer()
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      server.close()
      return `postgres://momock:secret@127.0.0.1:${port}/postgres`
    },
    says: /PostgreSQL does not answer at postgres:\/\/momock:\[hidden\]@127\.0\.0\.1:\d+\/postgres/
  },
  {
    what: 'an unknown user',
    url: async (_, url) => url.replace('momock@', 'stranger:secret@'),
    says: /PostgreSQL refuses the connection to .* \(role "stranger" does not exist\); check the/
  },
  {
    what: 'a wrong password',
    url: (t, url) => guardUrl(t, url, ':secret'),
    says: /PostgreSQL refuses the user or the password .*; check the user .* or in PGPASSWORD/
  },
  {
    what: 'a password that is missing',
    url: (t, url) => guardUrl(t, url, ''),
    says: /PostgreSQL wants a password for .*guarded@.*; write it in the URL.* or set PGPASSWORD/
  },
  {
    what: 'an unknown database',
    url: async (_, url) => url.replace('/postgres', '/nowhere'),
    says: /there is no database .*\/nowhere \(.*\); create it/
  },
  {
    what: 'a schema that does not exist',
    url: async (_, url) => `${url}?options=-csearch_path%3Dnowhere`,
    says: /has no schema that the user can use; create the schema/
  },
  {
    what: 'a schema with other tables',
    url: (t, url) => prepareSchema(t, url, 'CREATE TABLE invoices (id INT)'),
    says: /has tables, but it is not a momock ledger/
  },
  {
    what: 'a ledger of a newer version',
    url: (t, url) =>
      prepareSchema(
        t,
        url,
        `CREATE TABLE momock_ledger (version BIGINT);
        INSERT INTO momock_ledger VALUES (${ledgerVersion + 1})`
      ),
    says: /written by a newer momock \(schema \d+, this one has \d+\); update momock/
  },
  {
    what: 'a user who may create no tables',
    url: (t, url) => asUser(t, url, () => 'GRANT USAGE ON SCHEMA public TO PUBLIC'),
    says: /has no schema that the user can use|has not enough rights/
  },
  {
    what: 'a user who may only read',
    url: asReader,
    says: /has not enough rights on table account_owners, .* and \d+ more; grant CREATE/
  },
  {
    what: 'a database that is read-only',
    url: async (t, url) =>
      (await createLedger(t, url)) + encodeURIComponent(' -cdefault_transaction_read_only=on'),
    says: /is read-only; name the primary server/
  },
  {
    what: 'a ledger without a table',
    url: async (t, url) => {
      const ledger = await createLedger(t, url)
      await runSql(ledger, 'DROP TABLE callbacks')
      return ledger
    },
    says: /is damaged: it has no table callbacks; restore a whole backup/
  },
  {
    what: 'a ledger without a version',
    url: async (t, url) => {
      const ledger = await createLedger(t, url)
      await runSql(ledger, 'DELETE FROM momock_ledger')
      return ledger
    },
    says: /is damaged: it has no row in momock_ledger; restore a whole backup/
  },
  {
    what: 'an unknown host',
    url: async () => 'postgres://momock:secret@nowhere.invalid/postgres',
    says: /the host of .*nowhere\.invalid\/postgres is not known .*; check the host/
  },
  {
    what: 'a time of a statement that is no number',
    url: async (_, url) => `${url}?statement_timeout=soon`,
    says: /statement_timeout of .* must be a number of milliseconds from 1, got 'soon'/
  },
  {
    what: 'a text that is no URL',
    url: async () => 'postgres://[',
    says: /postgres:\/\/\[ is no URL of a database; write postgres:\/\/USER@HOST:PORT\/DATABASE/
  },
  {
    what: 'a port that is none',
    url: async () => 'postgres://momock:secret@127.0.0.1:99999/postgres',
    says: /\[hidden\]@127.0.0.1:99999\/postgres is no URL of .*, with a port from 1 to 65535/
  },
  {
    what: 'a URL without slashes',
    url: async () => 'postgres:momock:secret@127.0.0.1/postgres',
    says: /^postgres:momock:\[hidden\]@127.0.0.1\/postgres is no URL of a database; write/
  },
  {
    what: 'a password with a special character',
    url: async () => 'postgres://momock:very/secret@127.0.0.1/postgres',
    says: /^postgres:\/\/momock:\[hidden\]@127.0.0.1\/postgres is no URL .*%2F for \//
  },
  {
    what: 'a database with another encoding',
    url: async (_, url) => {
      await runSql(
        url,
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
      )
      return databaseUrl(url, 'latin')
    },
    says: /\/latin has the encoding LATIN1, .*; create a database with ENCODING 'UTF8'/
  },
  {
    what: 'a socket without a host in the URL',
    url: async () => 'postgres://momock@/postgres?host=/run/postgresql',
    says: /is no URL of a database; .*with a socket .*@localhost\/DATABASE\?host=FOLDER/
  }
]

t.test('a start is refused: a port that does not answer', makeLong(postgresOptions), async (t) => {
  const silent = createServer()
  t.teardown(() => silent.close())
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const error = await openEngine(`postgres://momock:secret@127.0.0.1:${port}/postgres`).catch(
    (reason: Error) => reason
  )
  t.match(error, { message: /PostgreSQL does not answer at .*timeout expired.*; .*firewalls/ })
  t.notMatch(error, { message: /secret/ })
})

for (const [n, { what, url, says }] of refusals.entries()) {
  const options = n < 3 ? postgresOptions : makeLong(postgresOptions)
  t.test(`a start is refused: ${what}`, options, async (t) => {
    const db = await url(t, (await openCluster()).url)
    const tables = (): Promise<unknown> =>
      runSql(db, 'SELECT table_name FROM information_schema.tables ORDER BY 1').catch(() => 'none')
    const before = await tables()
    const error = await openEngine(db).catch((reason: Error) => reason)
    t.match(error, { name: 'LedgerUnusable', message: says })
    t.notMatch(error, { message: /secret/ })
    t.match(await findLedgerProblem(db), { message: says }, 'doctor finds it, too')
    t.strictSame(await tables(), before, 'nothing has changed')
  })
}

t.test('a ledger keeps its payments, and --fresh deletes them', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const one = deposit()
  const first = await serve(t, ['--db', db])
  await first.call('POST', '/v2/deposits', one)
  t.match(first.ready.ledger, /^postgres:\/\/momock@127\.0\.0\.1:\d+\/postgres$/)
  const second = await run(t, ['--port', '0', '--db', db, '--fresh'])
  t.equal(second.code, ledgerCode)
  t.match(second.stderr, /is in use by another momock/)
  t.match(await first.stop(), { code: 0 })

  const third = await serve(t, ['--db', db])
  t.match(await third.call('GET', `/v2/deposits/${one.depositId}`), { body: { status: /^FOUND$/ } })
  await third.stop()
  const fresh = await serve(t, ['--db', db, '--fresh'])
  t.match(await fresh.call('GET', `/v2/deposits/${one.depositId}`), {
    body: { status: 'NOT_FOUND' }
  })
})

t.test(
  'servers that start together create the tables once',
  makeLong(postgresOptions),
  async (t) => {
    const db = await createSchema(t, (await openCluster()).url)
    const starts = Array.from({ length: 3 }, () => run(t, ['--port', '0', '--db', db]))
    const outcomes = await Promise.all(starts)
    // `run` kills a server that starts. The next one may start after its end.
    for (const { code, stderr } of outcomes) {
      if (code === ledgerCode) t.match(stderr, /is in use by another momock/)
      else t.equal(stderr, '')
    }
    t.ok(
      outcomes.some(({ code }) => code !== ledgerCode),
      'one of them starts'
    )
  }
)

t.test('requests get 503 while a table is missing', postgresOptions, async (t) => {
  const { url } = await openCluster()
  const db = await createSchema(t, url)
  const { call } = await build(t, { db, clock: 'frozen' })
  await runSql(db, 'ALTER TABLE payments RENAME TO hidden')
  for (const version of ['v2', 'v1'] as const) {
    const path = `${prefix[version]}/deposits`
    const request = requests[version].deposit!()
    const statuses = [
      (await call('POST', path, request)).status,
      (await call('GET', `${path}/${request.depositId}`)).status
    ]
    t.strictSame(statuses, [503, 503], version)
  }
  await runSql(db, 'ALTER TABLE hidden RENAME TO payments')
  const { body } = await call('POST', '/v2/deposits', requests.v2.deposit!())
  t.equal(body.status, 'ACCEPTED', 'it is there again')
})
