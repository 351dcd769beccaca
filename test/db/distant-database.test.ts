import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, testMachine } from '../support/helper.ts'
import { openDatabase, postgresOptions } from '../support/postgres.ts'
import { replaceRuns } from './session-runs.ts'

/** A server and its database, with 50 ms between them. */

const roundTripMs = 50
const other = { authorization: 'Bearer sandbox-other' }

t.test('work that waits for the database delays nobody else', postgresOptions, async (t) => {
  let trips = 0
  let underWay = 0
  let most = 0
  let isDistant = false
  replaceRuns(t, async ({ send }) => {
    trips++
    most = Math.max(most, ++underWay)
    if (isDistant) await sleep(roundTripMs)
    return await send().finally(() => underWay--)
  })
  const db = await openDatabase(t)
  const { call } = await build(t, { db, clock: 'frozen' }, testMachine())
  await call('POST', '/v2/deposits', requests.v2.deposit!(), other)
  await call('POST', '/v2/payouts', requests.v2.payout!())
  isDistant = true

  const works: Record<string, () => Promise<Array<{ status: number }>>> = {
    'a batch of payouts': () =>
      Promise.all(
        Array.from({ length: 20 }, () => call('POST', '/v2/payouts', requests.v2.payout!()))
      ),
    'a reset': async () => [await call('POST', '/__admin/reset', {})],
    'a snapshot': async () => [await call('POST', '/__admin/snapshots', { name: 'distant' })]
  }
  for (const [name, begin] of Object.entries(works)) {
    let isDone = false
    const work = begin().finally(() => {
      isDone = true
    })
    t.equal((await call('GET', '/health')).status, 200)
    t.equal(isDone, false, `${name}: GET /health does not wait for it`)
    t.equal((await call('POST', '/deposits', '{')).status, 400)
    t.equal(isDone, false, `${name}: neither does a refusal of v1`)
    const before = trips
    t.match(await call('POST', '/v2/deposits', requests.v2.deposit!(), other), {
      body: { status: 'ACCEPTED' }
    })
    const waited = trips - before
    t.ok(waited <= 8, `${name}: a deposit of another account waits for ${waited} round trips`)
    const answers = await work
    t.ok(answers.every(({ status }) => status < 300), `${name} is done`)
  }
  t.equal(most, 1, 'one batch of statements is under way at a time')
})
