import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import {
  judgeExpectation,
  type UnmetExpectation,
  type SeenEvent
} from '../../src/verification/expectations.ts'
import type { EventSort, Expectation } from '../../src/verification/expectation.ts'
import { CallbackMatcherSchema, RequestMatcherSchema } from '../../src/verification/matching.ts'
import { PaymentMatcherSchema } from '../../src/verification/payment-matching.ts'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, id, receiver, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

const verify = (
  expectations: Expectation[],
  happened: SeenEvent[],
  unseen = { request: 0, callback: 0, payment: 0 }
): UnmetExpectation[] =>
  expectations.flatMap((expectation, index) => {
    const judging = judgeExpectation(expectation, index, happened, unseen)
    let step = judging.next()
    while (step.done !== true) step = judging.next()
    return step.value ?? []
  })
const request = (
  n: number,
  method: string,
  path: string,
  body?: unknown,
  status = 200
): SeenEvent => ({ id: n, at: n, request: { method, path, query: {}, headers: {}, body, status } })
const told = (n: number, at: number, kind: string, status: string): SeenEvent => ({
  id: n,
  at,
  callback: {
    kind,
    paymentId: `id-${n}`,
    url: 'http://shop.test/callbacks',
    state: 'ACKNOWLEDGED',
    attempts: 1,
    body: { status }
  }
})

const happened = [
  request(1, 'POST', '/v2/deposits', { amount: '15' }),
  request(2, 'POST', '/v2/deposits', { amount: '20', currency: 'ZMW' }),
  told(1, 3, 'deposit', 'COMPLETED'),
  request(4, 'GET', '/v2/deposits/x'),
  told(2, 5, 'deposit', 'FAILED')
]

const posted = { method: 'POST', path: '/v2/deposits' }
const asked = { method: 'GET', path: '/v2/deposits/*' }

t.test('an expectation is met or reports the difference', async (t) => {
  const rows: Array<[expectation: Expectation, failure?: object]> = [
    [{ request: posted }],
    [{ request: posted, count: 2 }],
    [{ request: posted, atLeast: 1, atMost: 2 }],
    [{ request: { method: 'DELETE' }, count: 0 }],
    [{ request: { method: 'DELETE' }, atMost: 0 }],
    [
      { request: posted, count: 1 },
      {
        message: 'exactly 1 request expected, 2 seen',
        count: 2,
        matched: [1, 2],
        nearest: undefined
      }
    ],
    [{ request: posted, atMost: 1 }, { message: 'at most 1 request expected, 2 seen' }],
    [
      { request: posted, atLeast: 3 },
      {
        message: 'at least 3 requests expected, 2 seen',
        nearest: { request: 4, differences: [{ field: 'method' }, { field: 'path' }] }
      }
    ],
    [{ request: posted, atLeast: 3, atMost: 4 }, { message: '3 to 4 requests expected, 2 seen' }],
    [
      { name: 'no refund', request: { method: 'DELETE', path: '/v2/deposits/x' } },
      {
        name: 'no refund',
        message: 'at least 1 request expected, 0 seen',
        count: 0,
        matched: [],
        nearest: {
          request: 4,
          summary: 'GET /v2/deposits/x 200',
          differences: [{ field: 'method', wanted: 'DELETE', got: 'GET' }]
        }
      }
    ],
    [
      { request: { ...posted, body: { amount: '20', currency: 'EUR' } } },
      {
        nearest: {
          request: 2,
          differences: [{ field: 'body.currency', wanted: 'EUR', got: 'ZMW' }]
        }
      }
    ],
    [
      { request: { ...posted, status: 400 } },
      { nearest: { request: 2, differences: [{ field: 'status', wanted: 400, got: 200 }] } }
    ],
    [{ callback: { kind: 'deposit' }, count: 2 }],
    [
      {
        callback: {
          url: 'http://shop.test/*',
          state: 'ACKNOWLEDGED',
          attempts: 1,
          body: { status: 'FAILED' }
        }
      }
    ],
    [
      { callback: { kind: 'payout' } },
      {
        message: 'at least 1 callback expected, 0 seen',
        nearest: {
          callback: 2,
          summary: 'deposit id-2 ACKNOWLEDGED http://shop.test/callbacks',
          differences: [{ field: 'kind', wanted: 'payout', got: 'deposit' }]
        }
      }
    ],
    [
      { callback: { paymentId: 'ID-1', body: { status: 'FAILED' } } },
      { nearest: { callback: 1, differences: [{ field: 'body.status' }] } }
    ],
    [{ inOrder: [{ request: posted }, { callback: {} }, { request: asked }, { callback: {} }] }],
    [{ inOrder: [{ request: posted }, { request: posted }] }],
    [
      { inOrder: [{ request: asked }, { request: posted }] },
      {
        message: 'step 1 of the order, a request, was seen only before step 0',
        count: 1,
        matched: [4],
        nearest: undefined
      }
    ],
    [
      { inOrder: [{ request: posted }, { callback: { kind: 'refund' } }] },
      {
        message: 'step 1 of the order, a callback, was not seen at all',
        count: 1,
        matched: [1],
        nearest: { differences: [{ field: 'kind' }] }
      }
    ],
    [
      { inOrder: [{ request: { method: 'PUT' } }, { callback: {} }] },
      { message: 'step 0 of the order, a request, was not seen', count: 0, matched: [] }
    ],
    [
      { inOrder: [{ request: posted }, { request: posted }, { request: posted }] },
      { message: 'step 2 of the order, a request, was seen only before step 1' }
    ]
  ]
  for (const [expectation, failure] of rows) {
    const [found] = verify([expectation], happened)
    if (failure === undefined) t.strictSame(found, undefined, JSON.stringify(expectation))
    else t.match(found, { index: 0, ...failure }, JSON.stringify(expectation))
    if (failure !== undefined && 'nearest' in failure && failure.nearest === undefined) {
      t.notOk('nearest' in found)
    }
  }
  t.strictSame(
    verify([{ request: { method: 'DELETE' } }], []),
    [{ index: 0, message: 'at least 1 request expected, 0 seen', count: 0, matched: [] }],
    'where nothing was seen, nothing is near'
  )
  const long = verify(
    [{ request: { body: 'a' } }],
    [request(1, 'POST', '/', { text: 'x'.repeat(1000) })]
  )
  t.ok(JSON.stringify(long).length < 700, 'what was got is shown in short')
})

t.test('dropped entries fail every upper bound', async (t) => {
  const rows: Array<[expectation: Expectation, sort: EventSort, met: boolean]> = [
    [{ request: posted, count: 2 }, 'request', false],
    [{ request: posted, atMost: 5 }, 'request', false],
    [{ request: { method: 'DELETE' }, count: 0 }, 'request', false],
    [{ callback: { kind: 'refund' }, count: 0 }, 'callback', false],
    [{ callback: { kind: 'deposit' }, atLeast: 1, atMost: 2 }, 'callback', false],
    [{ payment: { kind: 'deposit' }, count: 1 }, 'payment', false],
    [{ request: posted, count: 2 }, 'callback', true],
    [{ request: posted, count: 2 }, 'payment', true],
    [{ callback: { kind: 'refund' }, count: 0 }, 'request', true],
    [{ request: posted, atLeast: 2 }, 'request', true],
    [{ request: posted }, 'request', true]
  ]
  for (const [expectation, sort, met] of rows) {
    const [failure] = verify([expectation], happened, {
      request: 0,
      callback: 0,
      payment: 0,
      [sort]: 1
    })
    if (met) t.equal(failure, undefined, JSON.stringify(expectation))
    else {
      t.match(
        failure,
        { message: new RegExp(`seen; 1 ${sort} before that could not be looked at`) },
        JSON.stringify(expectation)
      )
    }
  }
})

t.test('a different body is nearer than a missing body', async (t) => {
  const wanted: Expectation = {
    request: { ...posted, body: { amount: '1', payer: { provider: 'A' } } }
  }
  for (const worse of [undefined, '{"amount":', 'text', { amount: '2', payer: 'none' }]) {
    for (const order of [
      [0, 1],
      [1, 0]
    ]) {
      const both = [
        request(1, 'POST', '/v2/deposits', { amount: '2', payer: { provider: 'B' } }),
        request(2, 'POST', '/v2/deposits', worse, 400)
      ]
      t.match(
        verify(
          [wanted],
          order.map((n) => both[n])
        ),
        [
          {
            nearest: {
              request: 1,
              differences: [{ field: 'body.amount' }, { field: 'body.payer.provider' }]
            }
          }
        ],
        JSON.stringify(worse)
      )
    }
  }
})

const ask = async ({ call }: Client, ...expectations: unknown[]) =>
  await call('POST', '/__admin/verify', { expectations })

t.test('payments are expected by what they are now', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const paid = requests.v2.deposit!() as any
  const failed = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763456039')
  for (const body of [paid, { ...failed, clientReferenceId: 'order-7' }]) {
    await mock.call('POST', '/v2/deposits', body)
  }
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  const amount = Number(paid.amount)
  const right: Array<Expectation['payment']> = [
    { kind: 'deposit', status: 'COMPLETED', amount },
    { id: paid.depositId.toUpperCase(), amount: amount.toFixed(2), currency: paid.currency },
    { provider: 'MTN_MOMO_ZMB', phoneNumber: '260763456039', version: 'v2' },
    { clientReferenceId: 'order-7', scenario: 'test-number:PAYMENT_NOT_APPROVED' },
    { status: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }
  ]
  for (const payment of right) {
    const { body } = await ask(mock, { payment, atLeast: 1 })
    t.match(body, { passed: true, dropped: 0 }, JSON.stringify(payment))
  }
  t.match((await ask(mock, { payment: {}, count: 3 })).body, { passed: true })
  const wrong = { payment: { kind: 'deposit', id: paid.depositId, amount: amount + 1 } }
  t.match((await ask(mock, wrong)).body, {
    passed: false,
    failed: [
      {
        message: 'at least 1 payment expected, 0 seen',
        nearest: {
          payment: paid.depositId,
          summary: new RegExp(`^deposit ${paid.depositId} [0-9.]+ ZMW MTN_MOMO_ZMB COMPLETED$`),
          differences: [{ field: 'amount', wanted: amount + 1, got: amount.toFixed(2) }]
        }
      }
    ]
  })
  t.match(
    (await ask(mock, { payment: { kind: 'deposit' }, count: 1 })).body.failed[0].matched.length,
    2
  )
  t.match(
    (await ask(mock, { inOrder: [{ request: posted }, { payment: { kind: 'payout' } }] })).body,
    { passed: true }
  )
  for (const [field, value] of [
    ['status', 'SUCCESS'],
    ['kind', 'deposits'],
    ['failureCode', 'NO_MONEY']
  ]) {
    const { status, body } = await ask(mock, { payment: { [field]: value } })
    t.equal(status, 400)
    t.match(body.error.message, new RegExp(`expectations.0.payment.${field} must be one of`))
  }
})

t.test('a word that nothing can match is refused, the right word decides', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen', callbackUrl: 'http://127.0.0.1:9/' })
  const deposit = requests.v2.deposit!() as any
  await mock.call('POST', '/v2/deposits', deposit)
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  const rows: Array<[matcher: string, right: object, wrong: object, says: RegExp]> = [
    ['request', { method: 'POST' }, { method: 'PSOT' }, /method must be one of GET, .*POST\?/],
    ['request', { path: '/v2/deposits' }, { path: 'v2/deposits' }, /path must be/],
    ['request', { path: '/v2/deposits' }, { path: '/v2/deposits?a=1' }, /path must be/],
    [
      'request',
      { operation: 'v2InitiateDeposit' },
      { operation: 'v2InitiateDeposits' },
      /operation must be .* v2InitiateDeposit\?/
    ],
    ['callback', { kind: 'deposit' }, { kind: 'deposits' }, /kind must be .* deposit\?/],
    ['callback', { state: 'EXHAUSTED' }, { state: 'FAILED' }, /PENDING, ACKNOWLEDGED, EXHAUSTED/],
    ['callback', { state: 'EXHAUSTED' }, { state: 'EXAUSTED' }, /EXHAUSTED\?/],
    ['callback', { paymentId: deposit.depositId }, { paymentId: 'order-7' }, /must be the UUID/],
    ['callback', { url: 'http://127.0.0.1:9/*' }, { url: '127.0.0.1:9/' }, /url must be/],
    ['callback', { body: { status: 'COMPLETED' } }, { body: { status: 'completed' } }, /COMPLETED/],
    ['callback', { body: { status: 'COMPLETED' } }, { body: { status: 'FALIED' } }, /FAILED\?/],
    ['payment', { id: deposit.depositId }, { id: 'order-7' }, /id must be the UUID/],
    [
      'payment',
      { kind: 'deposit', status: 'COMPLETED' },
      { kind: 'deposit', status: 'EXPIRED' },
      /no status of a deposit 'EXPIRED' .*COMPLETED/
    ],
    ['payment', { provider: 'MTN_MOMO_ZMB' }, { provider: 'MTN_MOMO_ZBM' }, /no provider .*_ZMB\?/],
    ['payment', { currency: 'ZMW' }, { currency: 'ZMK' }, /no currency 'ZMK' .*ZMW\?/],
    ['payment', { phoneNumber: '260763456789' }, { phoneNumber: '+260763456789' }, /digits/],
    ['payment', { amount: '15.00' }, { amount: '15 ZMW' }, /amount must be/],
    [
      'payment',
      { scenario: 'test-number:COMPLETED' },
      { scenario: 'test-number:COMPLETE' },
      /no scenario .*test-number:COMPLETED\?/
    ]
  ]
  for (const [sort, right, wrong, says] of rows) {
    const title = JSON.stringify(wrong)
    t.match((await ask(mock, { [sort]: right })).body, { passed: true }, JSON.stringify(right))
    t.match((await ask(mock, { [sort]: right, count: 0 })).body, { passed: false }, 'and not 0')
    const inOrder = { inOrder: [{ [sort]: {} }, { [sort]: wrong }] }
    for (const expectation of [{ [sort]: wrong, count: 0 }, inOrder]) {
      const { status, body } = await ask(mock, expectation)
      t.equal(status, 400, title)
      t.match(`${body.error?.message} ${body.error?.hint}`, says, title)
      t.match(body.error?.message, /^expectations\.0\.(inOrder\.1\.)?\w+\.\w+/, title)
    }
    const waited = await mock.call('POST', `/__admin/wait/${sort}`, { matcher: wrong })
    t.equal(waited.status, 400, `wait ${title}`)
  }
})

t.test('an expectation that nothing could break is refused', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const rows: Array<[expectation: object, says?: RegExp]> = [
    [{ request: { path: '/v2/refunds' }, count: 0 }],
    [{ request: { path: '/v2/refunds/*' }, atMost: 0 }],
    [{ request: { path: '/v2/refunds/{refundId}' }, count: 0 }],
    [{ request: { path: '//v2/refunds/' }, count: 0 }],
    [{ request: { path: '/*/refunds' }, count: 0 }],
    [{ request: { path: '/refunds' }, count: 0 }],
    [{ request: { path: '/ABCDEF' }, count: 0 }],
    [{ request: { path: '/v2/refunds' }, atLeast: 0, atMost: 1 }],
    [{ request: { path: '/v2/refund' }, count: 0 }, /no path '\/v2\/refund',.* \/v2\/refunds\?/],
    [{ request: { path: '/v2/refund' }, atMost: 0 }, /did you mean \/v2\/refunds\?/],
    [{ request: { path: '/v1/refunds' }, count: 0 }, /no path '\/v1\/refunds',/],
    [{ request: { path: '/v2/refund/*' }, count: 0 }, /no path '\/v2\/refund\/\*',/],
    [{ request: { path: '/v2/refunds' }, atLeast: 0 }, /atLeast 0 alone, which nothing can break/],
    [{ payment: {}, atLeast: 0 }, /atLeast 0 alone/]
  ]
  for (const [expectation, says] of rows) {
    const title = JSON.stringify(expectation)
    const { status, body } = await ask(mock, expectation)
    t.equal(status, says === undefined ? 200 : 400, title)
    if (says === undefined) t.match(body, { passed: true }, title)
    else t.match(`${body.error.message} ${body.error.hint}`, says, title)
  }
  await mock.call('POST', '/v2/refund', {})
  const seen = await ask(mock, { request: { path: '/v2/refund' }, count: 0 })
  t.match(seen.body, { passed: false }, 'a request that came is told')
})

t.test('a failure code is one of its kind, or of the parts of a payment', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  for (const [kind, failureCode, status] of [
    ['deposit', 'PAYER_LIMIT_REACHED', 200],
    ['payout', 'PAYER_LIMIT_REACHED', 400],
    ['payout', 'RECIPIENT_LIMIT_REACHED', 200],
    ['deposit', 'RECIPIENT_LIMIT_REACHED', 400],
    ['checkout', 'PAYER_LIMIT_REACHED', 200],
    ['splitPayment', 'PAYER_LIMIT_REACHED', 200],
    [undefined, 'PAYER_LIMIT_REACHED', 200]
  ] as const) {
    const title = `${kind} ${failureCode}`
    const answer = await ask(mock, { payment: { kind, failureCode }, count: 0 })
    t.equal(answer.status, status, title)
    if (status === 200) continue
    const message = `expectations.0.payment.failureCode: there is no failure code of a ${kind} `
    t.match(answer.body.error.message, message, title)
  }
})

t.test('a status that a fault has put into a callback is a word, too', async (t) => {
  const mock = await build(t, { clock: 'frozen', callbackUrl: 'http://127.0.0.1:9/' }, undefined, {
    uncheckedBecause: 'a fault hides the status of the callback'
  })
  const wanted = { callback: { body: { status: 'ON_HOLD' } } }
  t.equal((await ask(mock, { ...wanted, count: 0 })).status, 400)
  await mock.call('POST', '/__admin/scenarios', {
    callback: { extraFields: { status: 'ON_HOLD' } }
  })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  t.match((await ask(mock, wanted)).body, { passed: true })
  t.match((await ask(mock, { ...wanted, count: 0 })).body, { passed: false })
  const v1 = { callback: { body: { status: 'SUBMITTED' } }, count: 0 }
  t.match((await ask(mock, v1)).body, { passed: true }, 'a status of v1')
})

t.test('each word of a matcher decides', async (t) => {
  const callbackUrl = 'http://127.0.0.1:9/hooks'
  const mock = await openSandbox(t, { clock: 'frozen', callbackUrl })
  const body = { ...(requests.v2.deposit!() as any), clientReferenceId: 'order-7' }
  const { depositId } = body
  const failing = but(body, 'payer.accountDetails.phoneNumber', '260763456039')
  await mock.call('POST', '/v2/deposits?till=1', failing, { 'x-till': '1' })
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  type Words = Record<string, [right: unknown, wrong: unknown]>
  const rows: Array<[sort: EventSort, schema: TSchema, words: Words]> = [
    [
      'request',
      RequestMatcherSchema,
      {
        method: ['POST', 'GET'],
        path: ['/v2/{kind}', '/v2/payouts'],
        query: [{ till: '*' }, { till: '2' }],
        headers: [{ 'X-Till': '1' }, { 'x-till': null }],
        body: [{ depositId }, { depositId: null }],
        operation: ['v2InitiateDeposit', 'v2InitiatePayout'],
        status: [200, 201]
      }
    ],
    [
      'callback',
      CallbackMatcherSchema,
      {
        kind: ['deposit', 'payout'],
        paymentId: [depositId, id()],
        url: [callbackUrl, 'http://127.0.0.1:9/'],
        state: ['PENDING', 'ACKNOWLEDGED'],
        attempts: [1, 2],
        body: [{ status: 'FAILED' }, { status: 'COMPLETED' }]
      }
    ],
    [
      'payment',
      PaymentMatcherSchema,
      {
        kind: ['deposit', 'payout'],
        id: [depositId, id()],
        version: ['v2', 'v1'],
        generation: ['v2', 'v1'],
        status: ['FAILED', 'COMPLETED'],
        failureCode: ['PAYMENT_NOT_APPROVED', 'PAYER_NOT_FOUND'],
        amount: [body.amount, '16'],
        currency: ['ZMW', 'USD'],
        provider: ['MTN_MOMO_ZMB', 'AIRTEL_OAPI_ZMB'],
        phoneNumber: ['260763456039', '260763456789'],
        clientReferenceId: ['order-7', 'order-8'],
        scenario: ['test-number:PAYMENT_NOT_APPROVED', 'test-number:COMPLETED']
      }
    ]
  ]
  for (const [sort, { properties }, words] of rows) {
    t.same(Object.keys(words), Object.keys(properties), `all words about a ${sort}`)
    for (const [word, [right, wrong]] of Object.entries(words)) {
      for (const [value, isMet] of [
        [right, true],
        [wrong, false]
      ]) {
        const matcher = { [sort]: { [word]: value } }
        const title = JSON.stringify(matcher)
        t.match((await ask(mock, { ...matcher, count: 1 })).body, { passed: isMet }, title)
        const none = await ask(mock, { ...matcher, count: 0 })
        t.match(none.body, { passed: !isMet }, `none: ${title}`)
      }
    }
  }
})

t.test('a deleted scenario is still that of its payments', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  await mock.call('POST', '/__admin/scenarios', { name: 'short', fail: 'UNKNOWN_ERROR' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('DELETE', '/__admin/scenarios/short')
  const expectation = { payment: { scenario: 'short' }, count: 1 }
  t.match((await ask(mock, expectation)).body, { passed: true })
  t.equal((await ask(await openSandbox(t), expectation)).status, 400)
})

t.test('a wanted element of a list needs an element of its own', async (t) => {
  const mock = await openSandbox(t)
  const failed = { status: 'FAILED', code: 'A' }
  await mock.call('POST', '/v2/deposits', [failed, { status: 'COMPLETED' }, 1, { code: 'A' }])
  const [any, fails, codes] = [{}, { status: 'FAILED' }, { code: 'A' }]
  const rows: Array<[body: unknown[], isMet: boolean]> = [
    [[fails], true],
    [[fails, fails], false],
    [[1, 1], false],
    [[codes, codes], true],
    [[codes, fails], true],
    [[any, codes, fails], true],
    [[codes, codes, fails], false],
    [[any, any, any], true],
    [[any, any, any, any], false]
  ]
  for (const [body, isMet] of rows) {
    const { passed, failed } = (await ask(mock, { request: { body } })).body
    t.equal(passed, isMet, JSON.stringify(body))
    if (!isMet) t.ok(failed[0].nearest.differences.length > 0, 'and it is said what is missing')
  }
})

t.test('a callback of a statement is of the kind statement', async (t) => {
  const mock = await openSandbox(t)
  const callbackUrl = 'http://127.0.0.1:9/'
  const wallet = { country: 'ZMB', currency: 'ZMW' }
  const days = { startDate: '2026-01-01T00:00:00', endDate: '2026-01-02T00:00:00' }
  await mock.call('POST', '/v2/statements', { wallet, callbackUrl, ...days })
  const wait = { matcher: { kind: 'statement' } }
  t.equal((await mock.call('POST', '/__admin/wait/callback', wait)).status, 200)
  t.match((await ask(mock, { callback: { kind: 'statement' }, count: 0 })).body, { passed: false })
  t.match((await ask(mock, { callback: { kind: 'deposit' }, count: 0 })).body, { passed: true })
})

t.test('verification covers a complete payment', async (t) => {
  const merchant = await receiver(t)
  const mock = await build(t, { callbackUrl: merchant.url, clock: 'frozen' })
  const [good, bad] = ['happy-path', 'not-approved'].map((scenario) => ({
    scenario,
    body: { ...(requests.v2.deposit!() as any), depositId: id() }
  }))
  for (const { scenario, body } of [good, bad]) {
    await mock.call('POST', '/v2/deposits', body, { 'x-momock-scenario': scenario })
    await mock.call('POST', '/__admin/clock/advance', { until: 'idle' })
    await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
    await mock.call('GET', `/v2/deposits/${body.depositId}`)
  }
  const passed = await ask(
    mock,
    { request: { method: 'POST', path: '/v2/deposits' }, count: 2 },
    { request: { operation: 'v2FindDeposit', status: 200 }, count: 2 },
    {
      callback: {
        kind: 'deposit',
        paymentId: good.body.depositId,
        state: 'ACKNOWLEDGED',
        body: { status: 'COMPLETED' }
      },
      count: 1
    },
    {
      callback: {
        body: { status: 'FAILED', failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' } }
      },
      count: 1
    },
    {
      inOrder: [
        { request: { body: { depositId: good.body.depositId } } },
        { callback: { paymentId: good.body.depositId } },
        { request: { path: `/v2/deposits/${good.body.depositId}` } },
        { request: { body: { depositId: bad.body.depositId } } },
        { callback: { paymentId: bad.body.depositId } }
      ]
    }
  )
  t.strictSame(passed.body, { passed: true, failed: [], dropped: 0 })
  const { body } = await ask(
    mock,
    { request: { method: 'POST', path: '/v2/deposits' }, count: 2 },
    { name: 'told of the failure twice', callback: { paymentId: bad.body.depositId }, atLeast: 2 },
    {
      inOrder: [
        { callback: { paymentId: bad.body.depositId } },
        { request: { body: { depositId: good.body.depositId } } }
      ]
    }
  )
  t.match(body, {
    passed: false,
    failed: [
      {
        index: 1,
        name: 'told of the failure twice',
        count: 1,
        nearest: {
          differences: [
            { field: 'paymentId', wanted: bad.body.depositId, got: good.body.depositId }
          ]
        }
      },
      { index: 2, message: /seen only before step 0/ }
    ]
  })
  t.match(
    (
      await mock.call(
        'POST',
        '/__admin/verify',
        {
          expectations: [
            { request: {}, count: 0 },
            { callback: {}, count: 0 }
          ]
        },
        { authorization: 'Bearer sandbox-other' }
      )
    ).body,
    { passed: true },
    'of another account'
  )
})

t.test('verification reads more callbacks than one page', long, async (t) => {
  const mock = await build(t, { clock: 'frozen', callbackUrl: 'http://127.0.0.1:9/' })
  const ids = Array.from({ length: 26 }, () => Array.from({ length: 20 }, id))
  for (const batch of ids) {
    await mock.call(
      'POST',
      '/v2/payouts/bulk',
      batch.map((payoutId) => ({ ...(requests.v2.payout!() as object), payoutId }))
    )
  }
  await mock.call('POST', '/__admin/clock/advance', { by: '2s' })
  t.match(
    (
      await ask(
        mock,
        { callback: { kind: 'payout' }, count: 520 },
        { callback: { paymentId: ids[25][19] }, count: 1 }
      )
    ).body,
    { passed: true, failed: { length: 0 } }
  )
})

t.test('a wrong expectation is refused', async (t) => {
  const mock = await build(t, { journal: 2 })
  const rows: Array<[body: unknown, message: RegExp]> = [
    [{}, /expectations is required/],
    [{ expectations: [] }, /a list of 1 to 1000/],
    [
      { expectations: [{}] },
      /expectations.0 must say one of request, callback, payment and inOrder, and says none/
    ],
    [
      { expectations: [{ request: {} }, { request: {}, callback: {} }] },
      /expectations.1 must say one of .* says request and callback/
    ],
    [{ expectations: [{ request: {}, count: 1, atLeast: 1 }] }, /count, or atLeast and atMost/],
    [{ expectations: [{ request: {}, atLeast: 2, atMost: 1 }] }, /atLeast more than atMost/],
    [
      { expectations: [{ inOrder: [{ request: {} }, { request: {} }], count: 1 }] },
      /must not count what is in order/
    ],
    [{ expectations: [{ inOrder: [{ request: {} }] }] }, /a list of 2 to 100/],
    [{ expectations: [{ inOrder: [{ request: {} }, {}] }] }, /expectations.0.inOrder.1/],
    [
      { expectations: [{ requests: {} }] },
      /requests is not supported here; did you mean request\?/
    ],
    [{ expectations: [{ request: { bdy: {} } }] }, /did you mean body/]
  ]
  for (const [body, message] of rows) {
    t.match(
      await mock.call('POST', '/__admin/verify', body),
      { status: 400, body: { error: { code: 'BAD_REQUEST', message } } },
      JSON.stringify(body)
    )
  }
  for (let n = 0; n < 5; n++) await mock.call('GET', '/v2/availability')
  t.match(
    (await ask(mock, { request: {}, atLeast: 2 }, { request: {} })).body,
    { passed: true, dropped: 3 },
    'what was forgotten is said'
  )
  t.match(
    (
      await ask(
        mock,
        { request: {}, count: 2 },
        { callback: {}, count: 0 },
        { request: { method: 'DELETE' }, atMost: 0 }
      )
    ).body,
    {
      passed: false,
      dropped: 3,
      failed: [
        {
          index: 0,
          message:
            'exactly 2 requests expected, 2 seen; 3 requests before that could not be looked ' +
            'at any more, so there may have been more'
        },
        { index: 2, message: /^at most|^exactly 0/ }
      ]
    },
    'and there may have been more'
  )

  const off = await build(t, { journal: 0 })
  t.match(await ask(off, { inOrder: [{ callback: {} }, { request: {} }] }), {
    status: 409,
    body: { error: { hint: /--journal 0/ } }
  })
  t.match(await ask(off, { callback: {}, count: 0 }), { status: 200, body: { passed: true } })
})

t.test('a matcher with too many values is refused', async (t) => {
  const { call } = await openSandbox(t)
  const matcher = { body: { list: Array.from({ length: 2000 }, (_, n) => n) } }
  for (const [path, body] of [
    ['/__admin/requests/count', matcher],
    ['/__admin/requests/find', matcher],
    ['/__admin/verify', { expectations: [{ request: matcher }] }],
    ['/__admin/verify', { expectations: [{ inOrder: [{ request: {} }, { callback: matcher }] }] }]
  ] as const) {
    const { status, body: answer } = await call('POST', path, body)
    t.equal(status, 400, path)
    t.match(answer.error.message, 'body must have at most 2000 values to compare')
  }
})
