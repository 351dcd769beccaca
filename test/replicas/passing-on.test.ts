import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { folder, id, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, run, type Running } from '../support/process.ts'
import { followEvents } from '../support/sse.ts'
import { kill, ownerOf, partServers, serveMany, serveShared } from './servers.ts'

/** Several servers with one ledger: an account is on one of them, the others pass requests on. */

const token = 'test-token'
const longOptions = makeLong(postgresOptions)

/** Sends a request to a server. */
function ask (
  { ready: { url } }: Running,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {}
): Promise<Response> {
  return fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
  })
}

t.test('each request of an account is answered by its server', postgresOptions, async (t) => {
  const served = await serveMany(t, 3, ['--clock', 'frozen'])
  const [first] = served.servers
  const depositId = id()
  await ask(first, 'POST', '/v2/deposits', deposit(depositId))
  const page = await (
    await ask(first, 'POST', '/v2/paymentpage', { depositId: id(), returnUrl: 'https://a.example' })
  ).json()
  const checkout = await (
    await ask(first, 'POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://a.example' })
  ).json()
  const linkOf = (answer: unknown): string =>
    /https?:\/\/[^"]*?(\/(?:pay|checkout)\/[^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? 'no link'
  await ask(first, 'POST', '/__admin/accounts', { name: 'shop', tokens: [{ token: 'shop' }] })
  const rows: Array<[method: string, path: string, status: number, body?: unknown, as?: string]> = [
    ['POST', '/v2/deposits', 200, deposit(depositId)],
    ['GET', `/v2/deposits/${depositId}`, 200],
    ['GET', `/deposits/${depositId}`, 200],
    ['HEAD', `/v2/deposits/${depositId}`, 200],
    ['POST', '/deposits', 200, requests.v1.deposit!()],
    ['POST', '/v2/payouts/bulk', 200, [requests.v2.payout!(), requests.v2.payout!()]],
    ['POST', '/v2/deposits', 400, '{'],
    ['POST', '/v2/deposits', 413, `"${'x'.repeat(2 ** 20)}"`],
    ['GET', '/v2/nothing', 404],
    ['GET', '/v2/active-conf', 200],
    ['GET', '/v2/active-conf', 401, undefined, 'nobody'],
    ['GET', '/public-key/http', 200, undefined, 'nobody'],
    ['GET', '/__admin/payments', 200],
    ['PATCH', '/__admin/account', 200, { companyName: 'Shop' }],
    ['POST', '/__admin/clock/advance', 200, { by: '1s' }],
    ['GET', '/__admin/ui/payments', 200],
    ['GET', '/__admin/accounts', 200],
    ['GET', '/__admin/phone/260763456789?key=424242.x', 200],
    ['GET', linkOf(page), 200],
    ['GET', linkOf(checkout), 200]
  ]
  const owner = await ownerOf(served)
  for (const [method, path, status, body, as] of rows) {
    const numbers = new Set<string | null>()
    for (const server of served.servers) {
      const headers: Record<string, string> =
        as === undefined ? {} : { authorization: `Bearer ${as}` }
      const answer = await ask(server, method, path, body, headers)
      t.equal(answer.status, status, `${method} ${path} at ${server === owner ? 'its' : 'another'}`)
      numbers.add(answer.headers.get('x-momock-server'))
      await answer.arrayBuffer()
    }
    t.equal(numbers.size, 1, `${method} ${path} is answered by one server`)
  }
  const named = await Promise.all(
    served.servers.map((server) => ask(server, 'GET', '/__admin/ui/payments?account=shop'))
  )
  t.equal(new Set(named.map(({ headers }) => headers.get('x-momock-server'))).size, 1)
  const { body } = await first.call('GET', '/__admin/requests?limit=1000')
  t.notMatch(JSON.stringify(body), /x-momock-server-token/, 'the journal has no secret')
})

t.test('an answer that is cut off is cut off for the client, too', postgresOptions, async (t) => {
  const served = await serveMany(t, 2)
  await served.servers[0].call('GET', '/v2/active-conf')
  const { other } = await partServers(served)
  for (const fault of ['reset', 'lost', 'truncated']) {
    await other.call('POST', '/__admin/scenarios', {
      name: fault,
      when: { kind: 'deposit' },
      fault
    })
    const body = deposit()
    const answer = ask(other, 'POST', '/v2/deposits', body).then((answer) => answer.text())
    await t.rejects(answer, fault)
    await other.call('DELETE', `/__admin/scenarios/${fault}`)
    const { status } = (await other.call('GET', `/v2/deposits/${body.depositId}`)).body
    t.equal(status, fault === 'reset' ? status : 'FOUND', `${fault}: it is stored`)
  }
  t.equal(await ownerOf(served) === other, false, 'its server was not ended for it')
})

t.test('a call that is answered with 503 is sent once', postgresOptions, async (t) => {
  const served = await serveMany(t, 2)
  const body = deposit()
  await served.servers[0].call('POST', '/v2/deposits', body)
  const { owner, other } = await partServers(served)
  await other.call('PUT', '/__admin/status-checks', { answers: [{ status: 503 }] })
  const check = (): Promise<Response> => ask(other, 'GET', `/v2/deposits/${body.depositId}`)
  t.equal((await check()).status, 503)
  t.equal((await check()).status, 200)
  const { requests } = (await owner.call('GET', '/__admin/requests')).body
  const checks = requests.filter(({ request }: any) => request.method === 'GET')
  t.equal(checks.length, 2, 'the journal has both')
})

t.test('each server shows its own metrics', postgresOptions, async (t) => {
  const served = await serveMany(t, 2)
  await served.servers[0].call('POST', '/v2/deposits', deposit())
  const { owner, other } = await partServers(served)
  const count = async (server: Running): Promise<number> => {
    const text = await (await ask(server, 'GET', '/__admin/metrics')).text()
    const lines = text.split('\n').filter((line) => line.startsWith('momock_payments{'))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  t.strictSame([await count(owner), await count(other)], [1, 0])
})

t.test('changed tokens count everywhere, also after a takeover', longOptions, async (t) => {
  const config = {
    accounts: [
      { name: 'default', tokens: [{ token }] },
      { name: 'shop', tokens: [{ token: 'old' }] }
    ]
  }
  const file = join(folder(t), 'momock.config.json')
  writeFileSync(file, JSON.stringify(config))
  const served = await serveMany(t, 2, ['--config', file])
  const [one, two] = served.servers
  const as = async (server: Running, name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${name}` }
    return (await ask(server, 'GET', '/v2/active-conf', undefined, headers)).status
  }
  for (const server of [one, two]) t.equal(await as(server, 'old'), 200)
  const headers = { authorization: 'Bearer old' }
  const change = { tokens: [{ token: 'new' }], companyName: 'Shop 2' }
  t.equal((await ask(one, 'PATCH', '/__admin/account', change, headers)).status, 200)
  for (const server of [two, one]) {
    t.equal(await as(server, 'old'), 401)
    t.equal(await as(server, 'new'), 200)
  }
  const { owner, other } = await partServers(served, 'shop')
  await kill(served, owner)
  await until(() => as(other, 'new'), (status) => status === 200)
  t.equal(await as(other, 'old'), 401)
})

t.test('streams and files pass through', longOptions, async (t) => {
  const served = await serveMany(t, 2, ['--clock', 'frozen'])
  await served.servers[0].call('GET', '/v2/active-conf')
  const { owner, other } = await partServers(served)
  const stream = await followEvents(t, other.ready.url)
  await owner.call('POST', '/v2/deposits', deposit())
  t.match(await stream.collect(({ event }) => event === 'accepted', 1), { length: 1 })
  stream.close()
  await other.call('POST', '/__admin/snapshots', { name: 'one' })
  const file = await ask(other, 'GET', '/__admin/snapshots/one/file')
  const bytes = Buffer.from(await file.arrayBuffer())
  const upload = await fetch(`${other.ready.url}/__admin/snapshots/two/file`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    body: bytes
  })
  t.ok(upload.ok, `${upload.status} ${await upload.text()}`)
  t.match((await owner.call('GET', '/__admin/snapshots')).body.snapshots, { length: 2 })
})

t.test('servers that are asked at once agree who has an account', longOptions, async (t) => {
  const { db, servers } = await serveMany(t, 3)
  const countDeadlocks = async (): Promise<number> => {
    const [row] = await runSql(
      db,
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'
    )
    return Number(row.deadlocks)
  }
  const before = await countDeadlocks()
  const tokens = Array.from({ length: 30 }, (_, n) => `sandbox-${n}`)
  // Each server makes the accounts in another order.
  const orders = [tokens, tokens.toReversed(), [...tokens.slice(15), ...tokens.slice(0, 15)]]
  const answers = await Promise.all(
    orders.map((order, n) =>
      Promise.all(
        order.map(async (sandbox) => {
          const headers = { authorization: `Bearer ${sandbox}` }
          const answer = await ask(servers[n], 'POST', '/v2/deposits', deposit(), headers)
          return { sandbox, status: answer.status, server: answer.headers.get('x-momock-server') }
        })
      )
    )
  )
  const places = new Set(answers.flat().map(({ sandbox, server }) => `${sandbox} ${server}`))
  t.equal(places.size, tokens.length)
  t.strictSame(new Set(answers.flat().map(({ status }) => status)), new Set([200]))
  t.equal(await countDeadlocks(), before, 'nobody waits in a circle')
})

t.test('a stranger is not taken for a server', postgresOptions, async (t) => {
  const { servers: [server] } = await serveMany(t, 1)
  for (const given of ['1', '1795101987000.digest.code', '']) {
    const headers = { 'x-momock-server-token': given }
    const answer = await ask(server, 'GET', '/v2/active-conf', undefined, headers)
    t.equal(answer.status, 403, `'${given}'`)
    t.match(await answer.text(), /x-momock-server-token is for servers/)
  }
})

t.test('whoever has the port of a dead server answers nobody', longOptions, async (t) => {
  const served = await serveMany(t, 2)
  await served.servers[0].call('GET', '/v2/active-conf')
  const { owner, other } = await partServers(served)
  // Its session stays, as if the machine were cut off, and a program takes its port.
  owner.process.kill('SIGSTOP')
  t.teardown(() => owner.process.kill('SIGCONT'))
  const seen: string[] = []
  const thief = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.end('{"status":"STOLEN"}')
  })
  t.teardown(() => thief.close())
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', () => resolve()))
  const { port } = thief.address() as { port: number }
  await runSql(
    served.db,
    `UPDATE servers SET url = 'http://127.0.0.1:${port}' WHERE url = '${owner.ready.url}'`
  )
  const answer = await until(
    () => other.call('GET', '/v2/active-conf'),
    ({ status }) => status === 200
  )
  t.notMatch(answer.body, { status: 'STOLEN' })
  t.equal((await ownerOf(served))?.ready.url, other.ready.url)
})

t.test('the server of an account is killed under load', postgresOptions, async (t) => {
  const received = new Map<string, number>()
  const merchant = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk)).on('end', () => {
      const { depositId } = JSON.parse(text)
      received.set(depositId, (received.get(depositId) ?? 0) + 1)
      response.end()
    })
  })
  await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', () => resolve()))
  t.teardown(() => merchant.close())
  const { port } = merchant.address() as { port: number }
  const url = `http://127.0.0.1:${port}/`
  const served = await serveMany(t, 3, ['--callback-url', url])
  await served.servers[0].call('GET', '/v2/active-conf')
  const { owner } = await partServers(served)
  const others = served.servers.filter((server) => server !== owner)
  const accepted: string[] = []
  const end = new AbortController()
  const send = async (n: number): Promise<void> => {
    for (let turn = n; !end.signal.aborted; turn++) {
      const body = deposit()
      const sent = others[turn % 2].call('POST', '/v2/deposits', body)
      const answer = await sent.catch(() => undefined)
      if (answer?.body?.status === 'ACCEPTED') accepted.push(body.depositId)
    }
  }
  const load = Promise.all([0, 1, 2, 3].map(send))
  await until(async () => accepted.length, (count) => count > 100)
  await kill(served, owner)
  const killed = performance.now()
  const before = accepted.length
  await until(async () => accepted.length, (count) => count > before + 4)
  t.ok(performance.now() - killed < 3000, 'others answer within 3 s')
  await until(async () => accepted.length, (count) => count > before + 100)
  end.abort()
  await load
  const { body } = await others[0].call('GET', '/__admin/payments?limit=1000')
  const stored = body.payments.map(({ id }: { id: string }) => id)
  t.equal(new Set(stored).size, stored.length, 'each payment once')
  t.strictSame(accepted.filter((one) => !stored.includes(one)), [], 'every answered one is there')
  await until(
    async () => accepted.filter((one) => !received.has(one)),
    ({ length }) => length === 0
  )
  t.match((await others[1].call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('a server that was stalled writes nothing when it comes back', longOptions, async (t) => {
  const served = await serveMany(t, 2)
  await served.servers[0].call('GET', '/v2/active-conf')
  const { owner, other } = await partServers(served)
  const { hostname, port } = new URL(owner.ready.url)
  const body = deposit()
  const text = JSON.stringify(body)
  owner.process.kill('SIGSTOP')
  // A request that it will read when it comes back.
  const socket = connectTcp(Number(port), hostname)
  let late = ''
  socket.on('data', (chunk) => (late += chunk))
  t.teardown(() => socket.destroy())
  socket.write(
    `POST /v2/deposits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  )
  await until(() => other.call('GET', '/v2/active-conf'), ({ status }) => status === 200)
  t.match(await other.call('POST', '/v2/deposits', body), { body: { status: 'ACCEPTED' } })
  owner.process.kill('SIGCONT')
  await until(async () => late, (answer) => answer.includes('}'))
  t.match(late, /DUPLICATE_IGNORED|503/, 'it asks the server that has the account now')
  t.equal((await ownerOf(served))?.ready.url, other.ready.url)
  const { body: list } = await until(
    () => owner.call('GET', '/__admin/payments'),
    ({ status }) => status === 200
  )
  t.match(list.payments, { length: 1 })
})

t.test('a server whose session was ended comes back', postgresOptions, async (t) => {
  const served = await serveMany(t, 2)
  const [one, two] = served.servers
  const body = deposit()
  await one.call('POST', '/v2/deposits', body)
  for (let n = 0; n < 3; n++) {
    await runSql(
      served.db,
      'SELECT pg_terminate_backend(session::int) FROM servers ORDER BY number LIMIT 1'
    )
    for (const server of [one, two]) {
      const again = await until(
        () => server.call('POST', '/v2/deposits', body),
        ({ status }) => status === 200
      )
      t.match(again.body, { status: 'DUPLICATE_IGNORED' })
    }
  }
  t.match((await two.call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('a ledger in use is not emptied, and no other version joins', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const server = await serveShared(t, db)
  const fresh = await run(t, ['--db', db, '--fresh', '--port', '0'])
  t.equal(fresh.code, 4)
  t.match(fresh.stderr, `in use by another momock (server 1 at ${server.ready.url})`)
  await runSql(db, "UPDATE servers SET version = '0.9.0'")
  const other = await run(t, ['--db', db, '--port', '0'])
  t.equal(other.code, 4)
  t.match(other.stderr, /servers of momock 0\.9\.0 use this ledger, and this is momock/)
  await kill({ db, servers: [server] }, server)
  const next = await serveShared(t, db, ['--fresh'])
  t.match((await next.call('GET', '/__admin/payments')).body, { payments: { length: 0 } })
})
