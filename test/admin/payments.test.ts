import t from 'tap'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build, id, receiver, testMachine, type Client, until } from '../support/helper.ts'
import { oneServerOptions } from '../support/servers.ts'
import { openSandbox } from '../support/sandboxes.ts'

const number = '260763459993'
const deposit = () => but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
const listed = async ({ call }: Client, query = '', headers?: Record<string, string>) =>
  (await call('GET', `/__admin/payments${query}`, undefined, headers)).body.payments
const move = ({ call }: Client, kind: string, id: string, body: object) =>
  call('POST', `/__admin/payments/${kind}/${id}/move`, body)

t.test('payments are listed oldest first, with filters', async (t) => {
  const systemClock = testMachine('2026-01-31T12:00:00.000Z')
  const mock = await build(t, {}, systemClock)
  const made: string[] = []
  for (const [n, kind] of (['deposit', 'payout', 'deposit', 'remittance'] as const).entries()) {
    systemClock.time += 1000
    const body = but(
      requests.v2[kind]!(),
      `${kinds[kind].party}.accountDetails.phoneNumber`,
      `26076345999${n}`
    )
    made.push(body[kinds[kind].idField])
    t.equal(
      (
        await mock.call('POST', `/v2/${kinds[kind].path}`, body, {
          'x-momock-scenario': 'stuck-forever'
        })
      ).body.status,
      'ACCEPTED'
    )
  }
  await mock.call('POST', '/v2/checkouts', {
    checkoutId: id(),
    returnUrl: 'https://shop.example/back'
  })
  const all = await listed(mock)
  t.strictSame(
    all.slice(0, 4).map(({ id }: any) => id),
    made
  )
  t.match(all[0], {
    kind: 'deposit',
    version: 'v2',
    status: 'PROCESSING',
    created: '2026-01-31T12:00:01.000Z',
    amount: '15.00',
    currency: 'ZMW',
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763459990',
    scenario: 'stuck-forever'
  })
  t.match(all[4], { kind: 'checkout', status: 'WAITING_PAYMENT' })
  for (const [query, found] of [
    ['?kind=deposit', [0, 2]],
    ['?kind=deposit&order=newest', [2, 0]],
    ['?version=v2&kind=payout', [1]],
    ['?version=v1', []],
    ['?version=v2&kind=payout', [1]],
    ['?version=v1', []],
    ['?until=2026-01-31T12:00:03Z', [0, 1]],
    [`?search=${made[3].slice(0, 13)}`, [3]],
    ['?search=260763459991', [1]],
    ['?search=26076345999&order=newest', [3, 2, 1, 0]],
    ['?kind=payouts', [1]],
    ['?phoneNumber=260763459992', [2]],
    ['?since=2026-01-31T12:00:03Z', [2, 3, 4]],
    ['?provider=MTN_MOMO_ZMB&kind=remittance', [3]],
    ['?provider=AIRTEL_OAPI_ZMB', []],
    ['?status=WAITING_PAYMENT', [4]],
    ['?status=PROCESSING', [0, 1, 2]],
    ['?status=ACCEPTED', [3]],
    ['?status=COMPLETED', []],
    ['?limit=2', [0, 1]]
  ] as Array<[string, number[]]>) {
    t.strictSame(
      await listed(mock, query),
      found.map((n) => all[n]),
      query
    )
  }
  systemClock.time += 60
  t.equal(
    (await listed(mock, '?status=PROCESSING')).length,
    4,
    'a state that only follows from the clock counts'
  )
  const { next } = (await mock.call('GET', '/__admin/payments?limit=3')).body
  t.strictSame(
    (await listed(mock, `?limit=3&after=${next}`)).map(({ id }: any) => id),
    [made[3], all[4].id]
  )
  const newest = (await mock.call('GET', '/__admin/payments?order=newest&limit=2')).body
  t.strictSame(
    (await listed(mock, `?order=newest&after=${newest.next}`)).map(({ id }: any) => id),
    made.slice(0, 3).reverse()
  )
  t.strictSame(await listed(mock, '', { authorization: 'Bearer sandbox-other' }), [])
  for (const [query, says] of [
    ['?status=DONE', /status must be one of/],
    ['?since=yesterday', /since must be/],
    ['?kind=gift', /no kind 'gift'/],
    ['?limit=1001', /1 to 1000/]
  ] as const) {
    t.match(
      (await mock.call('GET', `/__admin/payments${query}`)).body,
      { error: { message: says } },
      query
    )
  }
})

t.test('a payment shows its wallet entries', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const [inward, outward] = [
    deposit(),
    but(requests.v2.payout!(), 'recipient.accountDetails.phoneNumber', number)
  ]
  await mock.call('POST', '/v2/deposits', inward)
  await mock.call('POST', '/v2/payouts', outward)
  const entries = async (kind: string, id: string) =>
    (await mock.call('GET', `/__admin/payments/${kind}/${id}`)).body.entries.map(
      ({ book, amount }: any) => `${book} ${amount}`
    )
  t.strictSame(await entries('payout', outward.payoutId), ['available -15.00', 'reserved 15.00'])
  t.strictSame(await entries('deposit', inward.depositId), [])
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  t.strictSame(await entries('payout', outward.payoutId), [
    'available -15.00',
    'reserved 15.00',
    'reserved -15.00',
    'world 15.00'
  ])
  t.strictSame(await entries('deposit', inward.depositId), ['world -15.00', 'available 15.00'])
})

t.test('a payment names its parts, its parent and its legal moves', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const show = async (kind: string, id: string) =>
    (await mock.call('GET', `/__admin/payments/${kind}/${id}`)).body
  const source = deposit()
  await mock.call('POST', '/v2/deposits', source)
  t.match(await show('deposit', source.depositId), {
    legalMoves: ['PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
    parts: { length: 0 },
    parent: undefined
  })
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const refund = { refundId: id(), depositId: source.depositId }
  await mock.call('POST', '/v2/refunds', refund)
  t.match(await show('deposit', source.depositId), {
    legalMoves: { length: 0 },
    parts: [{ kind: 'refund', id: refund.refundId, status: 'ACCEPTED' }]
  })
  t.match(await show('refund', refund.refundId), {
    parent: { kind: 'deposit', id: source.depositId },
    legalMoves: ['ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED']
  })
})

for (const version of ['v1', 'v2'] as const) {
  for (const name of ['deposit', 'payout', 'refund', 'remittance'] as KindName[]) {
    const request = requests[version][name]
    if (request === undefined) continue
    t.test(`a ${name} of ${version} can be moved by an admin`, async (t) => {
      const merchant = await receiver(t)
      const mock = await openSandbox(t, { clock: 'frozen', callbackUrl: merchant.url })
      const { path, idField: key, party } = kinds[name]
      const source = requests[version].deposit!()
      await mock.call('POST', `${prefix[version]}/deposits`, source)
      await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
      const body =
        name === 'refund'
          ? { ...request(), depositId: source.depositId }
          : version === 'v1'
            ? but(request(), `${party}.address.value`, number)
            : but(request(), `${party}.accountDetails.phoneNumber`, number)
      t.equal((await mock.call('POST', `${prefix[version]}/${path}`, body)).body.status, 'ACCEPTED')
      t.match(await move(mock, name, body[key], { to: 'EXPIRED' }), {
        status: 409,
        body: {
          error: {
            code: 'CONFLICT',
            message: /is ACCEPTED; from there it can go to .*PROCESSING, .*COMPLETED, FAILED/
          }
        }
      })
      t.match((await move(mock, name, body[key], { to: 'PROCESSING' })).body, {
        status: 'PROCESSING',
        history: [{ status: 'ACCEPTED' }, { status: 'PROCESSING', cause: 'moved by the tester' }]
      })
      await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
      t.match(
        (await mock.call('GET', `/__admin/payments/${name}/${body[key]}`)).body,
        { status: 'PROCESSING' },
        'its script no longer counts'
      )
      t.match((await move(mock, name, body[key], { to: 'IN_RECONCILIATION' })).body, {
        status: 'IN_RECONCILIATION'
      })
      t.match(
        (await move(mock, name, body[key], { to: 'FAILED', failureCode: 'WALLET_LIMIT_REACHED' }))
          .body,
        {
          status: 'FAILED',
          history: [{}, {}, {}, { failureReason: { failureCode: 'WALLET_LIMIT_REACHED' } }],
          callbacks: [{ state: 'PENDING', body: { [key]: body[key], status: 'FAILED' } }]
        }
      )
      await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
      t.match(
        merchant.received.at(-1)?.body,
        { [key]: body[key], status: 'FAILED' },
        'and the merchant hears of it'
      )
      t.match(await move(mock, name, body[key], { to: 'COMPLETED' }), {
        status: 409,
        body: { error: { message: /is FAILED; it cannot be moved/ } }
      })
    })
  }
}

/** Moves of new payments by hand, and the statuses on the way. */
const ways: Array<[kind: KindName, to: string, way: string[]]> = [
  ['deposit', 'COMPLETED', ['ACCEPTED', 'PROCESSING', 'COMPLETED']],
  ['deposit', 'FAILED', ['ACCEPTED', 'FAILED']],
  ['deposit', 'IN_RECONCILIATION', ['ACCEPTED', 'PROCESSING', 'IN_RECONCILIATION']],
  ['payout', 'COMPLETED', ['ACCEPTED', 'PROCESSING', 'COMPLETED']],
  ['payout', 'ENQUEUED', ['ACCEPTED', 'ENQUEUED']],
  ['remittance', 'COMPLETED', ['ACCEPTED', 'PROCESSING', 'COMPLETED']]
]

t.test('a move goes through the statuses between, with the money', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  for (const [kind, to, way] of ways) {
    const what = `${kind} ${to}`
    const body = requests.v2[kind]!()
    await mock.call('POST', `/v2/${kinds[kind].path}`, body)
    const moved = await move(mock, kind, body[kinds[kind].idField], { to })
    t.match(moved, { status: 200, body: { status: to } }, what)
    const history = moved.body.history.map(({ status }: { status: string }) => status)
    t.strictSame(history, way, what)
  }
  const { body } = await mock.call('GET', '/__admin/invariants')
  t.match(body, { hold: true }, 'the ledger is right')
})

t.test('a move that is not possible is refused with a reason', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  const split = requests.v2.splitPayment!()
  await mock.call('POST', '/v2/split-payments', split)
  for (const [kind, what, push, status, says] of [
    [
      'deposit',
      body.depositId,
      { to: 'FAILED', failureCode: 'RECIPIENT_NOT_FOUND' },
      400,
      /not a failure of a deposit/
    ],
    [
      'deposit',
      body.depositId,
      { to: 'PROCESSING', failureCode: 'PAYER_NOT_FOUND' },
      400,
      /failureCode is only for FAILED/
    ],
    ['deposit', body.depositId, { to: 'DONE' }, 400, /to must be one of/],
    ['deposit', body.depositId, {}, 400, /to is required/],
    ['deposit', id(), { to: 'PROCESSING' }, 404, /there is no deposit/],
    ['gift', id(), { to: 'PROCESSING' }, 404, /no kind 'gift'/],
    ['splitPayment', split.splitPaymentId, { to: 'FAILED' }, 409, /cannot be moved/],
    [
      'splitPayment',
      split.splitPaymentId,
      { to: 'FAILED', failureCode: 'UNKNOWN_ERROR' },
      400,
      /not a failure of a splitPayment/
    ],
    ['payout', split.splits[0].payoutId, { to: 'PROCESSING' }, 409, /cannot be moved/]
  ] as Array<[string, string, object, number, RegExp]>) {
    t.match(
      await move(mock, kind, what, push),
      { status, body: { error: { message: says, hint: /^(?!use\s*$).+/ } } },
      `${kind} ${JSON.stringify(push)}`
    )
  }
  t.match(
    (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body,
    { status: 'ACCEPTED' },
    'and nothing has changed'
  )
  t.match(
    (await move(mock, 'deposits', body.depositId, { to: 'FAILED' })).body.history.at(-1),
    { failureReason: { failureCode: 'UNSPECIFIED_FAILURE' } },
    'a code when none is given'
  )
  const checkout = { checkoutId: id(), returnUrl: 'https://shop.example/back' }
  await mock.call('POST', '/v2/checkouts', checkout)
  t.match((await move(mock, 'checkout', checkout.checkoutId, { to: 'CANCELLED' })).body, {
    status: 'CANCELLED'
  })
})

t.test('a move applies due steps first', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const [body, queued] = [deposit(), requests.v2.payout!()]
  await mock.call('POST', '/__admin/scenarios', {
    name: 'gives-up',
    when: { kind: 'payout' },
    script: [
      { after: 0, to: 'ENQUEUED' },
      { after: '1m', to: 'FAILED', failureCode: 'UNKNOWN_ERROR' }
    ]
  })
  await mock.call('POST', '/v2/deposits', body)
  await mock.call('POST', '/v2/payouts', queued)
  const { now } = (await mock.call('GET', '/__admin/clock')).body
  await mock.call('PUT', '/__admin/clock', {
    mode: 'frozen',
    now: new Date(Date.parse(now) + 3_600_000).toISOString()
  })
  t.match(
    (await mock.call('GET', `/v2/deposits/${body.depositId}`)).body.data,
    { status: 'PROCESSING' },
    'it has not happened'
  )
  t.match(
    (await move(mock, 'deposit', body.depositId, { to: 'FAILED' })).body,
    { status: 'FAILED' },
    'so it can happen otherwise'
  )
  t.match((await mock.call('POST', `/v2/payouts/fail-enqueued/${queued.payoutId}`)).body, {
    status: 'ACCEPTED'
  })
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  t.match((await mock.call('GET', `/v2/payouts/${queued.payoutId}`)).body.data, {
    status: 'FAILED',
    failureReason: { failureCode: 'MANUALLY_CANCELLED' }
  })
})

t.test('wait answers when the payment reaches the state', async (t) => {
  const merchant = await receiver(t, [500])
  const { call } = await openSandbox(t, { callbackUrl: merchant.url })
  const wait = (body: object) => call('POST', '/__admin/wait', body)
  const body = deposit()
  const place = { kind: 'deposit', id: body.depositId }
  await call('POST', '/v2/deposits', body)
  t.match(await wait({ ...place, until: 'PROCESSING' }), {
    status: 200,
    body: { history: [{ status: 'ACCEPTED' }, { status: 'PROCESSING' }] }
  })
  t.match(
    await wait(place),
    { status: 200, body: { status: 'COMPLETED' } },
    'final when nothing is said'
  )
  t.match(
    await wait({ ...place, until: 'PROCESSING' }),
    { status: 200, body: { status: 'COMPLETED' } },
    'a state it has left again counts'
  )
  t.match(await wait({ ...place, until: 'acknowledged' }), {
    status: 200,
    body: { callbacks: [{ state: 'ACKNOWLEDGED', tries: 2 }] }
  })
  t.match(
    await wait({ ...place, until: 'FAILED', timeout: '5m' }),
    {
      status: 408,
      body: { error: { code: 'TIMEOUT', message: /is COMPLETED, and will never be FAILED/ } }
    },
    'at once'
  )
})

t.test('wait ignores an exhausted callback after a successful resend', async (t) => {
  const answers = Array.from({ length: 100 }, () => 500)
  const merchant = await receiver(t, answers)
  const { call } = await openSandbox(t, { clock: 'frozen', callbackUrl: merchant.url })
  const body = deposit()
  const wait = () =>
    call('POST', '/__admin/wait', { kind: 'deposit', id: body.depositId, until: 'acknowledged' })
  await call('POST', '/v2/deposits', body)
  await call('POST', '/__admin/clock/advance', { by: '1d' })
  t.match(await wait(), {
    status: 408,
    body: { error: { message: /its callbacks are EXHAUSTED, and will never be acknowledged/ } }
  })
  await call('POST', `/v2/deposits/resend-callback/${body.depositId}`)
  t.match(
    await wait(),
    {
      status: 409,
      body: { error: { message: /EXHAUSTED and PENDING, and the clock of this account is frozen/ } }
    },
    'it is on its way'
  )
  answers.length = 0
  await call('POST', '/__admin/clock/advance', { by: '1s' })
  t.match(await wait(), {
    status: 200,
    body: { callbacks: [{ state: 'EXHAUSTED' }, { state: 'ACKNOWLEDGED' }] }
  })
})

t.test('wait answers 408 or 409 if the state is not reached', async (t) => {
  const { call } = await build(t)
  const wait = (body: object, headers?: Record<string, string>) =>
    call('POST', '/__admin/wait', body, headers)
  const body = deposit()
  const place = { kind: 'deposit', id: body.depositId }
  await call('POST', '/v2/deposits', body, { 'x-momock-scenario': 'stuck-forever' })
  t.match(await wait({ ...place, timeout: '100ms' }), {
    status: 408,
    body: {
      error: {
        code: 'TIMEOUT',
        message: /deposit .* is (ACCEPTED|PROCESSING) after 100ms; waited for final/,
        hint: /payments\/deposit/
      }
    }
  })
  t.match(await wait({ ...place, timeout: '6m' }), {
    status: 400,
    body: { error: { message: /at most 5m/ } }
  })
  t.match(await wait({ ...place, until: 'soon' }), {
    status: 400,
    body: { error: { message: /until must be one of final, acknowledged/ } }
  })
  t.match(await wait({ ...place, id: id() }), { status: 404 })
  const frozen = { authorization: 'Bearer sandbox-frozen' }
  await call('PUT', '/__admin/clock', { mode: 'frozen' }, frozen)
  await call('POST', '/v2/deposits', body, frozen)
  t.match(
    await wait({ ...place, timeout: '5m' }, frozen),
    { status: 409, body: { error: { message: /frozen/, hint: /clock\/advance/ } } },
    'pointless'
  )
  await call('POST', '/__admin/clock/advance', { by: '1s' }, frozen)
  t.match(await wait(place, frozen), { status: 200, body: { status: 'COMPLETED' } })
  t.match(await wait({ ...place, until: 'acknowledged' }, frozen), {
    status: 408,
    body: { error: { message: /has no callback, and no callback URL is set/ } }
  })
})

t.test('wait sees admin moves and ends when the server stops', oneServerOptions, async (t) => {
  const { app, call } = await build(t)
  const body = deposit()
  const place = { kind: 'deposit', id: body.depositId, timeout: '1m' }
  await call('POST', '/v2/deposits', body, { 'x-momock-scenario': 'stuck-forever' })
  await call('POST', '/__admin/wait', { ...place, until: 'PROCESSING' })
  const answer = call('POST', '/__admin/wait', place)
  await call('POST', `/__admin/payments/deposit/${body.depositId}/move`, { to: 'COMPLETED' })
  t.match(await answer, { status: 200, body: { status: 'COMPLETED' } })
  const other = deposit()
  await call('POST', '/v2/deposits', other, { 'x-momock-scenario': 'stuck-forever' })
  const vain = call('POST', '/__admin/wait', { ...place, id: other.depositId })
  await until(
    async () => await call('GET', '/__admin/metrics'),
    ({ body }) => /^momock_change_listeners [1-9]/m.test(String(body))
  )
  // The teardown waits for the end: the connections of the test must be closed first.
  app.http.close(() => {})
  t.match(await vain, { status: 408, body: { error: { message: /being stopped/ } } })
})
