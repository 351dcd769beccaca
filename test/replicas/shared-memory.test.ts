import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { act, visit } from '../support/dashboard.ts'
import { examReport } from '../support/exam-report.ts'
import { id, until } from '../support/helper.ts'
import { makeLong } from '../support/full.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, run, type Running } from '../support/process.ts'
import type { Outcome } from '../support/program.ts'
import { serveMany, serveShared } from './servers.ts'
import { followEvents, type Message } from '../support/sse.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { waitFor } from '../support/waits.ts'

/** What servers keep in memory is shown by each of them, wherever it happened. */

const longOptions = makeLong(postgresOptions)

const sink = '/__admin/sink/shop'

/** Sends requests to three servers in turn: accepted, refused, without an operation. */
async function sendTraffic ([one, other, third]: Running[]): Promise<string> {
  const { depositId } = deposit()
  await one.call('POST', '/v2/deposits', deposit(depositId))
  await other.call('POST', '/v2/deposits', { ...deposit(), amount: '0' })
  await third.call('GET', '/v2/nothing')
  await one.call('POST', '/deposits', {})
  await other.call('POST', sink, { n: 1 })
  await third.call('POST', sink, { n: 2 })
  return depositId
}

/** Admin calls, and a part of the answer that needs what happened on all servers. */
const reads: Array<[method: string, path: string, wanted: object, body?: object]> = [
  [
    'GET',
    '/__admin/requests',
    {
      meta: { total: 4 },
      requests: [
        { id: 4, request: { path: '/deposits' } },
        { id: 3, request: { path: '/v2/nothing' }, matched: false },
        { id: 2, response: { body: { status: 'REJECTED' } } },
        { id: 1, response: { body: { status: 'ACCEPTED' } } }
      ]
    }
  ],
  ['GET', '/__admin/requests?before=3&limit=1', { requests: [{ id: 2 }] }],
  ['GET', '/__admin/requests/unmatched', { meta: { total: 1 } }],
  [
    'GET',
    '/__admin/requests?outcome=refused&nearest=true',
    { requests: [{}, {}, { nearest: { method: 'POST' } }] }
  ],
  ['POST', '/__admin/requests/find', { meta: { total: 3 } }, { method: 'POST' }],
  ['POST', '/__admin/requests/count', { count: 2 }, { path: '/v2/deposits' }],
  [
    'POST',
    '/__admin/verify',
    { passed: true },
    {
      expectations: [
        { request: { method: 'POST', path: '/v2/deposits' }, count: 2 },
        { inOrder: [{ request: { path: '/v2/nothing' } }, { request: { path: '/deposits' } }] }
      ]
    }
  ],
  ['GET', '/__admin/lint', { dropped: 0, findings: [{}] }],
  ['GET', '/__admin/coverage?groups=rejectionCodes', { covered: 1 }],
  [
    'GET',
    sink,
    {
      received: 2,
      callbacks: [
        { n: 1, body: { n: 1 } },
        { n: 2, body: { n: 2 } }
      ]
    }
  ]
]

t.test('every server shows the same', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3, ['--public-url', 'http://mock.example'])
  await sendTraffic(servers)
  for (const [method, path, wanted, body] of reads) {
    const answers = await Promise.all(servers.map(({ call }) => call(method, path, body)))
    t.match(answers[0], { status: 200, body: wanted }, `${method} ${path}`)
    for (const answer of answers) t.strictSame(answer, answers[0], `${method} ${path}: the same`)
  }
  await t.test('a change on one server counts on all', async (t) => {
    await servers[1].call('DELETE', '/__admin/requests')
    await servers[2].call('DELETE', sink)
    for (const { call } of servers) {
      t.equal((await call('GET', '/__admin/requests')).body.meta.total, 0)
      t.equal((await call('GET', sink)).body.received, 0)
    }
    await servers[0].call('POST', '/__admin/reset?forget=coverage')
    const { body } = await servers[1].call('GET', '/__admin/coverage?groups=rejectionCodes')
    t.equal(body.covered, 0)
  })
})

t.test('ordered answers are given once, by whichever server', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  await one.call('PUT', sink, { answers: [500, 503], then: 202 })
  t.match((await third.call('GET', sink)).body.answers, [{ status: 500 }, { status: 503 }])
  const received = async ({ call }: Running): Promise<number> =>
    (await call('POST', sink, {})).status
  t.strictSame(
    [await received(other), await received(third), await received(other), await received(one)],
    [500, 503, 202, 202]
  )
  const { depositId } = deposit()
  await one.call('POST', '/v2/deposits', deposit(depositId))
  await other.call('PUT', '/__admin/status-checks', {
    answers: [{ found: false }, { status: 500 }],
    then: { record: { country: 'XYZ' } }
  })
  t.match((await third.call('GET', '/__admin/status-checks')).body.answers, [{ found: false }, {}])
  const check = ({ call }: Running): Promise<{ status: number; body: any }> =>
    call('GET', `/v2/deposits/${depositId}`)
  t.match(await check(one), { status: 200, body: { status: 'NOT_FOUND' } })
  t.match(await check(third), { status: 500 })
  for (const server of servers) {
    t.match(await check(server), { status: 200, body: { data: { country: 'XYZ' } } })
  }
})

/** Paths of ordered answers. */
const orderPaths = [sink, '/__admin/status-checks']

t.test('of several orders at once, all servers have the same one', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3, ['--public-url', 'http://mock.example'])
  for (const path of orderPaths) {
    let count = 0
    for (let round = 0; round < 10; round++) {
      const then = (): object => ({ status: [500, 503][count++ % 2] })
      const order = ({ call }: Running) => call('PUT', path, { answers: [{}], then: then() })
      await Promise.all([...servers, ...servers].map(order))
      const shown = await Promise.all(servers.map(({ call }) => call('GET', path)))
      const [{ body }] = shown
      t.equal(body.answers.length, 1, path)
      t.strictSame(shown.map((answer) => answer.body), [body, body, body], `${path}: the same`)
    }
  }
})

t.test('orders and a reset at once leave the same on all servers', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3, ['--public-url', 'http://mock.example'])
  const [one, other, third] = servers
  for (let round = 0; round < 10; round++) {
    const orders = { answers: [{}], then: { status: [500, 503][round % 2] } }
    await Promise.all([
      ...orderPaths.map((path) => one.call('PUT', path, orders)),
      other.call('POST', '/__admin/reset'),
      third.call('DELETE', sink)
    ])
    for (const path of orderPaths) {
      const shown = await Promise.all(servers.map(({ call }) => call('GET', path)))
      const [{ body }] = shown
      t.strictSame(shown.map((answer) => answer.body), [body, body, body], path)
      t.equal(body.answers.length, body.then.status === orders.then.status ? 1 : 0, 'all or none')
    }
  }
})

t.test('an order does not wait for the ledger, nor others for it', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  third.process.kill('SIGSTOP')
  t.teardown(() => third.process.kill('SIGKILL'))
  const ended: string[] = []
  const note = async (name: string, call: Promise<unknown>): Promise<void> => {
    await call
    ended.push(name)
  }
  await Promise.all([
    note('order', one.call('PUT', sink, [500])),
    note('payment', other.call('POST', '/v2/deposits', deposit())),
    note('clock', other.call('GET', '/__admin/clock'))
  ])
  t.equal(ended.at(-1), 'order', 'it asks the server that has stopped, and others do not wait')
  t.equal((await other.call('POST', sink, {})).status, 500)
})

t.test('an exam report is shown by all servers, the last one', longOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  await servers[0].call('PUT', '/__admin/exam/report', { ...examReport, checks: [] })
  await servers[1].call('PUT', '/__admin/exam/report', examReport)
  for (const { call } of servers) {
    t.same((await call('GET', '/__admin/exam')).body, examReport)
  }
})

t.test('the result of a form is shown by all servers', longOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const clients = servers.map(({ ready: { url } }) => ({ url }))
  const pages: string[] = []
  for (const client of clients) {
    const fields = { back: '/scenarios', name: 'no-such-scenario' }
    const { headers } = await act(client, 'delete-scenario', fields)
    pages.push(headers.get('location') ?? '')
  }
  t.equal(new Set(pages).size, 3, 'each result has its own number')
  for (const page of pages) {
    for (const client of clients) t.match((await visit(client, page)).text, /no-such-scenario/)
  }
})

t.test('a stream has the events of all servers, each once', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const ids = servers.map(() => id())
  const stream = await followEvents(t, servers[0].ready.url)
  for (const [n, { call }] of servers.entries()) await call('POST', '/v2/deposits', deposit(ids[n]))
  const seen = await stream.collect(({ event }) => event === 'accepted', 3)
  t.strictSame(
    seen.map(({ data }) => data.paymentId),
    ids
  )
  stream.close()
  const between = id()
  await servers[1].call('POST', '/v2/deposits', deposit(between))
  const again = await followEvents(t, servers[2].ready.url, seen[2].id)
  const later = id()
  await servers[0].call('POST', '/v2/deposits', deposit(later))
  const rest = await again.collect(({ event }) => event === 'accepted', 2)
  t.strictSame(
    rest.map(({ data }) => data.paymentId),
    [between, later],
    'a client that connects to another server misses nothing and gets nothing twice'
  )
})

t.test('a stream follows a server that is started later', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 1)
  const stream = await followEvents(t, servers[0].ready.url)
  const added = await serveShared(t, db)
  const { depositId } = deposit()
  await added.call('POST', '/v2/deposits', deposit(depositId))
  const [{ data }] = await stream.collect(({ event }) => event === 'accepted', 1)
  t.equal(data.paymentId, depositId)
})

t.test('a stream loses nothing while servers cannot reach each other', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  const [{ url }] = await runSql(db, 'SELECT url FROM servers WHERE number = 2')
  const network = await startProxy(t, Number(new URL(url).port))
  await runSql(db, `UPDATE servers SET url = 'http://127.0.0.1:${network.port}' WHERE number = 2`)
  const stream = await followEvents(t, servers[0].ready.url)
  const ids = [id(), id(), id()]
  const isAccepted = ({ event }: Message): boolean => event === 'accepted'
  await servers[1].call('POST', '/v2/deposits', deposit(ids[0]))
  const before = await stream.collect(isAccepted, 1)
  await network.refuse()
  await servers[1].call('POST', '/v2/deposits', deposit(ids[1]))
  await servers[1].call('POST', '/v2/deposits', deposit(ids[2]))
  await network.listen()
  const after = await stream.collect(isAccepted, 2)
  t.strictSame(
    [...before, ...after].map(({ data }) => data.paymentId),
    ids
  )
})

t.test('waits and pages see what happens on other servers', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  const { depositId } = deposit()
  const matcher = { path: `/v2/deposits/${depositId}` }
  const request = one.call('POST', '/__admin/wait/request', { matcher })
  const payment = one.call('POST', '/__admin/wait/payment', { matcher: { id: depositId } })
  const page = await followEvents(t, `${one.ready.url}/__admin/ui`)
  const changesOf = ({ data }: { data: any }): number => data.changes
  const [before] = await page.collect(({ event }) => event === 'state', 1)
  await other.call('POST', '/v2/deposits', deposit(depositId))
  await third.call('GET', `/v2/deposits/${depositId}`)
  t.match(await request, { status: 200, body: { operation: 'v2FindDeposit' } })
  t.match(await payment, { status: 200, body: { id: depositId } })
  const [after] = await page.collect((event) => changesOf(event) > changesOf(before), 1)
  t.ok(after, 'the dashboard is told of the payment')
  const wait = await third.call('POST', '/__admin/wait', { kind: 'deposit', id: depositId })
  t.match(wait, { status: 200, body: { status: 'COMPLETED' } })
})

t.test('metrics are of one server, or of the ledger', longOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  await servers[0].call('POST', '/v2/deposits', deposit())
  await servers[0].call('PUT', '/__admin/clock', { mode: 'frozen' })
  const texts = await Promise.all(
    servers.map(async ({ ready: { url } }) => await (await fetch(`${url}/__admin/metrics`)).text())
  )
  const accepted = /momock_initiations_total\{server="(\d+)"[^}]*outcome="ACCEPTED"[^}]*\} 1/
  t.match(texts[0], accepted)
  t.notMatch(texts[1], accepted)
  for (const text of texts) t.match(text, /^momock_payments\{kind="deposit",[^}]*\} 1$/m)
})

t.test('a server that does not answer is left out', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  await sendTraffic([servers[0], servers[0], servers[1]])
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  await runSql(db, `INSERT INTO servers VALUES (99, '0.1.0', 'http://127.0.0.1:${port}', now())`)
  for (let n = 0; n < 2; n++) {
    t.equal((await servers[0].call('GET', '/__admin/requests')).body.meta.total, 4)
  }
  const lines = servers[0].output().match(/server 99 .* does not answer .*/g)
  t.equal(lines?.length, 1, 'the log says so once')
  await servers[1].stop('SIGKILL')
  t.equal((await servers[0].call('GET', '/__admin/requests')).body.meta.total, 3, 'nor a dead one')
})

t.test('servers are listed while they run', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  const list = (): Promise<any[]> => runSql(db, 'SELECT number FROM servers ORDER BY number')
  t.same(await list(), [{ number: '1' }, { number: '2' }])
  await servers[0].stop()
  t.same(await list(), [{ number: '2' }], 'a server that stops')
  await runSql(
    db,
    "INSERT INTO servers VALUES (7, '9.9.9', 'http://127.0.0.1:1', now() - interval '16 s')"
  )
  await until(list, ({ length }) => length === 1)
  t.same(await list(), [{ number: '2' }], 'a server that was not renewed for 15 s')
})

t.test('a server of another version is refused', postgresOptions, async (t) => {
  const { db, servers } = await serveMany(t, 1)
  const [major, minor] = servers[0].ready.version.split('.')
  const start = (version: string): Promise<Outcome> => startBeside(t, db, version)
  const { code, stderr } = await start(`${major}.${Number(minor) + 1}.0`)
  t.equal(code, 4)
  t.match(stderr, /servers of momock \S+ use this ledger, and this is momock/)
  const rows = await runSql(db, 'SELECT number FROM servers')
  t.equal(rows.length, 1, 'it was not added')
  const leases = await runSql(db, 'SELECT owner FROM server_leases')
  t.equal(leases.length, 1, 'it leaves no lease')
  const doctor = await run(t, ['doctor', '--port', '0', '--db', db])
  t.match(doctor, { code: 1, stdout: /fail +ledger +servers of momock \S+ use this ledger/ })
  const other = await start(`${major}.${minor}.99`)
  t.equal(other.code, null, 'the last number of the version may differ: it runs until it is killed')
})

/** Starts a server beside one that seems to have another version. */
async function startBeside (t: Test, db: string, version: string): Promise<Outcome> {
  await runSql(db, `UPDATE servers SET version = '${version}'`)
  return await waitFor('a start', run(t, ['--db', db, '--servers', 'many', '--port', '0']))
}

t.test('whoever takes the port of a server learns and answers nothing', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 1)
  const [own] = await runSql(db, 'SELECT url, version FROM servers')
  const asked: Array<{ path: string; body: string; authorization: string }> = []
  const stranger = createHttpServer((request, response) => {
    const { url: path = '', headers } = request
    text(request).then((body) => {
      asked.push({ path, body, authorization: headers.authorization ?? '' })
      response.end(JSON.stringify({ now: 1, value: 'x' }))
    }, () => {})
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.teardown(() => stranger.close())
  const { port } = stranger.address() as AddressInfo
  await runSql(
    db,
    'INSERT INTO servers (number, version, url, seen) ' +
      `VALUES (999, '${own.version}', 'http://127.0.0.1:${port}', now() + interval '1 hour')`
  )
  const answer = await servers[0].call('GET', '/__admin/requests')
  t.match(answer, { status: 200, body: { requests: { length: 0 } } }, 'its part is left out')
  t.ok(asked.length > 0, 'it was asked')
  const [{ secret }] = await runSql(db, 'SELECT secret FROM server_secret')
  for (const { path, body, authorization } of asked) {
    t.notMatch(authorization, secret)
    const headers = { authorization }
    const { status } = await fetch(own.url + path, { method: 'POST', headers, body })
    t.equal(status, 401, `${path} cannot be sent on to another server`)
  }
})

t.test('a listener for servers refuses everybody else', longOptions, async (t) => {
  const { db } = await serveMany(t, 1)
  const [{ url }] = await runSql(db, 'SELECT url FROM servers')
  for (const headers of [{}, { authorization: 'Bearer x' }]) {
    const { status } = await fetch(`${url}/call/readJournal`, { method: 'POST', headers })
    t.equal(status, 401)
  }
})
