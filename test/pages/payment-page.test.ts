import { returnUrlOf } from '../../src/wire/pages.ts'
import t from 'tap'
import type { Config } from '../../src/config/config.ts'
import type { Version } from '../../src/domain/api-version.ts'
import { join } from 'node:path'
import {
  build,
  folder,
  id,
  receiver,
  testMachine,
  type Mock,
  type TestMachine
} from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, prefix } from '../support/examples.ts'

const good = '260763456789'
const minute = 60_000

const paths: Record<Version, string> = { v2: '/v2/paymentpage', v1: '/v1/widget/sessions' }
const requests: Record<Version, () => any> = {
  v2: () => ({
    depositId: id(),
    returnUrl: 'https://shop.example/back?basket=7',
    customerMessage: 'Order 1234',
    amountDetails: { amount: '15.50', currency: 'ZMW' },
    phoneNumber: good,
    language: 'FR',
    country: 'ZMB',
    reason: 'Two tickets & <b>a drink</b>',
    metadata: [{ orderId: 'ORD-1' }]
  }),
  v1: () => ({
    depositId: id(),
    returnUrl: 'https://shop.example/back?basket=7',
    statementDescription: 'Order 1234',
    amount: '15.50',
    msisdn: good,
    language: 'FR',
    country: 'ZMB',
    reason: 'Two tickets & <b>a drink</b>',
    metadata: [{ fieldName: 'orderId', fieldValue: 'ORD-1' }]
  })
}
const least = (): any => ({ depositId: id(), returnUrl: 'https://shop.example/back' })
const both = ['v2', 'v1'] as const

/** Opens a session; the path of its page. */
async function session (mock: Mock, version: Version, body: object): Promise<string> {
  const answer = await mock.call('POST', paths[version], body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return new URL(answer.body.redirectUrl).pathname
}

async function pass (mock: Mock, systemClock: TestMachine, ms: number): Promise<void> {
  systemClock.time += ms
  await mock.app.settle()
}

for (const version of both) {
  t.test(`${version}: a payment page is opened, paid and called back`, async (t) => {
    const systemClock = testMachine()
    const merchant = await receiver(t)
    const mock = await build(t, { callbackUrl: merchant.url }, systemClock)
    const body = requests[version]()
    const own = `${prefix[version]}/deposits/${body.depositId}`
    const opened = await mock.call('POST', paths[version], body)
    t.strictSame(
      { status: opened.status, keys: Object.keys(opened.body) },
      { status: 201, keys: ['redirectUrl'] }
    )
    const page = new URL(opened.body.redirectUrl).pathname
    t.match(page, /^\/pay\/[0-9a-f]{32}$/)
    t.strictSame(
      (await mock.call('GET', own)).body,
      version === 'v2' ? { status: 'NOT_FOUND' } : [],
      'no deposit before Pay'
    )

    const shown = await mock.call('GET', page, undefined, { authorization: '' })
    t.match(shown, {
      status: 200,
      body: {
        depositId: body.depositId,
        state: 'WAITING_PAYMENT',
        companyName: 'Momock Demo Shop',
        reason: body.reason,
        language: 'FR',
        amountDetails: { amount: '15.50' },
        phoneNumber: good,
        country: 'ZMB',
        countries: [{ country: 'ZMB', providers: Array }],
        expiresAt: '2026-01-31T12:15:00Z'
      }
    })
    t.equal(shown.body.countries.length, 1)

    const returnUrl = `https://shop.example/back?basket=7&depositId=${body.depositId}`
    const paid = await mock.call('POST', page, { provider: 'MTN_MOMO_ZMB' }, { authorization: '' })
    t.strictSame(
      { status: paid.status, body: paid.body },
      { status: 201, body: { depositId: body.depositId, status: 'ACCEPTED', returnUrl } }
    )
    t.match(await mock.call('POST', page, { provider: 'MTN_MOMO_ZMB' }), {
      status: 409,
      body: {
        depositId: body.depositId,
        status: 'ACCEPTED',
        returnUrl,
        error: { code: 'INVALID_STATE' }
      }
    })

    const told = merchant.next()
    await pass(mock, systemClock, 1000)
    const callback = (await told).body
    const found = (await mock.call('GET', own)).body
    t.strictSame(callback, version === 'v2' ? found.data : found[0], 'in the words of its version')
    t.match(
      callback,
      version === 'v2'
        ? {
            status: 'COMPLETED',
            amount: '15.50',
            currency: 'ZMW',
            customerMessage: 'Order 1234',
            metadata: { orderId: 'ORD-1' }
          }
        : {
            status: 'COMPLETED',
            requestedAmount: '15.50',
            currency: 'ZMW',
            statementDescription: 'Order 1234',
            metadata: { orderId: 'ORD-1' }
          }
    )
    t.match((await mock.call('GET', page)).body, {
      state: 'COMPLETED',
      deposit: { depositId: body.depositId, status: 'COMPLETED' },
      returnUrl
    })
    await pass(mock, systemClock, 60 * minute)
    t.match(
      await mock.call('POST', page, { provider: 'MTN_MOMO_ZMB' }),
      { status: 409, body: { status: 'COMPLETED' } },
      'paid wins over expired'
    )
    t.equal((await mock.call('POST', paths[version], body)).status, 400, 'the identifier is used')
  })

  t.test(`${version}: each link of a deposit expires after 15 minutes`, async (t) => {
    const systemClock = testMachine()
    const mock = await build(t, {}, systemClock)
    const body = requests[version]()
    const first = await session(mock, version, body)
    systemClock.time += minute
    const second = await session(mock, version, but(body, 'reason', 'Better'))
    t.not(first, second)
    systemClock.time += 14 * minute - 1
    t.match(await mock.call('GET', first), { status: 200, body: { reason: body.reason } })
    systemClock.time += 1
    t.equal((await mock.call('GET', first)).status, 410, 'the first expires by itself')
    systemClock.time += minute - 1
    t.match(await mock.call('GET', second), { status: 200, body: { reason: 'Better' } })
    systemClock.time += 1
    for (const call of [
      () => mock.call('GET', second),
      () => mock.call('POST', second, { provider: 'MTN_MOMO_ZMB' })
    ]) {
      t.match(await call(), {
        status: 410,
        body: {
          error: { code: String, message: /expired at 2026-01-31T12:16:00Z/, hint: String }
        }
      })
    }
    const third = await session(mock, version, body)
    const fourth = await session(mock, version, body)
    t.match(await mock.call('POST', third, { provider: 'MTN_MOMO_ZMB' }), { status: 201 })
    t.match(await mock.call('POST', fourth, { provider: 'MTN_MOMO_ZMB' }), {
      status: 409,
      body: { error: { message: `deposit '${body.depositId}' was already paid; it is ACCEPTED` } }
    })
  })
}

t.test('the request for a payment page is checked', async (t) => {
  const mock = await build(
    t,
    { accounts: [{ name: 'default', providers: ['ZMB', 'KEN', 'BEN', 'CIV', 'COD'] }] },
    testMachine()
  )
  const rows: Array<
    [version: Version, change: (body: any) => any, status: number, code?: string, says?: RegExp]
  > = [
    ['v2', () => least(), 201],
    ['v1', () => least(), 201],
    ['v2', (body) => ({ ...body, metadata: null, reason: null, language: null }), 201],
    ['v2', (body) => but(body, 'country'), 201],
    [
      'v2',
      (body) => but(but(body, 'country'), 'phoneNumber'),
      400,
      'MISSING_PARAMETER',
      /country or phoneNumber is required with amountDetails/
    ],
    ['v2', (body) => but(but(body, 'country'), 'amountDetails'), 201],
    [
      'v2',
      () => ({ ...least(), amountDetails: { amount: '500', currency: 'XOF' } }),
      400,
      'MISSING_PARAMETER',
      /country.*amountDetails/
    ],
    [
      'v2',
      () => ({
        ...least(),
        amountDetails: { amount: '500', currency: 'XOF' },
        phoneNumber: '22951345789'
      }),
      201
    ],
    ['v1', () => ({ ...least(), amount: 500 }), 201],
    ['v1', () => ({ ...least(), amount: 500, msisdn: good }), 201],
    ['v1', () => ({ ...least(), amount: 500, country: 'COD' }), 201],
    ['v2', (body) => but(body, 'depositId'), 400, 'MISSING_PARAMETER', /depositId/],
    ['v2', (body) => but(body, 'returnUrl', 'shop'), 400, 'INVALID_PARAMETER', /returnUrl/],
    ['v2', (body) => but(body, 'msisdn', good), 400, 'UNSUPPORTED_PARAMETER', /msisdn/],
    [
      'v2',
      (body) => but(body, 'customerMessage', 'a.b.c'),
      400,
      'INVALID_PARAMETER',
      /customerMessage/
    ],
    ['v2', (body) => but(body, 'language', 'DE'), 400, 'INVALID_PARAMETER', /language/],
    ['v2', (body) => but(body, 'reason', 'x'.repeat(51)), 400, 'INVALID_PARAMETER', /reason/],
    ['v2', (body) => but(body, 'reason', ''), 400, 'INVALID_PARAMETER', /reason/],
    ['v2', (body) => but(body, 'reason', 'Café № 1'), 400, 'INVALID_PARAMETER', /Latin-1/],
    ['v2', (body) => but(body, 'reason', 'one – two'), 400, 'INVALID_PARAMETER', /no long dash/],
    ['v2', (body) => but(body, 'reason', '🎉'), 400, 'INVALID_PARAMETER', /no emoji/],
    ['v2', (body) => but(body, 'reason', 'a\nb'), 400, 'INVALID_PARAMETER', /control characters/],
    ['v2', (body) => ({ ...least(), reason: 'Café Zoë' }), 201],
    ['v1', (body) => but(body, 'reason', '🎉'), 400, undefined, /no emoji/],
    [
      'v2',
      (body) => but(body, 'amountDetails.currency'),
      400,
      'MISSING_PARAMETER',
      /amountDetails\.currency/
    ],
    ['v2', (body) => but(body, 'country', 'UGA'), 400, 'INVALID_PARAMETER', /country 'UGA'/],
    ['v2', (body) => but(body, 'country', 'KEN'), 200, 'INVALID_PHONE_NUMBER', /phoneNumber/],
    ['v2', (body) => but(body, 'amountDetails.currency', 'KES'), 200, 'INVALID_CURRENCY', /KES/],
    [
      'v2',
      (body) => but(body, 'amountDetails.amount', '99999999'),
      200,
      'AMOUNT_OUT_OF_BOUNDS',
      /amountDetails/
    ],
    [
      'v2',
      (body) => but(body, 'amountDetails.amount', '1.234'),
      200,
      'INVALID_AMOUNT',
      /amountDetails/
    ],
    ['v1', (body) => but(body, 'amount', '99999999'), 200, 'AMOUNT_TOO_LARGE', /amount/],
    ['v1', (body) => but(body, 'msisdn', '123'), 200, 'INVALID_PAYER_FORMAT', /msisdn/],
    ['v1', (body) => but(body, 'returnUrl'), 400, undefined, /returnUrl/]
  ]
  for (const [version, change, status, code, says] of rows) {
    const body = change(requests[version]())
    const answer = await mock.call('POST', paths[version], body)
    const name = `${version} ${status} ${code ?? ''} ${says ?? ''}`
    t.equal(answer.status, status, name)
    if (status === 201) t.match(answer.body, { redirectUrl: /\/pay\// }, name)
    else if (version === 'v2') {
      t.match(
        answer.body,
        { status: 'REJECTED', failureReason: { failureCode: code, failureMessage: says } },
        name
      )
    } else if (status === 200) {
      t.match(
        answer.body,
        {
          depositId: body.depositId,
          status: 'REJECTED',
          rejectionReason: { rejectionCode: code, rejectionMessage: says }
        },
        name
      )
    } else t.match(answer.body, { errorId: String, errorCode: 1, errorMessage: says }, name)
  }
  for (const version of both) {
    t.equal(
      (
        await mock.call('POST', paths[version], requests[version](), {
          authorization: 'Bearer nobody'
        })
      ).status,
      401
    )
    t.equal(
      (
        await mock.call('POST', paths[version], requests[version](), {
          authorization: 'Bearer test-token-readonly'
        })
      ).status,
      403
    )
  }
})

t.test('v1: the provider decides the currency of an amount without a country', async (t) => {
  const mock = await openSandbox(t)
  const depositId = id()
  const { redirectUrl } = (
    await mock.call('POST', '/v1/widget/sessions', {
      depositId,
      returnUrl: 'https://shop.example/back',
      amount: '500'
    })
  ).body
  const page = new URL(redirectUrl).pathname
  t.match((await mock.call('GET', page)).body, { amountDetails: { amount: '500' } })
  t.match(await mock.call('POST', page, { provider: 'MTN_MOMO_BEN', phoneNumber: '22951345789' }), {
    status: 201
  })
  t.match((await mock.call('GET', `/deposits/${depositId}`)).body, [
    { requestedAmount: /^500/, currency: 'XOF', country: 'BEN' }
  ])
})

t.test('pages are refused while the providers are closed', async (t) => {
  const mock = await openSandbox(t)
  const close = (provider: string) =>
    mock.call('PUT', `/__admin/providers/${provider}`, { DEPOSIT: 'CLOSED' })
  const open = async (path: string, fields: object) =>
    await mock.call('POST', path, { returnUrl: 'https://shop.example/back', ...fields })
  const refused = {
    status: 200,
    body: {
      status: 'REJECTED',
      failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' }
    }
  }
  const page = (fields: object) => open('/v2/paymentpage', { depositId: id(), ...fields })
  const checkout = (fields: object) => open('/v2/checkouts', { checkoutId: id(), ...fields })
  const payer = (phoneNumber: string) => ({
    payer: { type: 'MMO', accountDetails: { phoneNumber, allowCustomerToOverride: true } }
  })
  await close('MTN_MOMO_ZMB')
  t.match(await page({ phoneNumber: good }), refused)
  t.match(await checkout(payer(good)), refused)
  t.match(await page({ country: 'ZMB' }), { status: 201 }, 'other providers are open')
  t.match(await checkout({ countries: ['ZMB'] }), { body: { status: 'ACCEPTED' } })
  const { countries } = (await mock.call('GET', '/v2/active-conf?country=ZMB')).body
  for (const { provider } of countries[0].providers) await close(provider)
  t.match(await page({ country: 'ZMB' }), refused)
  t.match(await checkout({ countries: ['ZMB'] }), refused)
  t.match(await checkout({ countries: ['ZMB', 'KEN'] }), { body: { status: 'ACCEPTED' } })
  t.match(await page({ country: 'KEN' }), { status: 201 })
})

t.test('a page without a language follows the browser', async (t) => {
  const mock = await openSandbox(t)
  const rows: Array<[language: string | undefined, accept: string, wanted: string]> = [
    [undefined, 'fr-CM, en;q=0.8', 'fr'],
    [undefined, 'en;q=0.5, fr;q=0.9', 'fr'],
    [undefined, 'de, en;q=0.1, fr;q=0', 'en'],
    [undefined, 'de', 'en'],
    [undefined, '', 'en'],
    ['EN', 'fr', 'en'],
    ['FR', 'en', 'fr']
  ]
  for (const [language, accept, wanted] of rows) {
    const { redirectUrl } = (
      await mock.call('POST', '/v2/paymentpage', {
        depositId: id(),
        returnUrl: 'https://shop.example/back',
        language
      })
    ).body
    const response = await fetch(mock.url + new URL(redirectUrl).pathname, {
      headers: { accept: 'text/html', 'accept-language': accept }
    })
    t.match(await response.text(), `<html lang="${wanted}">`, `${language} ${accept}`)
  }
})

t.test('the choices of a customer are checked', async (t) => {
  const mock = await build(t, {}, testMachine())
  const rows: Array<[name: string, terms: any, choice: object, status: number, code?: string]> = [
    ['only the provider is left', requests.v2(), { provider: 'MTN_MOMO_ZMB' }, 201],
    [
      'the fixed number',
      requests.v2(),
      { provider: 'MTN_MOMO_ZMB', phoneNumber: '260973456789' },
      400,
      'INVALID_PARAMETER'
    ],
    [
      'the fixed amount',
      requests.v2(),
      { provider: 'MTN_MOMO_ZMB', amount: '1' },
      400,
      'INVALID_PARAMETER'
    ],
    ['a provider of elsewhere', requests.v2(), { provider: 'MPESA_KEN' }, 400, 'INVALID_PARAMETER'],
    [
      'everything',
      least(),
      { country: 'ZMB', provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '5', currency: 'ZMW' },
      201
    ],
    [
      'no amount',
      least(),
      { provider: 'MTN_MOMO_ZMB', phoneNumber: good },
      400,
      'MISSING_PARAMETER'
    ],
    ['no number', least(), { provider: 'MTN_MOMO_ZMB', amount: '5' }, 400, 'MISSING_PARAMETER'],
    ['nothing', least(), {}, 400, 'MISSING_PARAMETER'],
    ['no body', least(), '' as unknown as object, 400, 'MISSING_PARAMETER'],
    ['no JSON', least(), '{' as unknown as object, 400, 'INVALID_INPUT'],
    ['a field nobody knows', least(), { pin: '1' }, 400, 'UNSUPPORTED_PARAMETER'],
    [
      'too little',
      least(),
      { provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '0.10' },
      400,
      'AMOUNT_OUT_OF_BOUNDS'
    ],
    [
      'several currencies',
      least(),
      { provider: 'VODACOM_MPESA_COD', phoneNumber: '243813456789', amount: '10' },
      400,
      'MISSING_PARAMETER'
    ],
    [
      'one of them',
      least(),
      { provider: 'VODACOM_MPESA_COD', phoneNumber: '243813456789', amount: '10', currency: 'USD' },
      201
    ],
    [
      'a provider that sends its customer elsewhere',
      least(),
      { provider: 'WAVE_SEN', phoneNumber: '221773456789', amount: '500' },
      201
    ]
  ]
  for (const [name, terms, choice, status, code] of rows) {
    const answer = await mock.call('POST', await session(mock, 'v2', terms), choice)
    t.match(
      answer,
      {
        status,
        body:
          code === undefined
            ? { depositId: terms.depositId, status: 'ACCEPTED' }
            : { error: { code, message: String, hint: String } }
      },
      name
    )
    if (code !== undefined) {
      t.strictSame(
        (await mock.call('GET', `/v2/deposits/${terms.depositId}`)).body,
        { status: 'NOT_FOUND' },
        'a refusal makes no deposit'
      )
    }
  }
  const named = least()
  await mock.call('POST', await session(mock, 'v2', named), {
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: good,
    amount: '5'
  })
  t.equal(
    (await mock.call('GET', `/v2/deposits/${named.depositId}`)).body.data.customerMessage,
    'Momock Demo Shop',
    'the company name by default'
  )
  t.match(await mock.call('POST', '/pay/nothing', {}), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } }
  })
  const once = await session(mock, 'v2', requests.v2())
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => mock.call('POST', once, { provider: 'MTN_MOMO_ZMB' }))
  )
  t.equal(
    answers.filter(({ status }) => status === 201).length,
    1,
    'paid once, however often Pay is pressed'
  )
  t.equal(answers.filter(({ status }) => status === 409).length, 19)
})

t.test('a payment page survives a restart', async (t) => {
  const options: Partial<Config> = { db: join(folder(t), 'ledger.db') }
  const systemClock = testMachine()
  const before = await build(t, options, systemClock)
  const page = await session(before, 'v2', requests.v2())
  await before.app.close()
  const after = await build(t, options, systemClock)
  t.match(await after.call('POST', page, { provider: 'MTN_MOMO_ZMB' }), { status: 201 })
})

t.test('a browser gets a page that escapes all values', async (t) => {
  const systemClock = testMachine()
  const mock = await build(t, {}, systemClock)
  const url = await session(mock, 'v2', requests.v2())
  const asked = { url, headers: { accept: 'text/html' } }
  const { statusCode, headers, body } = await mock.app.http.inject(asked)
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': /default-src 'none'/
  })
  t.match(body, /Two tickets &amp; &lt;b&gt;a drink&lt;\/b&gt;/)
  systemClock.time += 15 * minute
  const late = await mock.app.http.inject(asked)
  t.equal(late.statusCode, 410)
  t.match(late.headers['content-type'], /text\/html/)
})

t.test('the return URL is the URL of the merchant with the deposit id', async (t) => {
  for (const [given, wanted] of [
    ['https://a.b', 'https://a.b?depositId=1'],
    ['https://a.b/x?', 'https://a.b/x?depositId=1'],
    [
      "https://a.b/x?q=a%20b&sig=x~y'(1)&flag#frag",
      "https://a.b/x?q=a%20b&sig=x~y'(1)&flag&depositId=1#frag"
    ]
  ]) {
    t.equal(returnUrlOf(given, 'depositId', '1'), wanted)
  }
})

t.test(
  'links follow from the seed where the tester is alone or has chosen one, and from a secret ' +
    'where others are around',
  async (t) => {
    const body = {
      depositId: '00000000-0000-4000-8000-0000000000d0',
      returnUrl: 'https://shop.example/back'
    }
    const link = async (options: object): Promise<string> => {
      const { app, call } = await build(t, options)
      const { redirectUrl } = (await call('POST', '/v2/paymentpage', body)).body
      await app.close()
      return new URL(redirectUrl).pathname
    }
    t.equal(await link({}), await link({}))
    for (const around of [{ adminToken: 'secret' }, { host: '0.0.0.0' }]) {
      t.not(await link(around), await link({}))
      t.not(await link(around), await link(around), 'each ledger has its own')
      t.equal(await link({ ...around, seed: 'chosen' }), await link({ ...around, seed: 'chosen' }))
    }
  }
)

t.test('return and callback URLs must be complete http or https URLs', async (t) => {
  const mock = await openSandbox(t)
  const good = [
    'https://shop.example/back',
    'http://localhost:3000',
    'http://127.0.0.1:8080/a?b=c#d',
    'HTTPS://shop.example/',
    'http://[::1]:80/',
    'http://me:secret@shop.example/'
  ]
  const bad = [
    'http:evil',
    'https:/shop.example',
    'http:///shop.example',
    'http:\\\\shop.example',
    ' https://shop.example/',
    'https://shop.example/ ',
    'https://shop.exam\nple/',
    '\thttps://shop.example/',
    'https://',
    'http://?a=b',
    'javascript:alert(1)',
    'ftp://shop.example/',
    '//shop.example/',
    'shop.example'
  ]
  const places: Array<
    [field: string, send: (url: string) => Promise<{ status: number; body: any }>, good: number]
  > = [
    [
      'returnUrl',
      (returnUrl) => mock.call('POST', '/v2/paymentpage', { depositId: id(), returnUrl }),
      201
    ],
    [
      'returnUrl',
      (returnUrl) => mock.call('POST', '/v1/widget/sessions', { depositId: id(), returnUrl }),
      201
    ],
    [
      'returnUrl',
      (returnUrl) => mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl }),
      200
    ],
    [
      'successfulUrl',
      (successfulUrl) =>
        mock.call('POST', '/v2/deposits', {
          depositId: id(),
          amount: '500',
          currency: 'XOF',
          payer: {
            type: 'MMO',
            accountDetails: { phoneNumber: '221773456789', provider: 'WAVE_SEN' }
          },
          successfulUrl,
          failedUrl: successfulUrl
        }),
      200
    ],
    [
      'callbackUrl',
      (callbackUrl) =>
        mock.call('POST', '/v2/statements', {
          wallet: { country: 'ZMB', currency: 'ZMW' },
          callbackUrl,
          startDate: '2026-01-01T00:00:00Z',
          endDate: '2026-01-02T00:00:00Z'
        }),
      200
    ],
    [
      'callbacks.deposits',
      (deposits) => mock.call('PATCH', '/__admin/account', { callbacks: { deposits } }),
      200
    ]
  ]
  for (const [field, send, status] of places) {
    for (const url of good) {
      const answer = await send(url)
      t.equal(answer.status, status, `${field} ${url}`)
      t.not(answer.body.status, 'REJECTED')
    }
    for (const url of bad) {
      const { status, body } = await send(url)
      t.equal(status, 400, `${field} ${url}`)
      t.match(
        JSON.stringify(body),
        new RegExp(`${field.replace('.', '[.]')} must be an http or https URL`)
      )
    }
  }
})
