import t from 'tap'
import { requests } from '../support/examples.ts'
import { postgresOptions } from '../support/postgres.ts'
import { serveMany } from './servers.ts'

/** Changes that wait for another server have the time at which they are stored. */

const provider = '/__admin/providers/MTN_MOMO_ZMB'
const start = { mode: 'frozen', now: '2026-01-01T00:00:00.000Z' }
const later = { mode: 'frozen', now: '2026-01-01T01:00:00.000Z' }

/** Calls that bring a clock to the later time. */
const moves: Array<[name: string, method: string, path: string, body: object]> = [
  ['is set', 'PUT', '/__admin/clock', later],
  ['is advanced', 'POST', '/__admin/clock/advance', { by: '1h' }]
]

for (const [name, ...move] of moves) {
  t.test(`an outage has its length while the clock ${name}`, postgresOptions, async (t) => {
    const [one, other] = (await serveMany(t, 2)).servers
    for (let round = 0; round < 20; round++) {
      await one.call('PUT', provider, { DEPOSIT: 'OPERATIONAL' })
      await one.call('PUT', '/__admin/clock', start)
      await Promise.all([
        one.call(...move),
        other.call('PUT', provider, { DEPOSIT: 'CLOSED', for: '10m' })
      ])
      const { providers } = (await other.call('GET', '/__admin/providers')).body
      const ends = providers.flatMap(({ until = {} }: any) => until.DEPOSIT ?? [])
      // It has ended before, or it begins at the new time.
      t.ok(ends.length === 0 || ends[0] === '2026-01-01T01:10:00.000Z', ends[0])
    }
  })
}

t.test('payments are released before or after an advance', postgresOptions, async (t) => {
  const [one, other] = (await serveMany(t, 2)).servers
  for (let round = 0; round < 20; round++) {
    await one.call('PUT', '/__admin/clock', start)
    await one.call('PUT', provider, { PAYOUT: 'DELAYED' })
    const payout = requests.v2.payout!()
    await one.call('POST', '/v2/payouts', payout)
    await one.call('POST', '/__admin/clock/advance', { by: '1s' })
    await Promise.all([
      one.call('POST', '/__admin/clock/advance', { by: '1h' }),
      other.call('PUT', provider, { PAYOUT: 'OPERATIONAL' })
    ])
    const { body } = await other.call('GET', `/__admin/payments/payout/${payout.payoutId}`)
    // The advance completes it, or its next step is after the advance.
    t.match(body.status, /^(COMPLETED|ENQUEUED)$/)
  }
})

t.test('a scenario begins at the time of an account that was reset', postgresOptions, async (t) => {
  const [one, other] = (await serveMany(t, 2)).servers
  const scenario = { name: 'fails', for: '10m', when: { kind: 'deposit' }, fail: 'UNKNOWN_ERROR' }
  for (let round = 0; round < 15; round++) {
    await one.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2099-01-01T00:00:00Z' })
    const [, added] = await Promise.all([
      one.call('POST', '/__admin/reset'),
      other.call('POST', '/__admin/scenarios', scenario)
    ])
    t.equal(added.status, 201)
    const { scenarios } = (await other.call('GET', '/__admin/scenarios')).body
    const isOld = scenarios.some(({ until = '' }: any) => until.startsWith('2099'))
    t.notOk(isOld, JSON.stringify(scenarios))
  }
})
