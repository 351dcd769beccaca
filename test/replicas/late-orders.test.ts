import t from 'tap'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, type Running } from '../support/process.ts'
import { serveMany, serveShared } from './servers.ts'

/** Ordered answers of servers that start after the order, or stop before the answers are given. */

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
