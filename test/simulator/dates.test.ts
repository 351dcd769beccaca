import t from 'tap'
import { openSandbox } from '../support/sandboxes.ts'
import { requests } from '../support/examples.ts'

const impossible = [
  '2016-12-31T23:59:60Z',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '2026-02-30T00:00:00Z'
]

t.test('a clock refuses a time that it cannot show', async (t) => {
  const { call } = await openSandbox(t)
  for (const now of impossible) {
    t.equal((await call('PUT', '/__admin/clock', { mode: 'running', now })).status, 400, now)
    t.equal((await call('POST', '/__admin/clock/advance', { to: now })).status, 400, now)
    t.equal((await call('GET', `/__admin/payments?since=${encodeURIComponent(now)}`)).status, 400)
  }
  t.equal((await call('POST', '/v2/deposits', requests.v2.deposit!())).body.status, 'ACCEPTED')
})

t.test('a clock works from the first to the last time that it can show', async (t) => {
  const { call } = await openSandbox(t)
  for (const now of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    t.equal((await call('PUT', '/__admin/clock', { mode: 'frozen', now })).status, 200)
    const { status, body } = await call('POST', '/v2/deposits', requests.v2.deposit!())
    t.match({ status, body }, { status: 200, body: { status: 'ACCEPTED', created: now } })
  }
  t.match(await call('POST', '/__admin/clock/advance', { by: '1h' }), {
    status: 400,
    body: { error: { message: /beyond the year 9999/ } }
  })
})
