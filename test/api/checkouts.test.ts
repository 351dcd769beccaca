import t from 'tap'
import { join } from 'node:path'
import {
  build,
  folder,
  id,
  receiver,
  testMachine,
  type Mock,
  type TestMachine,
  testStart
} from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but } from '../support/examples.ts'

const good = '260763456789'
const declined = '260763456039'
const hanging = '260763456129'
const minute = 60_000

const small = (): any => ({ checkoutId: id(), returnUrl: 'https://shop.example/back?x=1' })
const full = (): any => ({
  checkoutId: id(),
  returnUrl: 'https://shop.example/back',
  returnMethod: 'COUNTDOWN',
  defaultLanguage: 'fr',
  countries: ['ZMB', 'COD'],
  expiresAfter: 5,
  amounts: [
    { country: 'ZMB', currency: 'ZMW', amount: '15.50' },
    { country: 'COD', currency: 'USD', amount: '10' },
    { country: 'COD', currency: 'CDF', amount: '5000' }
  ],
  payer: {
    type: 'MMO',
    accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride: true }
  },
  clientReferenceId: 'INV-1',
  reason: { en: 'Order 1234', fr: 'Commande 1234' },
  metadata: [{ orderId: 'ORD-1' }]
})

interface Opened {
  mock: Mock
  systemClock: TestMachine
  checkoutId: string
  code: string
  page: string
  merchant: Awaited<ReturnType<typeof receiver>>
}

/** A checkout on a server with a frozen clock. */
async function open (t: Parameters<typeof build>[0], body = full()): Promise<Opened> {
  const systemClock = testMachine()
  const merchant = await receiver(t)
  const mock = await build(t, { callbackUrl: merchant.url }, systemClock)
  const { body: answer } = await mock.call('POST', '/v2/checkouts', body)
  t.equal(answer.status, 'ACCEPTED')
  return {
    mock,
    systemClock,
    merchant,
    checkoutId: body.checkoutId,
    code: answer.checkoutCode,
    page: `/checkout/${answer.checkoutCode}`
  }
}

async function pass ({ mock, systemClock }: Opened, ms: number): Promise<void> {
  systemClock.time += ms
  await mock.app.settle()
}

const record = async ({ mock, checkoutId }: Opened): Promise<any> =>
  (await mock.call('GET', `/v2/checkouts/${checkoutId}`)).body.data
const attempt = ({ mock, page }: Opened, body: object = {}) =>
  mock.call('POST', `${page}/attempts`, body, { authorization: '' })

t.test('a checkout is accepted once and found with all its fields', async (t) => {
  const body = full()
  const mock = await openSandbox(t, { start: testStart })
  const first = await mock.call('POST', '/v2/checkouts', body)
  t.equal(first.status, 200)
  t.match(first.body, {
    checkoutId: body.checkoutId,
    status: 'ACCEPTED',
    redirectUrl: /^http:\/\/.*\/checkout\/PPG[0-9A-F]{8}$/,
    created: '2026-01-31T12:00:00Z',
    expiresAt: '2026-01-31T12:05:00Z',
    checkoutCode: /^PPG[0-9A-F]{8}$/
  })
  t.strictSame((await mock.call('POST', '/v2/checkouts', body)).body, {
    ...first.body,
    status: 'DUPLICATE_IGNORED'
  })
  const { metadata: _, ...same } = body
  t.strictSame((await mock.call('GET', `/v2/checkouts/${body.checkoutId}`)).body, {
    status: 'FOUND',
    data: {
      ...same,
      status: 'WAITING_PAYMENT',
      redirectUrl: first.body.redirectUrl,
      created: first.body.created,
      depositsHistory: [],
      metadata: { orderId: 'ORD-1' },
      checkoutCode: first.body.checkoutCode
    }
  })
  t.strictSame((await mock.call('GET', `/v2/checkouts/${id()}`)).body, { status: 'NOT_FOUND' })
})

t.test('optional fields of a checkout have defaults', async (t) => {
  const opened = await open(t, small())
  const found = await record(opened)
  t.match(found, { returnMethod: 'INSTANT', expiresAfter: 15, amounts: { length: 0 } })
  t.strictSame(found.countries, [], 'none was asked for')
  for (const absent of [
    'payer',
    'deposit',
    'depositStatus',
    'metadata',
    'reason',
    'clientReferenceId',
    'defaultLanguage'
  ]) {
    t.notOk(absent in found, absent)
  }
})

t.test('a wrong checkout is refused in the documented order', async (t) => {
  const mock = await build(
    t,
    { accounts: [{ name: 'default', providers: ['ZMB', 'KEN', 'COD'] }] },
    testMachine()
  )
  const rows: Array<[path: string, value: unknown, status: number, code: string, says: RegExp]> = [
    ['checkoutId', 'x', 400, 'INVALID_PARAMETER', /checkoutId/],
    ['returnUrl', undefined, 400, 'MISSING_PARAMETER', /returnUrl/],
    ['returnUrl', 'javascript:alert(1)', 400, 'INVALID_PARAMETER', /returnUrl/],
    ['returnMethod', 'LATER', 400, 'INVALID_PARAMETER', /returnMethod/],
    ['expiresAfter', 2, 400, 'INVALID_PARAMETER', /expiresAfter/],
    ['expiresAfter', 61, 400, 'INVALID_PARAMETER', /expiresAfter/],
    ['expiresAfter', 4.5, 400, 'INVALID_PARAMETER', /expiresAfter/],
    ['nonsense', 1, 400, 'UNSUPPORTED_PARAMETER', /nonsense/],
    ['reason.en', 'no', 400, 'INVALID_PARAMETER', /reason\.en/],
    [
      'payer.accountDetails.allowCustomerToOverride',
      undefined,
      400,
      'MISSING_PARAMETER',
      /allowCustomerToOverride/
    ],
    ['metadata', [{ a: '1' }, { a: '2' }], 400, 'DUPLICATE_METADATA_FIELD', /'a'/],
    ['countries', [], 400, 'INVALID_PARAMETER', /countries/],
    ['countries', ['ZMB', 'XXX'], 400, 'INVALID_PARAMETER', /countries\.1 'XXX'/],
    ['countries', ['ZMB', 'UGA'], 400, 'INVALID_PARAMETER', /countries\.1 'UGA'/],
    ['countries', ['ZMB'], 400, 'INVALID_PARAMETER', /amounts\.1\.country 'COD'/],
    ['amounts.1.country', 'UGA', 400, 'INVALID_PARAMETER', /amounts\.1\.country 'UGA'/],
    ['amounts.1.currency', 'CDF', 400, 'INVALID_PARAMETER', /amounts\.2/],
    ['amounts.0.currency', 'KES', 200, 'INVALID_CURRENCY', /amounts\.0/],
    ['amounts.0.amount', '1.234', 200, 'INVALID_AMOUNT', /amounts\.0/],
    ['amounts.0.amount', '0.10', 200, 'AMOUNT_OUT_OF_BOUNDS', /amounts\.0/],
    ['amounts.0.amount', '99999999', 200, 'AMOUNT_OUT_OF_BOUNDS', /amounts\.0/],
    [
      'payer.accountDetails.provider',
      'NOBODY',
      400,
      'INVALID_PARAMETER',
      /payer\.accountDetails\.provider/
    ],
    [
      'payer.accountDetails.provider',
      'MTN_MOMO_UGA',
      200,
      'INVALID_PROVIDER',
      /payer\.accountDetails\.provider/
    ],
    [
      'payer.accountDetails.provider',
      'MPESA_KEN',
      400,
      'INVALID_PARAMETER',
      /payer\.accountDetails\.provider/
    ],
    [
      'payer.accountDetails.phoneNumber',
      '243811234567',
      200,
      'INVALID_PHONE_NUMBER',
      /payer\.accountDetails\.phoneNumber/
    ]
  ]
  for (const [path, value, status, failureCode, failureMessage] of rows) {
    const answer = await mock.call('POST', '/v2/checkouts', but(full(), path, value))
    t.match(
      answer,
      { status, body: { status: 'REJECTED', failureReason: { failureCode, failureMessage } } },
      `${path} ${JSON.stringify(value)}`
    )
  }
  t.match(await mock.call('POST', '/v2/checkouts', full(), { authorization: 'Bearer nobody' }), {
    status: 401
  })
  t.match(
    await mock.call('POST', '/v2/checkouts', full(), {
      authorization: 'Bearer test-token-readonly'
    }),
    { status: 403 }
  )
})

t.test('a checkout completes after a failed attempt', async (t) => {
  const opened = await open(t)
  const { mock, merchant } = opened
  t.match((await mock.call('GET', opened.page)).body, {
    state: 'WAITING_PAYMENT',
    companyName: 'Momock Demo Shop',
    reason: { fr: 'Commande 1234' },
    countries: [{ country: String }, { country: String }],
    attempts: { length: 0 },
    expiresAt: '2026-01-31T12:05:00Z'
  })

  const first = await attempt(opened, { phoneNumber: declined })
  t.match(first, { status: 201, body: { depositId: /^[0-9a-f-]{36}$/, status: 'ACCEPTED' } })
  t.match(await record(opened), {
    status: 'PROCESSING',
    depositStatus: 'ACCEPTED',
    deposit: {
      depositId: first.body.depositId,
      amount: '15.50',
      currency: 'ZMW',
      country: 'ZMB',
      customerMessage: 'Commande 1234',
      metadata: { orderId: 'ORD-1' }
    }
  })
  t.match(await attempt(opened), {
    status: 409,
    body: { error: { code: 'INVALID_STATE', message: /being processed/, hint: String } }
  })
  t.match(await mock.call('POST', `${opened.page}/cancel`), { status: 409 })

  const told = merchant.next()
  await pass(opened, 1000)
  t.match(
    (await told).body,
    { depositId: first.body.depositId, status: 'FAILED' },
    'the attempt has its own callback'
  )
  t.match(await record(opened), {
    status: 'WAITING_PAYMENT',
    depositStatus: 'FAILED',
    depositsHistory: [{ status: 'FAILED', failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' } }]
  })

  const second = await attempt(opened)
  t.not(second.body.depositId, first.body.depositId)
  await pass(opened, 1000)
  const found = await record(opened)
  t.match(found, {
    status: 'COMPLETED',
    depositStatus: 'COMPLETED',
    providerTransactionId: String,
    deposit: { depositId: second.body.depositId }
  })
  t.strictSame(
    found.depositsHistory.map((each: any) => each.depositId),
    [first.body.depositId, second.body.depositId],
    'oldest first'
  )
  t.match((await mock.call('GET', `/v2/deposits/${second.body.depositId}`)).body, {
    status: 'FOUND',
    data: { status: 'COMPLETED', clientReferenceId: 'INV-1' }
  })
  while (merchant.received.length < 3) await merchant.next()
  t.strictSame(
    merchant.received.find(({ body }) => 'checkoutId' in body)?.body,
    found,
    'the callback is the record'
  )
  t.equal(
    (await mock.call('GET', opened.page)).body.returnUrl,
    `https://shop.example/back?checkoutCode=${opened.code}`
  )
  t.match(await attempt(opened), { status: 409 })
  t.match(
    (await mock.call('POST', `/v2/checkouts/${opened.checkoutId}/expire`)).body,
    { checkoutId: opened.checkoutId, status: 'COMPLETED', reason: undefined },
    'expiring what is final changes nothing'
  )
  await pass(opened, 60 * minute)
  t.equal((await record(opened)).status, 'COMPLETED')
})

t.test('the choices of a customer are checked', async (t) => {
  const fixed = but(full(), 'payer.accountDetails.allowCustomerToOverride', false)
  const free = small()
  const rows: Array<[name: string, terms: any, choice: object, status: number, code?: string]> = [
    ['all is fixed', fixed, {}, 201],
    ['all is fixed, and no body', fixed, '' as unknown as object, 201],
    ['the same again', fixed, { phoneNumber: good, provider: 'MTN_MOMO_ZMB', amount: '15.5' }, 201],
    ['another number', fixed, { phoneNumber: declined }, 400, 'INVALID_PARAMETER'],
    ['another provider', fixed, { provider: 'AIRTEL_OAPI_ZMB' }, 400, 'INVALID_PARAMETER'],
    ['another amount', fixed, { amount: '1' }, 400, 'INVALID_PARAMETER'],
    [
      'another wallet where that is allowed',
      full(),
      { phoneNumber: '260973456789', provider: 'AIRTEL_OAPI_ZMB' },
      201
    ],
    [
      'a country with two prices',
      full(),
      { phoneNumber: '243813456789', provider: 'VODACOM_MPESA_COD' },
      400,
      'MISSING_PARAMETER'
    ],
    [
      'one of the two',
      full(),
      { phoneNumber: '243813456789', provider: 'VODACOM_MPESA_COD', currency: 'USD' },
      201
    ],
    ['a currency without a price', full(), { currency: 'USD' }, 400, 'INVALID_CURRENCY'],
    [
      'a country that is not open',
      full(),
      { phoneNumber: '254700000000', provider: 'MPESA_KEN' },
      400,
      'INVALID_PARAMETER'
    ],
    ['no provider', free, { phoneNumber: good, amount: '5' }, 400, 'MISSING_PARAMETER'],
    ['no number', free, { provider: 'MTN_MOMO_ZMB', amount: '5' }, 400, 'MISSING_PARAMETER'],
    ['no amount', free, { provider: 'MTN_MOMO_ZMB', phoneNumber: good }, 400, 'MISSING_PARAMETER'],
    [
      'an amount of its own',
      free,
      { provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '5' },
      201
    ],
    [
      'too much',
      free,
      { provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '99999999' },
      400,
      'AMOUNT_OUT_OF_BOUNDS'
    ],
    [
      'an unknown provider',
      free,
      { provider: 'NOBODY', phoneNumber: good, amount: '5' },
      400,
      'INVALID_PARAMETER'
    ],
    [
      'a number of elsewhere',
      free,
      { provider: 'MTN_MOMO_ZMB', phoneNumber: '254700000000', amount: '5' },
      400,
      'INVALID_PHONE_NUMBER'
    ],
    [
      'the wrong country',
      free,
      { country: 'KEN', provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '5' },
      400,
      'INVALID_PARAMETER'
    ],
    ['an unknown field', free, { pin: '1234' }, 400, 'UNSUPPORTED_PARAMETER'],
    [
      'a provider that sends its customer elsewhere',
      free,
      { provider: 'WAVE_SEN', phoneNumber: '221773456789', amount: '500' },
      201
    ],
    [
      'a provider that wants a code',
      free,
      { provider: 'ORANGE_BFA', phoneNumber: '22607345678', amount: '500' },
      400,
      'MISSING_PARAMETER'
    ],
    [
      'and gets it',
      free,
      {
        provider: 'ORANGE_BFA',
        phoneNumber: '22607345678',
        amount: '500',
        preAuthorisationCode: '123456'
      },
      201
    ]
  ]
  const mock = await openSandbox(t, { start: testStart })
  for (const [name, terms, choice, status, code] of rows) {
    const { body } = await mock.call('POST', '/v2/checkouts', { ...terms, checkoutId: id() })
    const answer = await mock.call('POST', `/checkout/${body.checkoutCode}/attempts`, choice)
    t.match(
      answer,
      {
        status,
        body:
          code === undefined
            ? { depositId: String, status: 'ACCEPTED' }
            : { error: { code, message: String, hint: String } }
      },
      name
    )
  }
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/attempts'],
    ['POST', '/cancel']
  ]) {
    t.match(
      await mock.call(method, `/checkout/PPG00000000${path}`, method === 'POST' ? {} : undefined),
      { status: 404, body: { error: { code: 'NOT_FOUND' } } },
      `${method} ${path}`
    )
  }
})

t.test('a checkout without payment expires or is cancelled', async (t) => {
  const rows: Array<[name: string, end: (opened: Opened) => Promise<unknown>, status: string]> = [
    ['time runs out', (opened) => pass(opened, 5 * minute), 'EXPIRED'],
    [
      'time runs out after a failed attempt',
      async (opened) => {
        await attempt(opened, { phoneNumber: declined })
        await pass(opened, 1000)
        t.equal((await record(opened)).status, 'WAITING_PAYMENT')
        await pass(opened, 5 * minute - 1000)
      },
      'EXPIRED'
    ],
    [
      'the merchant expires it',
      async (opened) => {
        const expired = {
          checkoutId: opened.checkoutId,
          status: 'EXPIRED',
          expiredAt: '2026-01-31T12:00:00Z',
          reason: 'MANUAL_EXPIRY',
          expiredBy: 'API'
        }
        for (const again of [0, 1]) {
          t.strictSame(await mock(opened, 'expire'), { status: 200, body: expired }, `${again}`)
        }
      },
      'EXPIRED'
    ],
    [
      'the customer cancels it',
      async (opened) => {
        t.match(await opened.mock.call('POST', `${opened.page}/cancel`), {
          status: 200,
          body: { state: 'CANCELLED', returnUrl: /checkoutCode=PPG/ }
        })
        t.strictSame(await mock(opened, 'expire'), {
          status: 200,
          body: {
            checkoutId: opened.checkoutId,
            status: 'CANCELLED',
            expiredAt: '2026-01-31T12:00:00Z'
          }
        })
      },
      'CANCELLED'
    ]
  ]
  for (const [name, end, status] of rows) {
    await t.test(name, async (t) => {
      const opened = await open(t)
      await end(opened)
      await opened.mock.app.settle()
      const found = await record(opened)
      t.equal(found.status, status)
      while (opened.merchant.received.every(({ body }) => !('checkoutId' in body))) {
        await opened.merchant.next()
      }
      t.strictSame(opened.merchant.received.at(-1)?.body, found)
      t.match(await attempt(opened), {
        status: 409,
        body: { error: { message: new RegExp(status) } }
      })
      t.match(await opened.mock.call('POST', `${opened.page}/cancel`), { status: 409 })
      const before = opened.merchant.received.length
      await pass(opened, 60 * minute)
      t.equal(opened.merchant.received.length, before, 'the end comes once')
    })
  }
  async function mock (opened: Opened, action: string) {
    const { status, body } = await opened.mock.call(
      'POST',
      `/v2/checkouts/${opened.checkoutId}/${action}`
    )
    return { status, body }
  }
})

t.test('a checkout waits for an open attempt', async (t) => {
  const ways: Array<
    [name: string, close: (opened: Opened) => Promise<unknown>, afterFailure: string]
  > = [
    ['time runs out', (opened) => pass(opened, 250), 'FAILED'],
    [
      'the merchant expires it',
      async (opened) => {
        const { body } = await opened.mock.call('POST', `/v2/checkouts/${opened.checkoutId}/expire`)
        t.match(body, {
          status: 'PROCESSING',
          expiredAt: /^2026/,
          reason: 'MANUAL_EXPIRY',
          expiredBy: 'API'
        })
        await pass(opened, 250)
      },
      'EXPIRED'
    ]
  ]
  for (const [name, close, afterFailure] of ways) {
    for (const [phoneNumber, status] of [
      [good, 'COMPLETED'],
      [declined, afterFailure],
      [hanging, 'PROCESSING']
    ]) {
      await t.test(`${name}, ${status}`, async (t) => {
        const opened = await open(t)
        await pass(opened, 5 * minute - 200)
        t.equal((await attempt(opened, { phoneNumber })).status, 201)
        await close(opened)
        t.equal((await record(opened)).status, 'PROCESSING')
        await pass(opened, 1000)
        t.equal((await record(opened)).status, status)
        await pass(opened, 60 * minute)
        t.equal((await record(opened)).status, status)
      })
    }
  }
})

t.test('an attempt and the expiry of its checkout are due at once', async (t) => {
  for (const [phoneNumber, status] of [
    [good, 'COMPLETED'],
    [declined, 'FAILED']
  ]) {
    const opened = await open(t)
    t.equal((await attempt(opened, { phoneNumber })).status, 201)
    await pass(opened, 60 * minute)
    t.equal((await record(opened)).status, status, `${phoneNumber} ends the checkout`)
    t.strictSame((await opened.mock.call('GET', '/__admin/set-aside')).body.payments, [])
    t.match((await opened.mock.call('GET', '/__admin/invariants')).body, { hold: true })
  }
})

t.test('a checkout that cannot expire is refused', async (t) => {
  const mock = await openSandbox(t)
  const unknown = id()
  t.match(await mock.call('POST', `/v2/checkouts/${unknown}/expire`), {
    status: 404,
    body: { status: 'REJECTED', failureReason: { failureCode: 'NOT_FOUND' } }
  })
  t.match(await mock.call('POST', '/v2/checkouts/nonsense/expire'), {
    status: 400,
    body: { failureReason: { failureCode: 'INVALID_PARAMETER' } }
  })
  t.match(
    await mock.call('POST', `/v2/checkouts/${unknown}/expire`, undefined, {
      authorization: 'Bearer test-token-readonly'
    }),
    { status: 403 }
  )
  t.match(
    await mock.call('POST', `/checkouts/${unknown}/expire`),
    { status: 404 },
    'the earlier version has no checkouts'
  )
})

t.test('a browser gets a page that escapes all values', async (t) => {
  const opened = await open(t, but(full(), 'reason', { en: 'Order 1234' }))
  const asked = { url: opened.page, headers: { accept: 'text/html,application/xhtml+xml' } }
  const { statusCode, headers, body } = await opened.mock.app.http.inject(asked)
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': /default-src 'none'/
  })
  t.match(body, /Order 1234[\s\S]*action="\/checkout\/PPG\w+\/attempts"/)
  const missing = await opened.mock.app.http.inject({ ...asked, url: '/checkout/%3Cscript%3E' })
  t.equal(missing.statusCode, 404)
  t.notMatch(missing.body, /<script>/)
  t.match(missing.body, /&lt;script&gt;/)
})

t.test('parallel attempts of a checkout make one deposit', async (t) => {
  const opened = await open(t)
  const answers = await Promise.all(Array.from({ length: 20 }, () => attempt(opened)))
  t.equal(answers.filter(({ status }) => status === 201).length, 1)
  t.equal((await record(opened)).depositsHistory.length, 1)
})

t.test('a checkout survives a restart with its link and its time', async (t) => {
  const options = { db: join(folder(t), 'ledger.db') }
  const systemClock = testMachine()
  const before = await build(t, options, systemClock)
  const [one, other] = [full(), full()]
  const {
    body: { checkoutCode }
  } = await before.call('POST', '/v2/checkouts', one)
  await before.call('POST', '/v2/checkouts', other)
  await before.app.close()
  const after = await build(t, options, systemClock)
  t.match(await after.call('POST', `/checkout/${checkoutCode}/attempts`, {}), { status: 201 })
  t.equal((await after.call('POST', '/v2/checkouts', one)).body.status, 'DUPLICATE_IGNORED')
  systemClock.time += 5 * minute
  await after.app.settle()
  t.equal(
    (await after.call('GET', `/v2/checkouts/${one.checkoutId}`)).body.data.status,
    'COMPLETED'
  )
  t.equal(
    (await after.call('GET', `/v2/checkouts/${other.checkoutId}`)).body.data.status,
    'EXPIRED'
  )
})
