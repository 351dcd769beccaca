import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { makeLong } from '../support/full.ts'
import { until } from '../support/helper.ts'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { serveMany, serveShared } from './servers.ts'

/** Ordered answers of servers that start after the order, or stop before the answers are given. */

const longOptions = makeLong(postgresOptions)

const sink = '/__admin/sink/shop'
const statusChecks = '/__admin/status-checks'

/** Returns the statuses of the answers to callbacks, one for each server. */
async function sendCallbacks (...servers: Running[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { call } of servers) statuses.push((await call('POST', sink, {})).status)
  return statuses
}

/** Returns the statuses of the answers to status checks, one for each server. */
async function checkStatus (id: string, ...servers: Running[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { call } of servers) {
    statuses.push((await call('GET', `/v2/deposits/${id}`)).status)
  }
  return statuses
}

t.test('a server gives answers that were ordered before its start', postgresOptions, async (t) => {
  const { db, servers } = await serveMany(t, 2)
  const [one, other] = servers
  const { depositId } = deposit()
  await one.call('POST', '/v2/deposits', deposit(depositId))
  await one.call('PUT', sink, { answers: [500, 503], then: 202 })
  await other.call('PUT', statusChecks, { answers: [{ status: 500 }], then: { status: 503 } })
  const late = await serveShared(t, db)
  for (const path of [sink, statusChecks]) {
    const [early, shown] = await Promise.all([one, late].map(({ call }) => call('GET', path)))
    const { answers, then } = early.body
    t.not(answers.length, 0, path)
    t.match(shown.body, { answers, then }, `${path}: the same as on the others`)
  }
  t.strictSame(await sendCallbacks(late, late, late, one), [500, 503, 202, 202])
  t.strictSame(await checkStatus(depositId, late, late, other), [500, 503, 503])
  await t.test('a later order counts on all of them', async (t) => {
    await late.call('PUT', sink, [504])
    t.strictSame(await sendCallbacks(one, late, other), [504, 200, 200])
  })
})

t.test('a server that starts without orders has none', postgresOptions, async (t) => {
  const { db, servers } = await serveMany(t, 1)
  await servers[0].call('PUT', sink, [500])
  await servers[0].call('DELETE', sink)
  const late = await serveShared(t, db)
  t.strictSame(await sendCallbacks(late), [200])
})

t.test('a server that stops leaves its answers to another', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  const { depositId } = deposit()
  await other.call('POST', '/v2/deposits', deposit(depositId))
  await one.call('PUT', sink, { answers: [500, 503], then: 202 })
  await one.call('PUT', statusChecks, { answers: [{ status: 500 }, { status: 503 }] })
  t.strictSame(await sendCallbacks(third), [500])
  t.strictSame(await checkStatus(depositId, third), [500])
  await one.stop()
  t.strictSame(await sendCallbacks(third, third, other), [503, 202, 202])
  t.strictSame(await checkStatus(depositId, third, third, other), [503, 200, 200])
})

t.test('a server that stops under load has its answers given first', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  const { depositId } = deposit()
  await other.call('POST', '/v2/deposits', deposit(depositId))
  const count = 50
  await one.call('PUT', sink, { answers: Array(count).fill(500), then: 202 })
  const answers = Array(count).fill({ status: 500 })
  await one.call('PUT', statusChecks, { answers, then: { status: 503 } })
  const ask = async (send: () => Promise<number[]>): Promise<number[]> => {
    const statuses: number[] = []
    while (statuses.length < count + 5) statuses.push(...(await send()))
    return statuses
  }
  const [callbacks, checks] = await Promise.all([
    ask(() => sendCallbacks(other)),
    ask(() => checkStatus(depositId, third)),
    one.stop()
  ])
  t.strictSame(callbacks, [...Array(count).fill(500), ...Array(5).fill(202)])
  t.strictSame(checks, [...Array(count).fill(500), ...Array(5).fill(503)])
})

/** Stops a server for some time, as a debugger or a busy machine does. */
async function stall (t: Test, { process }: Running, work: () => Promise<unknown>): Promise<void> {
  process.kill('SIGSTOP')
  t.teardown(() => process.kill('SIGKILL'))
  await work()
  process.kill('SIGCONT')
}

// One is longer than the time after which a server counts as dead.
for (const seconds of [3, 17]) {
  const title = `a server that stalls for ${seconds} s learns what it has missed`
  t.test(title, longOptions, async (t) => {
    const { servers } = await serveMany(t, 2)
    const [one, other] = servers
    const { depositId } = deposit()
    await one.call('POST', '/v2/deposits', deposit(depositId))
    await one.call('PUT', sink, { then: 500 })
    await one.call('PUT', '/__admin/sink/gone', { then: 500 })
    await one.call('PUT', statusChecks, { then: { status: 500 } })
    await one.call('POST', sink, { n: 1 })
    await stall(t, one, async () => {
      await sleep((seconds - 2) * 1000)
      await Promise.all([
        other.call('PUT', sink, { then: 404 }),
        other.call('PUT', statusChecks, {}),
        other.call('DELETE', '/__admin/sink/gone'),
        other.call('DELETE', '/__admin/requests')
      ])
    })
    await until(
      async () => await checkStatus(depositId, one),
      ([status]) => status === 200
    )
    t.strictSame(await sendCallbacks(one, other), [404, 404])
    const gone = await one.call('POST', '/__admin/sink/gone', {})
    t.equal(gone.status, 200)
    const shown = await Promise.all(servers.map(({ call }) => call('GET', '/__admin/requests')))
    for (const { body } of shown) {
      const operations = body.requests.map(({ operation }: { operation: string }) => operation)
      t.notOk(operations.includes('v2InitiateDeposit'), `${operations}`)
    }
    t.equal((await other.call('GET', sink)).body.received, 3, 'callbacks are kept')
  })
}

t.test('answers of a server that stalls are given later, once', longOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  const [one, other] = servers
  const { depositId } = deposit()
  await other.call('POST', '/v2/deposits', deposit(depositId))
  await one.call('PUT', sink, { answers: [500, 503], then: 202 })
  await one.call('PUT', statusChecks, { answers: [{ status: 500 }, { status: 503 }] })
  await stall(t, one, async () => {
    t.strictSame(await sendCallbacks(other), [202], 'it does not answer')
    t.strictSame(await checkStatus(depositId, other), [200])
  })
  await one.call('GET', '/__admin/clock')
  t.strictSame(await sendCallbacks(other, one, other), [500, 503, 202])
  t.strictSame(await checkStatus(depositId, other, other, one), [500, 503, 200])
})

t.test('answers are not given to a server that stalls', longOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const [one, other, third] = servers
  await third.call('PUT', sink, { answers: [500, 501, 503], then: 202 })
  await stall(t, one, async () => await third.stop())
  await one.call('GET', '/__admin/clock')
  t.strictSame(await sendCallbacks(one, other, one, other, one), [500, 501, 503, 202, 202])
})
