import t from 'tap'
import { build, folder, id, receiver, testStart } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, requests } from '../support/examples.ts'
import { join } from 'node:path'

const start = '2026-01-01T00:00:00.000Z'

t.test('a frozen account does no work until an advance does all due work', async (t) => {
  const merchant = await receiver(t, [500, 500])
  const { call } = await openSandbox(t, { callbackUrl: merchant.url, clock: 'frozen' })
  t.match((await call('PUT', '/__admin/clock', { mode: 'frozen', now: start })).body, {
    mode: 'frozen',
    now: start,
    speed: 1
  })
  const body = requests.v2.deposit!()
  t.equal((await call('POST', '/v2/deposits', body)).body.created, '2026-01-01T00:00:00Z')
  const status = async () => (await call('GET', `/v2/deposits/${body.depositId}`)).body.data.status
  t.equal(await status(), 'ACCEPTED')
  t.match((await call('POST', '/__admin/clock/advance', { by: '49ms' })).body, {
    now: '2026-01-01T00:00:00.049Z',
    transitions: 0
  })
  t.equal(await status(), 'ACCEPTED')
  t.match((await call('POST', '/__admin/clock/advance', { by: 1 })).body, {
    transitions: 1,
    callbacks: 0
  })
  t.equal(await status(), 'PROCESSING')
  t.match((await call('POST', '/__admin/clock/advance', { by: '449ms' })).body, {
    transitions: 0,
    callbacks: 0
  })
  t.equal(await status(), 'PROCESSING')
  t.match((await call('POST', '/__admin/clock/advance', { by: '1ms' })).body, {
    transitions: 1,
    callbacks: 1
  })
  t.equal(await status(), 'COMPLETED')
  t.equal(merchant.received.length, 1, 'attempted before the advance answers')
  t.match((await call('POST', '/__admin/clock/advance', { by: '999ms' })).body, { callbacks: 0 })
  t.match(
    (await call('POST', '/__admin/clock/advance', { to: '2026-01-01T00:15:00Z' })).body,
    { callbacks: 2, now: '2026-01-01T00:15:00.000Z' },
    'its retries inside the window'
  )
  t.equal(merchant.received.length, 3)
  t.match((await call('POST', '/__admin/clock/advance', { until: 'idle' })).body, {
    callbacks: 0,
    now: '2026-01-01T00:15:00.000Z'
  })
})

t.test('an advance to the next event stops at each due time', async (t) => {
  const merchant = await receiver(t, [500])
  const { call } = await openSandbox(t, { callbackUrl: merchant.url, clock: 'frozen' })
  const next = async () => {
    const { body } = await call('POST', '/__admin/clock/advance', { until: 'next' })
    return [body.now, body.transitions, body.callbacks]
  }
  await call('PUT', '/__admin/clock', { mode: 'frozen', now: start })
  t.strictSame(await next(), [start, 0, 0], 'nothing is due')
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  t.strictSame(await next(), ['2026-01-01T00:00:00.050Z', 1, 0])
  t.strictSame(await next(), ['2026-01-01T00:00:00.500Z', 1, 1], 'with its callback')
  t.strictSame(await next(), ['2026-01-01T00:00:01.500Z', 0, 1], 'its second attempt')
  t.strictSame(await next(), ['2026-01-01T00:00:01.500Z', 0, 0])
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T01:00:00Z' })
  t.strictSame(await next(), ['2026-01-01T01:00:00.000Z', 2, 1], 'work that is late')
})

t.test(
  'a callback without an acknowledgement is exhausted after 15 minutes of account time',
  async (t) => {
    const merchant = await receiver(
      t,
      Array.from({ length: 100 }, () => 503)
    )
    const { call } = await openSandbox(t, { callbackUrl: merchant.url, clock: 'frozen' })
    await call('POST', '/v2/deposits', requests.v2.deposit!())
    // 1, 2, 4 … 64 s and then every two minutes: eight attempts in the first 127 s, six more
    // until 847 s, and none after 900 s.
    t.match((await call('POST', '/__admin/clock/advance', { until: 'idle' })).body, {
      callbacks: 14
    })
    t.equal(merchant.received.length, 14)
  }
)

t.test('the clocks of two accounts are independent', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const one = { authorization: 'Bearer sandbox-one' }
  const two = { authorization: 'Bearer sandbox-two' }
  const body = requests.v2.deposit!()
  for (const headers of [one, two]) await call('POST', '/v2/deposits', body, headers)
  await call('POST', '/__admin/clock/advance', { by: '1m' }, one)
  t.equal(
    (await call('GET', `/v2/deposits/${body.depositId}`, undefined, one)).body.data.status,
    'COMPLETED'
  )
  t.equal(
    (await call('GET', `/v2/deposits/${body.depositId}`, undefined, two)).body.data.status,
    'ACCEPTED'
  )
})

t.test('a clock can run fast, resume and jump', async (t) => {
  const merchant = await receiver(t)
  const { call } = await openSandbox(t, { callbackUrl: merchant.url, clock: 'frozen' })
  const slow = but(requests.v2.deposit!(), 'metadata', [{ momock: 'slow-approval' }])
  const number = 'payer.accountDetails.phoneNumber'
  await call('POST', '/v2/deposits', but(slow, number, '260763459993'))
  const arrived = merchant.next()
  await call('PUT', '/__admin/clock', { mode: 'running', speed: 1000 })
  t.equal((await arrived).body.status, 'COMPLETED', 'two minutes in a tenth of a second')
  await call('PUT', '/__admin/clock', { mode: 'running', speed: 1, now: start })
  const second = but(requests.v2.deposit!(), number, '260763459993')
  t.match((await call('POST', '/v2/deposits', second)).body.created, /^2026-01-01T00:00:0/)
  const jump = (await call('POST', '/__admin/clock/advance', { by: '10s' })).body
  t.match(jump, { mode: 'running', transitions: 2, callbacks: 1 })
  t.ok(Date.parse(jump.now) >= Date.parse(start) + 10_000)
})

for (const until of ['idle', 'next']) {
  t.test(`an advance until ${until} reaches work that is years ahead`, async (t) => {
    const { call } = await openSandbox(t, { clock: 'frozen' })
    const body = requests.v2.deposit!()
    await call('PUT', '/__admin/clock', { mode: 'frozen', now: '2036-01-01T00:00:00Z' })
    await call('POST', '/v2/deposits', body)
    await call('PUT', '/__admin/clock', { mode: 'frozen', now: start })
    const advanced = await call('POST', '/__admin/clock/advance', { until })
    t.match(advanced.body, { now: /^2036-01-01T00:00:00/ })
    t.ok(advanced.body.transitions > 0)
  })
}

t.test('a clock survives a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db })
  const body = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')
  await first.call('PUT', '/__admin/clock', { mode: 'frozen', now: start })
  await first.call('POST', '/v2/deposits', body)
  await first.app.close()
  const second = await build(t, { db })
  t.match((await second.call('GET', '/__admin/clock')).body, { mode: 'frozen', now: start })
  await second.call('POST', '/__admin/clock/advance', { by: 'PT1S' })
  t.equal(
    (await second.call('GET', `/v2/deposits/${body.depositId}`)).body.data.status,
    'COMPLETED'
  )
})

t.test('a wrong time is refused', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen', start: testStart })
  for (const [path, body, says] of [
    ['/clock/advance', { by: 'a while' }, /ms, s, m, h or d.*PT15M.*milliseconds/],
    ['/clock/advance', { by: -1 }, /duration/],
    ['/clock/advance', { to: 'tomorrow' }, /date-time/],
    ['/clock/advance', { to: '2020-01-01T00:00:00Z' }, /before the time of the clock/],
    ['/clock/advance', { by: '400d' }, /366 days/],
    ['/clock/advance', { until: 'forever' }, /idle/],
    ['/clock/advance', {}, /one of/],
    ['/clock/advance', { by: 1, until: 'idle' }, /one of/]
  ] as const) {
    t.match(
      await call('POST', `/__admin${path}`, body),
      { status: 400, body: { error: { message: says } } },
      JSON.stringify(body)
    )
  }
  t.match(await call('PUT', '/__admin/clock', { mode: 'stopped' }), {
    status: 400,
    body: { error: { message: /'running' or 'frozen'/ } }
  })
  t.match(await call('PUT', '/__admin/clock', { mode: 'running', speed: 0 }), { status: 400 })
})

t.test('the same requests on the same clock give the same bytes', async (t) => {
  const tell = async () => {
    const merchant = await receiver(t)
    const { call } = await build(t, { callbackUrl: merchant.url, clock: 'frozen' })
    await call('PUT', '/__admin/clock', { mode: 'frozen', now: start })
    const story: unknown[] = []
    for (const [n, phoneNumber] of [
      '260763456789',
      '260763456039',
      '260763459993',
      'wrong'
    ].entries()) {
      const depositId = `00000000-0000-4000-8000-00000000000${n}`
      story.push(
        await call('POST', '/v2/deposits', {
          ...requests.v2.deposit!(),
          depositId,
          payer: { type: 'MMO', accountDetails: { phoneNumber, provider: 'MTN_MOMO_ZMB' } }
        })
      )
      story.push((await call('POST', '/__admin/clock/advance', { by: '20s' })).body)
      story.push(
        await call('GET', `/v2/deposits/${depositId}`),
        await call('GET', `/deposits/${depositId}`),
        await call('POST', '/deposits', {})
      )
    }
    const checkoutId = '00000000-0000-4000-8000-0000000000c0'
    const page = {
      depositId: '00000000-0000-4000-8000-0000000000d0',
      returnUrl: 'https://shop.example/back',
      reason: 'Order 1'
    }
    const statement = {
      wallet: { country: 'ZMB', currency: 'ZMW' },
      callbackUrl: merchant.url,
      startDate: '2026-01-01T00:00:00Z',
      endDate: '2026-01-02T00:00:00Z'
    }
    story.push(
      await call('POST', '/v2/checkouts', { checkoutId, returnUrl: 'https://shop.example/back' }),
      await call('POST', '/v2/paymentpage', page),
      await call('POST', '/v2/statements', statement)
    )
    story.push(
      (await call('POST', '/__admin/clock/advance', { by: '1h' })).body,
      await call('GET', `/v2/checkouts/${checkoutId}`)
    )
    return JSON.stringify([story, merchant.received.map(({ body }) => body)], (key, value) =>
      key === 'date' ? undefined : value
    )
  }
  t.equal(await tell(), await tell())
})

t.test('an advance counts expired checkouts and links', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  for (let n = 0; n < 2; n++) {
    await call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back'
    })
  }
  for (let n = 0; n < 3; n++) {
    await call('POST', '/v2/paymentpage', {
      depositId: id(),
      returnUrl: 'https://shop.example/back',
      country: 'ZMB'
    })
  }
  t.match((await call('POST', '/__admin/clock/advance', { until: 'idle' })).body, {
    transitions: 0,
    expirations: 5,
    expiredCheckouts: 2,
    expiredLinks: 3
  })
})
