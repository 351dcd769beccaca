import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import t, { type Test } from 'tap'
import { balancerOptions, startBalancer } from '../support/balancer.ts'
import { makeLong } from '../support/full.ts'
import { id, receiver, until } from '../support/helper.ts'
import { freePort } from '../support/ports.ts'
import { createCluster, createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { deposit, serve, type Running } from '../support/process.ts'

/** Servers behind the load balancer of examples/replicas. */

const options = postgresOptions.skip === false ? balancerOptions : postgresOptions

/** Clients that send requests all the time, each on its own connection. */
const clientCount = 4

/** Answers that the clients got, by what they asked for. */
interface Load {
  accepted: string[]
  failures: unknown[]
  stop: () => Promise<void>
}

/** Sends payments and status checks to a URL until it is stopped. */
function sendLoad (t: Test, url: string): Load {
  const agent = new Agent({ connections: clientCount })
  t.teardown(() => agent.destroy())
  const load: Load = { accepted: [], failures: [], stop: async () => {} }
  const state = { isOver: false }
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<any> => {
    const response = await request(url + path, {
      method,
      dispatcher: agent,
      headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const answer = await response.body.json()
    if (response.statusCode !== 200) throw new Error(`${method} ${JSON.stringify(answer)}`)
    return answer
  }
  const runClient = async (): Promise<void> => {
    while (!state.isOver) {
      try {
        const depositId = id()
        const { status } = await ask('POST', '/v2/deposits', deposit(depositId))
        if (status !== 'ACCEPTED') throw new Error(`a new payment is ${status}`)
        load.accepted.push(depositId)
        const found = await ask('GET', `/v2/deposits/${depositId}`)
        if (found.status !== 'FOUND') throw new Error(`a payment is ${found.status}`)
      } catch (error) {
        load.failures.push(error)
      }
      // A load that keeps both cores busy would only test the machine.
      await pause(5)
    }
  }
  const clients = Array.from({ length: clientCount }, runClient)
  load.stop = async () => {
    state.isOver = true
    await Promise.all(clients)
  }
  return load
}

t.test('a rolling restart of three servers loses no request', makeLong(options), async (t) => {
  const merchant = await receiver(t)
  const db = await createSchema(t, (await openCluster()).url)
  const ports = [await freePort(), await freePort(), await freePort()]
  const start = (port: number): Promise<Running> =>
    serve(t, [
      ...['--db', db, '--port', String(port)],
      ...['--stop-delay', '2500ms', '--callback-url', merchant.url]
    ])
  const servers: Running[] = []
  for (const port of ports) servers.push(await start(port))
  const url = await startBalancer(t, ports)
  const load = sendLoad(t, url)
  for (const [i, port] of ports.entries()) {
    const before = load.accepted.length
    t.match(await servers[i].stop(), { code: 0, stderr: '' })
    servers[i] = await start(port)
    t.ok(load.accepted.length > before, `payments were accepted while server ${i + 1} restarted`)
  }
  await load.stop()
  t.same(load.failures, [])
  const called = (): Set<string> => new Set(merchant.received.map(({ body }) => body.depositId))
  await until(
    async () => load.accepted.filter((one) => !called().has(one)),
    (missing) => missing.length === 0
  )
  t.match((await servers[0].call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('without a database, the balancer gives the answer of a server', options, async (t) => {
  const cluster = await createCluster()
  t.teardown(() => cluster.remove())
  const ports = [await freePort(), await freePort(), await freePort()]
  // The two others do not run at all.
  const args = ['--db', cluster.url, '--port', String(ports[0])]
  const { process } = await serve(t, [...args, '--stop-delay', '5m'])
  const url = await startBalancer(t, ports)
  cluster.stop('immediate')
  const ask = (path: string): Promise<Response> =>
    fetch(url + path, { headers: { authorization: 'Bearer test-token' } })
  const isRefused = ({ status, headers }: Response): boolean =>
    status === 503 && /json/.test(headers.get('content-type') ?? '')
  const isOk = ({ status }: Response): boolean => status === 200
  // The balancer answers itself, in HTML, at the moment when it loses its last server. It may do
  // so up to a second after the server has answered, so every question is asked again.
  const broken = await until(() => ask('/ready'), isRefused)
  t.match(await broken.json(), { status: 'not ready', reason: /the ledger cannot be used/ })
  const answer = await until(() => ask(`/v2/deposits/${id()}`), isRefused)
  t.equal(answer.headers.get('retry-after'), '1')
  t.match(await answer.json(), { failureReason: { failureCode: 'UNKNOWN_ERROR' } })
  t.ok(await until(() => ask('/health'), isOk), 'a restart of the server would not help')
  cluster.start()
  await until(() => ask('/ready'), isOk)
  process.kill('SIGTERM')
  const stopping = await until(() => ask('/ready'), isRefused)
  t.match(await stopping.json(), { reason: 'the server stops' })
  t.ok(await until(() => ask('/v2/active-conf'), isOk), 'it still answers')
})
