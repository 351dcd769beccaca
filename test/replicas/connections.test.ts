import t from 'tap'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { postgresOptions, runSql } from '../support/postgres.ts'
import { deposit, type Answer, type Running } from '../support/process.ts'
import { followEvents } from '../support/sse.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { ownerOf, partServers, sendAll, serveMany } from './servers.ts'

/** Connections between servers that fail, and a server that stops in the middle of a call. */

const longOptions = makeLong(postgresOptions)

/** Payment in a list. */
interface Payment {
  status: string
}

/** Longest time that a client waits for an answer. */
const clientMs = 2000

/** What happens to the connections, and whether the server loses its accounts by it. */
const failures: Array<[what: string, begin: (proxy: TcpProxy) => unknown, isEnded: boolean]> = [
  ['are refused', (proxy) => proxy.refuse(), true],
  ['deliver nothing', (proxy) => proxy.pause(), true],
  ['deliver nothing for a while', (proxy) => pauseForCalls(proxy), false],
  ['are forgotten by the network', (proxy) => proxy.forget(), false],
  ['are cut in the middle of a request', (proxy) => proxy.cutAt('depositId'), false]
]
/** Calls, of clients and of the other server, during which a server seems to be busy. */
const callsOfPause = 6

async function pauseForCalls (proxy: TcpProxy): Promise<void> {
  const before = proxy.opened()
  proxy.pause()
  await until(
    async () => proxy.opened() - before,
    (calls) => calls >= callsOfPause
  )
  proxy.resume()
}

for (const [what, begin, isEnded] of failures) {
  t.test(`connections to the server of an account ${what}`, longOptions, async (t) => {
    const served = await serveMany(t, 2)
    await served.servers[0].call('GET', '/v2/active-conf')
    const { owner, other } = await partServers(served)
    const { url } = owner.ready
    const proxy = await startProxy(t, Number(new URL(url).port))
    // The other one has not asked yet where the account is.
    await runSql(
      served.db,
      `UPDATE servers SET url = 'http://127.0.0.1:${proxy.port}' WHERE url = '${url}'`
    )
    const first = deposit()
    t.match(await send(other, first), { body: { status: 'ACCEPTED' } })
    t.ok(proxy.count() > 0, 'it was passed on')

    const isUnderWay = begin(proxy)
    const second = deposit()
    const answer = await until(
      () => send(other, second),
      (answer) => answer?.status === 200
    )
    t.match(answer?.body.status, /^(ACCEPTED|DUPLICATE_IGNORED)$/)
    await isUnderWay
    t.equal((await ownerOf(served)) === other, isEnded, 'who has the account')
    for (const server of served.servers) {
      const again = await until(
        () => send(server, second),
        (answer) => answer?.status === 200
      )
      t.match(again, { body: { status: 'DUPLICATE_IGNORED' } })
      t.match((await server.call('GET', '/__admin/payments')).body.payments, { length: 2 })
    }
    t.match((await other.call('GET', '/__admin/invariants')).body, { hold: true })
  })
}

/** Calls that take a while, with the states that the payments may have afterwards. */
const longCalls: Array<[what: string, path: string, body: object, states: string[]]> = [
  ['an advance', '/__admin/clock/advance', { by: '1h' }, ['ACCEPTED', 'COMPLETED']],
  ['a reset', '/__admin/reset', {}, ['ACCEPTED']],
  ['a snapshot', '/__admin/snapshots', { name: 'one' }, ['ACCEPTED']]
]
const count = 300
for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  for (const [what, path, body, states] of longCalls) {
    t.test(`a server gets ${signal} during ${what}`, longOptions, async (t) => {
      const served = await serveMany(t, 2, ['--clock', 'frozen'])
      const deposits = Array.from({ length: count }, () => deposit())
      await sendAll(
        served.servers,
        deposits.map((body) => ['POST', '/v2/deposits', body])
      )
      const { owner, other } = await partServers(served)
      const call = other.call('POST', path, body).catch(() => undefined)
      await other.call('GET', '/v2/active-conf')
      await owner.stop(signal)
      const answer = await call
      t.ok(answer === undefined || [200, 201, 503].includes(answer.status), 'a clear answer')

      const list = (): Promise<Answer> => other.call('GET', `/__admin/payments?limit=${count}`)
      const { body: found } = await until(list, ({ status }) => status === 200)
      // A reset is done or not. The others lose no payment.
      t.ok([count, path.endsWith('reset') ? 0 : count].includes(found.payments.length))
      const stray = found.payments.filter(({ status }: Payment) => !states.includes(status))
      t.strictSame(stray, [], 'no payment is in between')
      const again = await other.call('POST', path, body)
      t.ok([200, 201, 409].includes(again.status), `it can be repeated: ${again.status}`)
      t.match((await other.call('GET', '/__admin/invariants')).body, { hold: true })
    })
  }
}

t.test('a stream ends with its server, and goes on at the next one', longOptions, async (t) => {
  const served = await serveMany(t, 2, ['--clock', 'frozen'])
  await served.servers[0].call('GET', '/v2/active-conf')
  const { owner, other } = await partServers(served)
  const isAccepted = ({ event }: { event: string }): boolean => event === 'accepted'
  const stream = await followEvents(t, other.ready.url)
  await other.call('POST', '/v2/deposits', deposit())
  await stream.collect(isAccepted, 1)
  await owner.stop('SIGTERM')
  await stream.ended
  const next = await followEvents(t, other.ready.url)
  await other.call('POST', '/v2/deposits', deposit())
  t.match(await next.collect(isAccepted, 1), { length: 1 })
  next.close()
})

/** Sends a deposit as a client that does not wait for ever. */
async function send (
  { ready: { url } }: Running,
  body: object
): Promise<Pick<Answer, 'status' | 'body'> | undefined> {
  try {
    const response = await fetch(`${url}/v2/deposits`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(clientMs)
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return undefined
  }
}
