import t from 'tap'
import { requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'

/** What is switched on in an account, and the callbacks that fail. */

t.test('the overview names clock, outages, scenarios and failing callbacks', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const read = async (): Promise<any> => (await mock.call('GET', '/__admin/overview')).body
  const empty = { length: 0 }
  const none = {
    clock: { mode: 'frozen' },
    outages: empty,
    scenarios: empty,
    failingCallbacks: 0
  }
  t.match(await read(), none)
  await mock.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'CLOSED', for: '10m' })
  await mock.call('POST', '/__admin/scenarios', {
    name: 'once',
    fail: 'INSUFFICIENT_BALANCE',
    when: { kind: 'deposit' },
    times: 1
  })
  t.match(await read(), {
    outages: [{ provider: 'MTN_MOMO_ZMB', operation: 'PAYOUT', status: 'CLOSED', until: String }],
    scenarios: [{ name: 'once', remaining: 1 }]
  })
  await mock.call('PATCH', '/__admin/account', {
    callbacks: { deposits: `${mock.url}/__admin/sink/shop` }
  })
  await mock.call('PUT', '/__admin/sink/shop', { then: 500 })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('POST', '/__admin/clock/advance', { by: '5s' })
  t.match(await read(), { scenarios: empty, failingCallbacks: 1 })
  const [payment] = (await mock.call('GET', '/__admin/payments')).body.payments
  t.match(payment, { failureCode: 'INSUFFICIENT_BALANCE', callback: { state: 'PENDING' } })
  await mock.call('PUT', '/__admin/sink/shop', { then: 200 })
  await mock.call('POST', '/__admin/clock/advance', { by: '10m' })
  t.match(await read(), none)
})

t.test('requests are found by a text in the path, the body or the answer', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '/v2/deposits', { ...requests.v2.deposit!(), currency: 'KES' })
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  for (const [search, found] of [
    ['post /v2/payouts', 1],
    ['kes', 1],
    ['invalid_currency', 1],
    ['/v2/', 2],
    ['nothing', 0]
  ] as const) {
    const path = `/__admin/requests?search=${encodeURIComponent(search)}`
    t.equal((await mock.call('GET', path)).body.requests.length, found, search)
  }
})
