import { join } from 'node:path'
import t from 'tap'
import { maxSnapshots } from '../../src/services/account-lifecycle.ts'
import {
  build,
  folder,
  id,
  patient,
  receiver,
  testMachine,
  until,
  type Client,
  testStart
} from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { requests } from '../support/examples.ts'

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const own = as('sandbox-a')

/** Visible state of an account, without times of the system clock. */
async function sight ({ call }: Client, headers = own): Promise<Record<string, any>> {
  // A copied callback has a number of its own.
  const get = async (path: string): Promise<any> =>
    JSON.parse(
      JSON.stringify((await call('GET', path, undefined, headers)).body, (key, value) =>
        key === 'callbacks' && Array.isArray(value)
          ? value.map(({ id: _, ...callback }) => callback)
          : value
      )
    )
  return {
    payments: await Promise.all(
      (await get('/__admin/payments')).payments.map(({ kind, id }: any) =>
        get(`/__admin/payments/${kind}/${id}`)
      )
    ),
    callbacks: await get('/__admin/callbacks'),
    scenarios: (await get('/__admin/scenarios')).scenarios,
    providers: await get('/__admin/providers'),
    account: await get('/__admin/account'),
    clock: await get('/__admin/clock'),
    wallets: await get('/v2/wallet-balances')
  }
}

/**
 * An account in the middle of everything: payments that wait, that are held, that have ended; a
 * rule that is half used up.
 */
async function begin ({ call }: Client, url: string): Promise<void> {
  await call(
    'PATCH',
    '/__admin/account',
    {
      callbacks: Object.fromEntries(
        ['deposits', 'payouts', 'splitPayments'].map((kind) => [kind, url])
      ),
      companyName: 'Before'
    },
    own
  )
  await call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' }, own)
  await call(
    'POST',
    '/__admin/scenarios',
    { name: 'twice', when: { kind: 'deposit' }, reject: 'INVALID_AMOUNT', times: 2 },
    own
  )
  await call('POST', '/v2/deposits', requests.v2.deposit!(), own)
  await call('POST', '/v2/payouts', requests.v2.payout!(), own)
  await call('POST', '/v2/split-payments', requests.v2.splitPayment!(), own)
  await call('POST', '/__admin/clock/advance', { by: '700ms' }, own)
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' }, own)
  await call(
    'POST',
    '/v2/payouts',
    { ...requests.v2.payout!(), payoutId: 'aaaaaaaa-0000-4000-8000-000000000001' },
    own
  )
  await call(
    'POST',
    '/v2/checkouts',
    { checkoutId: id(), returnUrl: 'https://shop.example/', expiresAfter: 3 },
    own
  )
  await call('POST', '/payouts', '{', own)
}

/** Next results, byte for byte: a rejection, an error, a release, a day. */
async function finishPayments ({ call }: Client): Promise<string> {
  const body = { ...requests.v2.deposit!(), depositId: 'aaaaaaaa-0000-4000-8000-000000000002' }
  const answers = []
  for (const [method, path, sent] of [
    ['POST', '/v2/deposits', body],
    ['POST', '/v2/deposits', body],
    ['POST', '/payouts', '{'],
    ['PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' }],
    ['PATCH', '/__admin/account', { companyName: 'After' }],
    ['POST', '/__admin/clock/advance', { by: '1d' }],
    ['GET', '/v2/payouts/aaaaaaaa-0000-4000-8000-000000000001'],
    ['GET', '/v2/wallet-balances']
  ] as const) {
    answers.push(await call(method, path, sent, own))
  }
  return JSON.stringify(answers.map(({ status, body }) => [status, body]))
}

t.test('a restored account equals the snapshot and continues the same way', async (t) => {
  const { url, received } = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const systemClock = testMachine()
  let mock = await build(t, { db }, systemClock)
  await begin(mock, url)
  t.match(await mock.call('POST', '/__admin/snapshots', { name: 'middle' }, own), {
    status: 201,
    body: {
      name: 'middle',
      taken: '2026-01-31T12:00:00.250Z',
      clock: { mode: 'frozen', now: '2026-03-01T00:00:00.700Z', speed: 1 },
      seed: 'momock',
      payments: 7,
      scenarios: ['twice']
    }
  })
  const before = await sight(mock)
  const outcome = await finishPayments(mock)
  const sent = received.length
  const after = await sight(mock)
  t.notSame(after, before)
  for (const [how, prepare] of [
    ['at once', async () => {}],
    ['once more', async () => {}],
    ['after a reset', () => mock.call('POST', '/__admin/reset', undefined, own)],
    [
      'after a restart, and years',
      async () => {
        await mock.app.close()
        systemClock.time += 1e11
        mock = await build(t, { db, sandboxIdle: 0 }, systemClock)
      }
    ]
  ] as const) {
    await prepare()
    received.length = 0
    t.match(await mock.call('POST', '/__admin/snapshots/middle/restore', undefined, own), {
      status: 200,
      body: { name: 'middle', payments: 7 }
    })
    t.strictSame(await sight(mock), before, `${how}: it is as it was`)
    t.equal(await finishPayments(mock), outcome, `${how}: what comes is what came`)
    t.equal(received.length, sent - before.callbacks.callbacks.length, `${how}: as many callbacks`)
  }
})

t.test('a restored running clock continues from its time', async (t) => {
  const { url, received } = await receiver(t)
  const systemClock = testMachine()
  const { call, app } = await build(t, { callbackUrl: url }, systemClock)
  const one = requests.v2.deposit!()
  const status = async () => (await call('GET', `/v2/deposits/${one.depositId}`)).body.data?.status
  await call('POST', '/v2/deposits', one, { 'x-momock-scenario': 'slow-approval' })
  systemClock.time += 60_000
  await app.settle()
  t.equal(await status(), 'PROCESSING')
  await call('POST', '/__admin/snapshots', { name: 'waiting' })
  const { now } = (await call('GET', '/__admin/clock')).body
  systemClock.time += 3_600_000
  await app.settle()
  t.equal(await status(), 'COMPLETED')
  await until(
    async () => received.length,
    (length) => length === 1
  )
  await call('POST', '/__admin/snapshots/waiting/restore')
  t.strictSame((await call('GET', '/__admin/clock')).body, { mode: 'running', now, speed: 1 })
  await app.settle()
  t.equal(await status(), 'PROCESSING', 'the hour since does not count')
  systemClock.time += 1000
  t.equal(
    (await call('GET', '/__admin/clock')).body.now,
    new Date(Date.parse(now) + 1000).toISOString(),
    'it runs'
  )
  systemClock.time += 3 * 60_000
  await app.settle()
  t.equal(await status(), 'COMPLETED', 'what was planned comes when it was to come')
  await until(
    async () => received.length,
    (length) => length === 2
  )
  t.pass('and is told again')
})

t.test('a restore retries callbacks without an acknowledgement', async (t) => {
  const { url, received } = await receiver(t, [500, 500, 500])
  const { call } = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await call('POST', '/__admin/clock/advance', { by: '2s' })
  const callbacks = async () => (await call('GET', '/__admin/callbacks')).body.callbacks
  const before = await callbacks()
  t.match(before, [{ state: 'PENDING', attempts: [{ status: 500 }, { status: 500 }] }])
  await call('POST', '/__admin/snapshots', { name: 'unheard' })
  await call('POST', '/__admin/clock/advance', { by: '15m' })
  t.match(await callbacks(), [{ state: 'ACKNOWLEDGED' }])
  await call('POST', '/__admin/snapshots/unheard/restore')
  const [restored] = await callbacks()
  // A copy has a number of its own.
  t.strictSame([{ ...restored, id: before[0].id }], before)
  const count = received.length
  await call('POST', '/__admin/clock/advance', { by: '15m' })
  t.match(await callbacks(), [
    { state: 'ACKNOWLEDGED', attempts: [{ status: 500 }, { status: 500 }, { status: 200 }] }
  ])
  t.equal(received.length, count + 1)
})

t.test('a restore sends callbacks again that were in delivery', async (t) => {
  const { url, next } = await patient(t)
  const { call } = await openSandbox(t, { callbackUrl: url })
  const callbacks = async () => (await call('GET', '/__admin/callbacks')).body.callbacks
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const first = await next()
  await call('POST', '/__admin/snapshots', { name: 'on-its-way' })
  first.answer(200)
  await until(callbacks, ([{ state }]) => state === 'ACKNOWLEDGED')
  await call('POST', '/__admin/snapshots/on-its-way/restore')
  t.match(await callbacks(), [{ state: 'PENDING', attempts: { length: 0 } }])
  const again = await next()
  t.strictSame(again.body, first.body)
  again.answer(200)
  t.match(await until(callbacks, ([{ state }]) => state === 'ACKNOWLEDGED'), [
    { attempts: [{ status: 200 }] }
  ])
})

t.test('snapshots can be listed, replaced and deleted per account', async (t) => {
  const { call } = await openSandbox(t, { start: testStart })
  const named = async (headers?: Record<string, string>) =>
    (await call('GET', '/__admin/snapshots', undefined, headers)).body.snapshots.map(
      ({ name, payments }: any) => [name, payments]
    )
  await call('POST', '/__admin/snapshots', { name: 'a' })
  await call('POST', '/__admin/snapshots', { name: 'b' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await call('POST', '/__admin/snapshots', { name: 'a' })
  await call('POST', '/__admin/snapshots', { name: 'c' }, own)
  t.strictSame(await named(), [
    ['b', 0],
    ['a', 1]
  ])
  t.strictSame(await named(own), [['c', 0]])
  t.match((await call('GET', '/__admin/snapshots/a')).body, { name: 'a', payments: 1 })
  t.equal((await call('DELETE', '/__admin/snapshots/a')).status, 204)
  t.strictSame(await named(), [['b', 0]])
  await call('POST', '/__admin/reset')
  t.strictSame(await named(), [['b', 0]], 'a reset leaves them')
  for (const [method, path] of [
    ['GET', '/__admin/snapshots/c'],
    ['DELETE', '/__admin/snapshots/a'],
    ['POST', '/__admin/snapshots/bb/restore']
  ]) {
    t.match(
      await call(method, path),
      {
        status: 404,
        body: { error: { code: 'NOT_FOUND', message: /this account has no snapshot/ } }
      },
      path
    )
  }
  t.match((await call('GET', '/__admin/snapshots/bb')).body, { error: { hint: 'did you mean b?' } })
  for (const [body, says] of [
    [{ name: 'a b' }, /name must be 1 to 64/],
    [{}, /name is required/],
    [{ name: 'a', nmae: 'b' }, /did you mean name\?/]
  ] as const) {
    t.match(await call('POST', '/__admin/snapshots', body), {
      status: 400,
      body: { error: { message: says } }
    })
  }
})

t.test('the number of snapshots is limited', async (t) => {
  const { call } = await openSandbox(t)
  for (let n = 0; n < maxSnapshots; n++) await call('POST', '/__admin/snapshots', { name: `s${n}` })
  t.match(await call('POST', '/__admin/snapshots', { name: 'more' }), {
    status: 409,
    body: { error: { code: 'CONFLICT', message: /100 snapshots/, hint: /DELETE/ } }
  })
  t.equal(
    (await call('POST', '/__admin/snapshots', { name: 's5' })).status,
    201,
    'one of them again'
  )
})

t.test('a restore with another seed is refused', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, seed: 'one' })
  await first.call('POST', '/__admin/snapshots', { name: 'a' })
  await first.app.close()
  const { call } = await build(t, { db, seed: 'two' })
  t.match(await call('POST', '/__admin/snapshots/a/restore'), {
    status: 409,
    body: { error: { message: /seed 'one'.*'two'/, hint: "start the server with --seed 'one'" } }
  })
})
