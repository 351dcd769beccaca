import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import type { Config } from '../../src/config/config.ts'
import { requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { build, receiver, testMachine, until } from '../support/helper.ts'
import { createSchema, openDatabase, postgresOptions, runSql } from '../support/postgres.ts'
import { replaceRuns } from './session-runs.ts'

/** Round trips to PostgreSQL: the requests of a batch share them. */

/** Options of the tests that `npm test` skips: the first one shows that it works at all. */
const longOptions = makeLong(postgresOptions)

/** Requests that are sent at once. */
const count = 40
const authorization = 'Bearer test-token'

/**
 * Starts a server with its ledger in PostgreSQL. `db` is its database, and `countTrips` counts the
 * round trips of some work.
 */
async function start (t: Test, config: Partial<Config> = {}) {
  let trips = 0
  const failures: unknown[] = []
  replaceRuns(t, async ({ send }) => {
    trips++
    try {
      return await send()
    } catch (error) {
      failures.push(error)
      throw error
    }
  })
  const db = await openDatabase(t)
  const { app, call } = await build(t, { db, clock: 'frozen', ...config }, testMachine())
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
  const readTrips = async (): Promise<number> => trips
  return { db, call, countTrips, readTrips, sendAll, failures }
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

/** Most round trips of a batch; the server looks for work meanwhile. */
const most = 2

t.test('new payments of a batch need one round trip', longOptions, async (t) => {
  const { countTrips, sendAll } = await start(t)
  const send = (): Promise<any[]> =>
    sendAll('POST', () => ['/v2/deposits', requests.v2.deposit!()])
  await send()
  // Enough to need new numbers for rows several times.
  for (let i = 0; i < 15; i++) {
    let statuses = new Set<string>()
    const trips = await countTrips(async () => {
      statuses = new Set((await send()).map(({ status }) => status))
    })
    t.ok(trips <= most, `${trips} round trips`)
    t.strictSame(statuses, new Set(['ACCEPTED']))
  }
})

t.test('reads of a batch are one, whatever else it does', longOptions, async (t) => {
  const { db, countTrips } = await start(t)
  const database = new Database(await openEngine(await createSchema(t, db)))
  t.teardown(() => database.close())
  const { connection } = database
  const insert = connection.prepareInsert('codes', ['code', 'payment'])
  const find = connection.prepare<[string], { payment: number }>(
    'SELECT payment FROM codes WHERE code = ?'
  )
  await database.write(undefined, () => {
    for (let n = 0; n < count; n++) insert.run(`old-${n}`, n)
  })
  const trips = await countTrips(async () => {
    const found = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const parameters: [string] = [`old-${n}`]
        const stored = database.write(undefined, () => insert.run(`new-${n}`, n))
        const read = database.read(undefined, () => find.get(...parameters), {
          firstRead: { statement: find, parameters }
        })
        await stored
        return (await read)?.payment
      })
    )
    t.strictSame(found, [...Array(count).keys()])
  })
  t.equal(trips, 2, 'one for the reads, one for the rows')
})

t.test('results of callbacks share their round trips', longOptions, async (t) => {
  const { url, received } = await receiver(t)
  const { call, countTrips, sendAll } = await start(t, { callbackUrl: url })
  await sendAll('POST', () => ['/v2/deposits', requests.v2.deposit!()])
  const trips = await countTrips(() => call('POST', '/__admin/clock/advance', { by: '10m' }))
  t.equal(received.length, count)
  t.ok(trips < 2 * count, `${trips} round trips`)
  const { body } = await call('GET', `/__admin/callbacks?limit=${count}`)
  t.strictSame(new Set(body.callbacks.map(({ state }: any) => state)), new Set(['ACKNOWLEDGED']))
})

t.test('repeated status checks need one round trip', longOptions, async (t) => {
  const { call, countTrips, sendAll } = await start(t)
  const deposits = Array.from({ length: count }, () => requests.v2.deposit!())
  await sendAll('POST', (n) => ['/v2/deposits', deposits[n]])
  const checkAll = async (): Promise<Set<string>> => {
    const answers = await sendAll('GET', (n) => [`/v2/deposits/${deposits[n].depositId}`])
    return new Set(answers.map(({ data }) => data?.status))
  }
  t.strictSame(await checkAll(), new Set(['ACCEPTED']))
  let statuses = new Set<string>()
  const trips = await countTrips(async () => (statuses = await checkAll()))
  t.ok(trips <= most, `${trips} round trips`)
  t.strictSame(statuses, new Set(['ACCEPTED']))
  await call('POST', '/__admin/clock/advance', { by: '250ms' })
  const changed = await countTrips(async () => (statuses = await checkAll()))
  t.ok(changed <= most + 1, `${changed} round trips for payments that have changed`)
  t.strictSame(statuses, new Set(['PROCESSING']))
  await call('POST', '/__admin/clock/advance', { by: '10m' })
  t.strictSame(await checkAll(), new Set(['COMPLETED']), 'a change counts at once')
  await call('POST', '/__admin/reset')
  t.strictSame(await checkAll(), new Set([undefined]), 'a reset, too')
})

t.test('no statement fails while accounts stay as they are', longOptions, async (t) => {
  const { countTrips, readTrips, sendAll, failures } = await start(t)
  const deposits = Array.from({ length: count }, () => requests.v2.deposit!())
  await sendAll('POST', (n) => ['/v2/deposits', deposits[n]])
  // The server did not know its own account before.
  failures.length = 0
  for (let i = 0; i < 2; i++) {
    const trips = await countTrips(() =>
      sendAll('GET', (n) => [`/v2/deposits/${deposits[n].depositId}`])
    )
    // What is known is not read again.
    t.equal(trips > 0, i === 0)
  }
  // The server looks for work.
  const before = await readTrips()
  await until(readTrips, (trips) => trips > before + 3)
  t.strictSame(failures, [])
})

t.test('a status check asks PostgreSQL after a lost connection', longOptions, async (t) => {
  const { db, call } = await start(t)
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  const readAmount = async (): Promise<string | undefined> =>
    (await call('GET', `/v2/deposits/${deposit.depositId}`)).body.data?.amount
  t.equal(await readAmount(), '15.00')
  // As if another server had used the ledger before the connection was made again.
  await runSql(
    db,
    `BEGIN;
    UPDATE payments SET details = jsonb_set(details::jsonb, '{amount}', '"77"')::text;
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'momock';
    COMMIT`
  )
  const isNew = (amount?: string): boolean => amount !== undefined && amount !== '15.00'
  t.equal(await until(readAmount, isNew), '77.00')
})
