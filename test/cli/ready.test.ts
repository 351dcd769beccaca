import t from 'tap'
import { requests } from '../support/examples.ts'
import { id, receiver, until } from '../support/helper.ts'
import { serve } from '../support/process.ts'

t.test('every call works when the server prints that it is ready', async (t) => {
  const merchant = await receiver(t)
  const { ready, call } = await serve(t, ['--callback-url', merchant.url])
  const deposit = requests.v2.deposit!()
  const [health, accepted, checkout, ...others] = await Promise.all([
    call('GET', '/health'),
    call('POST', '/v2/deposits', deposit),
    call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/' }),
    call('GET', '/v2/active-conf'),
    call('GET', '/active-conf'),
    call('GET', '/__admin/payments'),
    call('GET', '/__admin/openapi.json')
  ])
  t.equal(health.status, 200)
  t.match(accepted, { status: 200, body: { status: 'ACCEPTED' } })
  t.strictSame(
    others.map(({ status }) => status),
    others.map(() => 200)
  )
  t.ok(checkout.body.redirectUrl.startsWith(ready.url), 'links lead to this server')
  t.equal((await fetch(checkout.body.redirectUrl)).status, 200)
  await until(
    async () => merchant.received.map(({ body }) => body.depositId),
    (ids) => ids.includes(deposit.depositId)
  )
})
