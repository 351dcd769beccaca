import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { Channel } from '../../db/postgres/channel.ts'
import { requests } from '../support/examples.ts'
import { build, receiver, testMachine } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'

/** Round trips to PostgreSQL: the requests of a batch share them. */

/** Requests that are sent at once. */
const count = 40
const authorization = 'Bearer test-token'

/**
 * Starts a server with its ledger in PostgreSQL. `db` is another database, and `countTrips` counts
 * the round trips of some work.
 */
async function start (t: Test, callbackUrl?: string) {
  let trips = 0
  const { send } = Channel.prototype
  Channel.prototype.send = function (request) {
    trips++
    return send.call(this, request)
  }
  t.teardown(() => {
    Channel.prototype.send = send
  })
  const { url } = await openCluster()
  const db = await createSchema(t, url)
  const { app, call } = await build(t, { db, clock: 'frozen', callbackUrl }, testMachine())
  const countTrips = async (work: () => Promise<unknown>): Promise<number> => {
    const before = trips
    await work()
    return trips - before
  }
  // All arrive in the same turn of the event loop.
  const sendAll = async (
    method: 'GET' | 'POST',
    makeCall: (n: number) => [path: string, body?: object]
  ): Promise<any[]> => {
    const calls = Array.from({ length: count }, (_, n) => {
      const [url, payload] = makeCall(n)
      return app.http.inject({ method, url, headers: { authorization }, payload })
    })
    return (await Promise.all(calls)).map((response) => response.json())
  }
  return { db: await createSchema(t, url), call, countTrips, sendAll }
}

t.test('payouts of a batch read their wallet once', postgresOptions, async (t) => {
  const { call, countTrips, sendAll } = await start(t)
  await call('PUT', '/__admin/wallets/ZMB/ZMW', { available: '395' })
  let statuses: string[] = []
  const trips = await countTrips(async () => {
    const answers = await sendAll('POST', () => [
      '/v2/payouts',
      { ...requests.v2.payout!(), amount: '10' }
    ])
    statuses = answers.map(({ status }) => status)
  })
  t.equal(statuses.filter((status) => status === 'ACCEPTED').length, 39, 'money is spent once')
  t.ok(trips < count / 2, `${trips} round trips`)
  t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
})

t.test('reads of a batch are one, whatever else it does', postgresOptions, async (t) => {
  const { db, countTrips } = await start(t)
  const database = new Database(await openEngine(db))
  t.teardown(() => database.close())
  const { connection } = database
  const insert = connection.prepare('INSERT INTO codes (code, payment) VALUES (?, ?)')
  const find = connection.prepare<[string], { payment: number }>(
    'SELECT payment FROM codes WHERE code = ?'
  )
  await database.transact(() => {
    for (let n = 0; n < count; n++) insert.run(`old-${n}`, n)
  })
  const trips = await countTrips(async () => {
    const found = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const parameters: [string] = [`old-${n}`]
        const stored = database.transact(() => insert.run(`new-${n}`, n))
        const read = database.transact(() => find.get(...parameters)?.payment, {
          firstRead: { statement: find, parameters },
          isRead: true
        })
        await stored
        return await read
      })
    )
    t.strictSame(found, [...Array(count).keys()])
  })
  t.equal(trips, 2, 'one for the reads, one for the rows')
})

t.test('results of callbacks share their round trips', postgresOptions, async (t) => {
  const { url, received } = await receiver(t)
  const { call, countTrips, sendAll } = await start(t, url)
  await sendAll('POST', () => ['/v2/deposits', requests.v2.deposit!()])
  const trips = await countTrips(() => call('POST', '/__admin/clock/advance', { by: '10m' }))
  t.equal(received.length, count)
  t.ok(trips < 2 * count, `${trips} round trips`)
  const { body } = await call('GET', `/__admin/callbacks?limit=${count}`)
  t.strictSame(new Set(body.callbacks.map(({ state }: any) => state)), new Set(['ACKNOWLEDGED']))
})
