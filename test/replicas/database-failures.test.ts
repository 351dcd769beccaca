import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { folder, receiver, until } from '../support/helper.ts'
import {
  createCluster,
  findDatabaseUser,
  postgresOptions,
  runSql,
  type Cluster
} from '../support/postgres.ts'
import { deposit, run, serve, type Running } from '../support/process.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** A database that fails, seen by the clients of a server. */

/** A server whose database can fail. */
interface Setting {
  cluster: Cluster
  proxy: TcpProxy
  /** URL of the database for statements of the test. */
  url: string
  server: Running
  merchant: Awaited<ReturnType<typeof receiver>>
  /** Reason why this machine cannot make the database fail. */
  skip: string | undefined
}

/** A failure of the database. */
interface Failure {
  what: string
  /** Begins the failure. Returns what ends it. */
  begin: (setting: Setting, t: Test) => Promise<() => unknown>
  /** What the log says about it, once. */
  says: RegExp
  /** True if the payments that are stored can still be read. */
  canRead?: boolean
  /** Makes room that can be filled, before the tables are created. Returns a reason to skip. */
  prepare?: (url: string, t: Test) => Promise<string | undefined>
  isLong?: boolean
}

/** Role of the server: not a superuser, so that all limits count for it. */
const role = 'shop'

/** Time of a statement in these tests, so that they do not wait for long. */
const statementMs = 2000

/** Folder of the tablespace, on a file system that has little room. */
let room: string

const failures: Failure[] = [
  {
    what: 'stops at once',
    begin: async ({ cluster }) => {
      cluster.stop('immediate')
      return () => cluster.start()
    },
    says: /PostgreSQL does not answer/
  },
  {
    what: 'restarts in order',
    isLong: true,
    begin: async ({ cluster }) => {
      cluster.stop('fast')
      return () => cluster.start()
    },
    says: /PostgreSQL does not answer/
  },
  {
    what: 'refuses connections',
    isLong: true,
    begin: async ({ proxy }) => {
      await proxy.refuse()
      return () => proxy.listen()
    },
    says: /PostgreSQL does not answer/
  },
  {
    what: 'has no free connection',
    isLong: true,
    begin: async ({ url }) => {
      await runSql(url, `ALTER ROLE ${role} CONNECTION LIMIT 0`)
      await endSessions(url)
      return () => runSql(url, `ALTER ROLE ${role} CONNECTION LIMIT -1`)
    },
    says: /PostgreSQL does not answer|has no free connection/
  },
  {
    what: 'is read-only',
    isLong: true,
    begin: async ({ url }) => {
      await runSql(url, `ALTER ROLE ${role} SET default_transaction_read_only = on`)
      await endSessions(url)
      return async () => {
        await runSql(url, `ALTER ROLE ${role} RESET default_transaction_read_only`)
        await endSessions(url)
      }
    },
    says: /is read-only|does not answer/
  },
  {
    what: 'is slow',
    isLong: true,
    canRead: true,
    begin: async ({ url }, t) => {
      const { default: pg } = await import('pg')
      const client = new pg.Client(url)
      await client.connect()
      t.teardown(() => client.end())
      await client.query('BEGIN; LOCK TABLE payments, moves, due_queue IN SHARE MODE')
      return () => client.query('ROLLBACK')
    },
    says: /fails \(canceling statement due to statement timeout\); see the log of PostgreSQL/
  },
  {
    what: 'is cut off for a while by the network',
    isLong: true,
    begin: async ({ proxy }) => {
      proxy.pause()
      return () => proxy.resume()
    },
    says: /PostgreSQL does not answer at .* \(no answer after [\d.]+ s\)/
  },
  {
    what: 'has no room on its disk',
    canRead: true,
    prepare: async (url, t) => {
      room = folder(t)
      const how = `size=24m,mode=700,uid=${findDatabaseUser()}`
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', how, 'tmpfs', room]).status !== 0) {
        return 'needs the right to mount a file system'
      }
      t.teardown(() => spawnSync('umount', ['-l', room]))
      await runSql(url, `CREATE TABLESPACE small LOCATION '${room}'`)
      await runSql(url, `ALTER ROLE ${role} SET default_tablespace = small`)
      await runSql(url, `GRANT ALL ON TABLESPACE small TO ${role}`)
      return undefined
    },
    begin: async () => {
      const file = join(room, 'filler')
      try {
        writeFileSync(file, Buffer.alloc(32 * 2 ** 20))
      } catch {
        // It takes what was left.
      }
      return () => rmSync(file)
    },
    says: /has no room \(could not extend file .*No space left on device\)/
  }
]

for (const failure of failures) {
  const options = failure.isLong === true ? makeLong(postgresOptions) : postgresOptions
  t.test(`a database that ${failure.what}`, options, (t) => testFailure(t, failure))
}

const longOptions = makeLong(postgresOptions)

t.test('a connection that the network forgets is replaced', longOptions, async (t) => {
  const { server, proxy } = await serveThroughProxy(t)
  const body = deposit()
  proxy.forget()
  const send = (): Promise<Answer> => ask(`${server.ready.url}/v2/deposits`, 'POST', body)
  t.match(await send(), { status: 503, retryAfter: '1', body: initiations[0][2] })
  const { status } = (await until(send, ({ status }) => status !== 503)).body
  t.match(status, /^(ACCEPTED|DUPLICATE_IGNORED)$/)
})

t.test('a database can be used through a socket, and restarts', postgresOptions, async (t) => {
  const cluster = await createCluster()
  t.teardown(() => cluster.remove())
  const server = await serve(t, ['--db', cluster.socketUrl])
  const url = `${server.ready.url}/v2/deposits`
  t.equal((await ask(url, 'POST', deposit())).body.status, 'ACCEPTED')
  cluster.stop()
  t.match(await ask(url, 'POST', deposit()), { status: 503, retryAfter: '1' })
  await until(
    async () => server.output(),
    (text) => /PostgreSQL does not answer at .*(closed|terminat|ENOENT)/.test(text)
  )
  const doctor = await run(t, ['doctor', '--port', '0', '--db', cluster.socketUrl])
  t.match(doctor, { code: 1, stdout: /PostgreSQL does not answer .*ENOENT.*\s+→ start it/ })
  cluster.start()
  const again = await until(
    () => ask(url, 'POST', deposit()),
    ({ status }) => status !== 503
  )
  t.equal(again.body.status, 'ACCEPTED')
})

interface Answer {
  status: number
  retryAfter: string | null
  body: any
}

/** Ends the sessions of the server. */
async function endSessions (url: string): Promise<void> {
  await runSql(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`
  )
}

async function ask (url: string, method: string, body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const { status, headers } = response
  return { status, retryAfter: headers.get('retry-after'), body: await response.json() }
}

/** Initiations, and the form of a refusal of their version. */
const initiations: Array<[path: string, make: () => object, refusal: object]> = [
  [
    '/v2/deposits',
    () => requests.v2.deposit!(),
    { failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: String } }
  ],
  [
    '/v2/payouts',
    () => requests.v2.payout!(),
    { failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: String } }
  ],
  ['/deposits', () => requests.v1.deposit!(), { errorCode: Number, errorMessage: String }]
]

/** Most payments that find room on a full disk. */
const mostAccepted = 2000

/** Starts a server whose database can fail. */
async function serveThroughProxy (
  t: Test,
  prepare: (url: string, t: Test) => Promise<string | undefined> = async () => undefined
): Promise<Setting> {
  const cluster = await createCluster()
  t.teardown(() => cluster.remove())
  const proxy = await startProxy(t, Number(new URL(cluster.url).port))
  await runSql(cluster.url, `CREATE ROLE ${role} LOGIN; GRANT CREATE ON SCHEMA public TO ${role}`)
  const skip = await prepare(cluster.url, t)
  const merchant = await receiver(t)
  const db = `postgres://${role}@127.0.0.1:${proxy.port}/postgres?statement_timeout=${statementMs}`
  const server = await serve(t, ['--db', db, '--callback-url', merchant.url])
  return { cluster, proxy, url: cluster.url, merchant, server, skip }
}

async function testFailure (t: Test, failure: Failure): Promise<void> {
  const setting = await serveThroughProxy(t, failure.prepare)
  if (setting.skip !== undefined) {
    t.pass('a failure of the database', { skip: setting.skip })
    return
  }
  const { merchant, server } = setting
  const { url } = server.ready
  const before = deposit()
  t.match(await ask(`${url}/v2/deposits`, 'POST', before), { body: { status: 'ACCEPTED' } })
  await until(
    async () => merchant.received.length,
    (count) => count === 1
  )
  let accepted = 1

  const end = await failure.begin(setting, t)
  const refused: Array<[path: string, body: object]> = []
  for (const [path, make, refusal] of initiations) {
    let body = make()
    let answer = await ask(url + path, 'POST', body)
    // The pages of a table may have room for some more rows.
    for (; answer.status === 200 && accepted < mostAccepted; accepted++) {
      body = make()
      answer = await ask(url + path, 'POST', body)
    }
    t.match(answer, { status: 503, retryAfter: '1', body: refusal }, `POST ${path}`)
    refused.push([path, body])
  }
  const state = await ask(`${url}/v2/deposits/${before.depositId}`, 'GET')
  if (failure.canRead === true) t.match(state, { status: 200, body: { status: /^FOUND$/ } })
  else {
    t.match(state, { status: 503, retryAfter: '1', body: initiations[0][2] })
    const admin = await ask(`${url}/__admin/payments`, 'GET')
    t.match(admin, { status: 503, retryAfter: '1', body: { error: { code: 'UNAVAILABLE' } } })
  }
  // Without its connection, the server does not know whether it still has the account.
  const wrong = await ask(`${url}/deposits`, 'POST', {})
  t.ok([400, 503].includes(wrong.status), 'a wrong request is refused')
  t.equal((await ask(`${url}/health`, 'GET')).status, 200, 'the process is healthy')
  await end()

  for (const [path, body] of refused) {
    const again = await until(
      () => ask(url + path, 'POST', body),
      ({ status }) => status !== 503
    )
    t.match(again.body.status, /^(ACCEPTED|DUPLICATE_IGNORED)$/, `POST ${path} again`)
    accepted++
  }
  const called = async (): Promise<number> =>
    new Set(merchant.received.map(({ body }) => body.depositId ?? body.payoutId)).size
  t.equal(await until(called, (count) => count >= accepted), accepted, 'all have their callback')
  t.match((await ask(`${url}/__admin/invariants`, 'GET')).body, { hold: true })
  await until(
    async () => server.output(),
    (text) => text.includes('the ledger can be used again')
  )
  const lines = server.output().split('\n')
  const reports = lines.filter((line) => line.includes('requests are refused until it can be used'))
  const ends = lines.filter((line) => line.includes('"the ledger can be used again"'))
  // A failure that turns into one with another advice is reported again: connections that were
  // ended, and then none that is free.
  const advices = new Set(reports.map((line) => /; .*/.exec(line)?.[0]))
  // While there is no room, a row may be changed in its place: then the ledger can be used again.
  const most = failure.canRead === true ? ends.length : advices.size
  t.equal(reports.length, most, 'it is reported once', { reports, ends })
  t.match(server.output(), failure.says)
}
