import t from 'tap'
import type { MomockClient } from '../../src/index.ts'
import { but, requests } from '../support/examples.ts'
import { receiver } from '../support/helper.ts'
import { createMomock } from '../support/momock.ts'

async function pay ({ url, token }: MomockClient, amount: string): Promise<string> {
  const body = but(requests.v2.deposit!(), 'amount', amount)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await fetch(`${url}/v2/deposits`, { method: 'POST', headers, body: JSON.stringify(body) })
  return body.depositId
}

t.test('a wait ends when something matches', async (t) => {
  const { url } = await receiver(t)
  await using mock = await createMomock({ callbackUrl: url })
  const waits = Promise.all([
    mock.waitForRequest({ path: '/v2/deposits', body: { amount: 15 } }),
    mock.waitForPayment({ kind: 'deposit', amount: '15' }),
    mock.waitForPayment({ kind: 'deposit', amount: '15', status: 'COMPLETED' }),
    mock.waitForCallback({ kind: 'deposit', state: 'ACKNOWLEDGED', body: { amount: 15 } })
  ])
  const other = await pay(mock, '14.00')
  const id = await pay(mock, '15.00')
  t.match(await waits, [
    { request: { method: 'POST', body: { depositId: id } }, response: { status: 200 } },
    { id, amount: '15.00' },
    { id, status: 'COMPLETED', history: Array },
    { paymentId: id, attempts: [{ status: 200 }] }
  ])
  t.match(await mock.waitForPayment({ amount: 14 }), { id: other }, 'an earlier one counts')
})

t.test('count waits for that many, and the newest is returned', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  const first = await pay(mock, '15.00')
  t.match(await mock.waitForPayment({ kind: 'deposit' }), { id: first })
  const second = mock.waitForPayment({ kind: 'deposit' }, { count: 2 })
  await mock.advance('1s')
  const id = await pay(mock, '16.00')
  t.match(await second, { id })
  t.match(await mock.waitForRequest({ path: '/v2/deposits' }), { payments: [{ id }] })
})

t.test('a wait in vain names the nearest candidate', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  const id = await pay(mock, '15.00')
  const options = { timeout: '1ms' }
  await t.rejects(mock.waitForPayment({ amount: 16 }, options), {
    code: 'TIMEOUT',
    nearest: { payment: id, differences: [{ field: 'amount', wanted: 16, got: '15.00' }] },
    message:
      'POST /__admin/wait/payment: at least 1 payment expected, 0 seen when the time was up; the ' +
      `nearest is deposit ${id} 15.00 ZMW MTN_MOMO_ZMB ACCEPTED, but amount: wanted 16, got ` +
      '"15.00" (the clock of this account is frozen, so nothing happens by itself: advance it ' +
      'with POST /__admin/clock/advance)'
  })
  await mock.setClock({ mode: 'running' })
  await t.rejects(mock.waitForCallback({ kind: 'payout' }, options), {
    message: /at least 1 callback expected, 0 seen when the time was up \(wait longer with/
  })
  await t.rejects(mock.waitForRequest({ path: '/x' }, { count: 3, ...options }), {
    message: /at least 3 requests expected, 0 seen .* nearest is POST .*, but path: wanted "\/x"/
  })
  await using silent = await createMomock({ journal: 0 })
  await t.rejects(silent.waitForRequest({}), { code: 'CONFLICT', message: /--journal 0/ })
})

t.test('a stop of the mock ends the waits', async (t) => {
  const mock = await createMomock()
  const wait = mock.waitForPayment({}, { timeout: '5m' })
  await Promise.all([t.rejects(wait), mock.clock().then(() => mock.close())])
})

t.test('a listener gets the events of its type until it is stopped', async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  const seen: string[] = []
  const stop = await mock.on('status', ({ paymentId, status }) => seen.push(paymentId, status))
  const id = await pay(mock, '15.00')
  const ended = Promise.withResolvers<void>()
  await mock.on('status', ({ status }) => status === 'COMPLETED' && ended.resolve())
  await mock.advance('1s')
  await ended.promise
  t.same(seen, [id, 'PROCESSING', id, 'COMPLETED'])
  stop()
  await mock.close()
  const gone = { name: 'MomockError', message: mock.url }
  await t.rejects(
    mock.on('callback', () => {}),
    gone,
    'a mock that is gone'
  )
})
