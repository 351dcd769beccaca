import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { build, id, testMachine, type Client, testStart } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** States of payments when clocks and identifiers are unusual. */

const payer = {
  type: 'MMO',
  accountDetails: { phoneNumber: '260763459993', provider: 'MTN_MOMO_ZMB' }
}

const split = () => ({
  splitPaymentId: id(),
  amount: '100',
  currency: 'ZMW',
  payer,
  splits: [{ payoutId: id(), amount: '40', recipient: payer }]
})

const advance = (call: Client['call'], by = '1s') => call('POST', '/__admin/clock/advance', { by })

async function frozen (t: Test, options = {}): Promise<Client> {
  return await build(t, { clock: 'frozen', ...options }, testMachine())
}

t.test('a split payment completes on a frozen clock', async (t) => {
  const script = (after: number) => [
    { after, to: 'PROCESSING' },
    { after, to: 'COMPLETED' }
  ]
  const ways: Array<
    [
      name: string,
      scenario: object | undefined,
      settle: (mock: Client, body: ReturnType<typeof split>) => Promise<unknown>
    ]
  > = [
    ['its deposit is fast', { script: script(1) }, ({ call }) => advance(call)],
    ['its deposit takes no time', { script: script(0) }, ({ call }) => advance(call)],
    [
      'the callback comes before the answer',
      { script: script(1), callback: { beforeAnswer: true } },
      ({ call }) => advance(call)
    ],
    [
      'its deposit is approved on the phone',
      { script: 'phone' },
      async ({ call }) => {
        const { payments } = (await call('GET', '/__admin/payments?kind=deposit')).body
        const path = `/__admin/phone/260763459993/deposits/${payments[0].id}`
        t.match(await call('POST', path, { decision: 'approve' }), { status: 200 })
        await advance(call)
      }
    ]
  ]
  for (const [name, scenario, settle] of ways) {
    await t.test(name, async (t) => {
      const mock = await frozen(t)
      const { call } = mock
      const added = await call('POST', '/__admin/scenarios', {
        name: 'fast',
        when: { kind: 'deposit' },
        ...scenario
      })
      t.equal(added.status, 201, JSON.stringify(added.body))
      const body = split()
      t.match(await call('POST', '/v2/split-payments', body), { body: { status: 'ACCEPTED' } })
      await settle(mock, body)
      t.equal((await advance(call, '10s')).status, 200)
      const record = (await call('GET', `/__admin/payments/splitPayment/${body.splitPaymentId}`))
        .body
      t.equal(record.status, 'COMPLETED')
      t.strictSame(
        record.history.map(({ status }: { status: string }) => status),
        ['ACCEPTED', 'PROCESSING', 'COMPLETED']
      )
    })
  }
})

/** Scenarios that count payouts, and the ends of the four payouts of a split payment. */
const counted: Array<[what: string, scenario: object, ends: string[]]> = [
  [
    'the first one',
    { fail: 'UNKNOWN_ERROR', times: 1 },
    ['FAILED', 'COMPLETED', 'COMPLETED', 'COMPLETED']
  ],
  [
    'every second one',
    { fail: 'UNKNOWN_ERROR', every: 2 },
    ['COMPLETED', 'FAILED', 'COMPLETED', 'FAILED']
  ],
  [
    'a sequence',
    { sequence: ['complete', { fail: 'UNKNOWN_ERROR' }], repeat: true },
    ['COMPLETED', 'FAILED', 'COMPLETED', 'FAILED']
  ]
]

for (const [what, scenario, ends] of counted) {
  t.test(`a scenario counts the payouts of a split payment: ${what}`, async (t) => {
    const { call } = await frozen(t)
    const given = { name: 'counted', when: { kind: 'payout' }, ...scenario }
    t.equal((await call('POST', '/__admin/scenarios', given)).status, 201)
    const splits = ends.map(() => ({ payoutId: id(), amount: '10', recipient: payer }))
    const body = { ...split(), splits }
    t.match((await call('POST', '/v2/split-payments', body)).body, { status: 'ACCEPTED' })
    await advance(call, '1m')
    const states = await Promise.all(
      splits.map(async ({ payoutId }) =>
        (await call('GET', `/v2/payouts/${payoutId}`)).body.data.status
      )
    )
    t.strictSame(states, ends)
  })
}

/** Calls that set a clock back. */
const backs: Array<[what: string, method: string, path: string, body?: object]> = [
  ['a clock', 'PUT', 'clock', { mode: 'running', now: '2026-01-31T11:00:00Z' }],
  ['a frozen clock', 'PUT', 'clock', { mode: 'frozen', now: '2026-01-31T11:00:00Z' }],
  ['a reset that keeps payments', 'POST', 'reset', { keep: ['payments', 'callbacks'] }]
]

for (const [what, ...[method, path, body]] of backs) {
  for (const start of [testStart, undefined]) {
    const mode = start === undefined ? 'running' : 'frozen'
    t.test(`${what} from a ${mode} clock: no state goes back with the time`, async (t) => {
      const { call } = await openSandbox(t, start === undefined ? {} : { start })
      const hanging = requests.v2.deposit!()
      hanging.payer.accountDetails.phoneNumber = '260763456129'
      await call('POST', '/v2/deposits', hanging)
      const look = async () =>
        (await call('GET', `/v2/deposits/${hanging.depositId}`)).body.data.status
      // A running clock may have gone on by now.
      if (mode === 'frozen') t.equal(await look(), 'ACCEPTED')
      await call('PUT', '/__admin/clock', { mode: 'running', now: '2126-01-31T12:10:00Z' })
      t.equal(await look(), 'PROCESSING')
      t.equal((await call(method, `/__admin/${path}`, body)).status, 200)
      t.equal(await look(), 'PROCESSING')
      t.equal((await call('GET', '/__admin/invariants')).status, 200)
    })
  }
}

t.test('the identifier of a part may be taken', async (t) => {
  const take = async ({ call }: Client, depositId: string) => {
    const deposit = { ...requests.v2.deposit!(), depositId, payer }
    t.match(await call('POST', '/v2/deposits', deposit), { body: { status: 'ACCEPTED' } })
  }

  t.test('by the deposit of a split payment', async (t) => {
    const [first, mock] = [await frozen(t), await frozen(t)]
    const body = split()
    await first.call('POST', '/v2/split-payments', body)
    const { payments } = (await first.call('GET', '/__admin/payments?kind=deposit')).body
    await take(mock, payments[0].id)
    t.match(await mock.call('POST', '/v2/split-payments', body), { body: { status: 'ACCEPTED' } })
    await advance(mock.call, '10s')
    t.match((await mock.call('GET', `/v2/split-payments/${body.splitPaymentId}`)).body, {
      data: { status: 'COMPLETED' }
    })
  })

  t.test('by the attempt of a checkout', async (t) => {
    const [first, mock] = [await frozen(t), await frozen(t)]
    const body = { checkoutId: id(), returnUrl: 'https://shop.example/back' }
    const pay = async ({ call }: Client) => {
      const { checkoutCode } = (await call('POST', '/v2/checkouts', body)).body
      return await call('POST', `/checkout/${checkoutCode}/attempts`, {
        ...payer.accountDetails,
        amount: '15'
      })
    }
    await take(mock, (await pay(first)).body.depositId)
    t.match((await pay(mock)).body, { status: 'ACCEPTED' })
    await advance(mock.call, '10s')
    t.match((await mock.call('GET', `/v2/checkouts/${body.checkoutId}`)).body, {
      data: { status: 'COMPLETED' }
    })
  })
})
