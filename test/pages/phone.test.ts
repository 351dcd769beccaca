import t from 'tap'
import type { Config } from '../../src/config/config.ts'
import {
  answer,
  deposit,
  form,
  good,
  html,
  named,
  pass,
  phonePath,
  shop,
  statusOf,
  wave,
  waveDeposit,
  type Shop
} from '../support/customers.ts'
import { but, requests } from '../support/examples.ts'
import { id, type Mock } from '../support/helper.ts'

/**
 * Deposits that wait for their customer: on the phone, or where a redirecting provider sends them.
 */

t.test('a waiting deposit accepts every answer of the customer', async (t) => {
  const rows: Array<
    [decision: string, moves: string[], code: string | undefined, message: RegExp]
  > = [
    [
      'approve',
      ['ACCEPTED', 'PROCESSING', 'COMPLETED'],
      undefined,
      /You paid 15\.00.ZMW to Momock Demo Shop\. Order 1234\. Transaction [0-9a-f-]{36}\./
    ],
    [
      'decline',
      ['ACCEPTED', 'PROCESSING', 'FAILED'],
      'PAYMENT_NOT_APPROVED',
      /failed\. Order 1234\. The payment was not approved\./
    ],
    [
      'ignore',
      ['ACCEPTED', 'PROCESSING', 'FAILED'],
      'PAYMENT_NOT_APPROVED',
      /failed\. Order 1234\. The payment was not approved\./
    ]
  ]
  for (const [decision, moves, code, message] of rows) {
    for (const asked of [true, false]) {
      await t.test(`${decision}, ${asked ? 'on the prompt' : 'before it was asked'}`, async (t) => {
        const here = await shop(t)
        const { mock, merchant } = here
        const depositId = await deposit(here)
        if (asked) {
          await pass(here, 3_600_000)
          t.match((await mock.call('GET', phonePath)).body, {
            phoneNumber: good,
            prompts: [
              { depositId, status: 'PROCESSING', amount: '15', customerMessage: 'Order 1234' }
            ],
            messages: { length: 0 }
          })
        }
        t.equal((await statusOf(here, depositId)).status, asked ? 'PROCESSING' : 'ACCEPTED')
        t.match(await answer(here, depositId, decision), {
          status: 200,
          body: { prompts: { length: 0 } }
        })
        if (decision === 'ignore') {
          t.equal(
            (await statusOf(here, depositId)).status,
            'PROCESSING',
            'the prompt is put away, the provider still waits'
          )
          await pass(here, 30_000)
        }
        await mock.app.settle()
        while (merchant.received.length === 0) await merchant.next()
        const found = await statusOf(here, depositId)
        t.match(found, {
          status: moves.at(-1),
          ...(code !== undefined && { failureReason: { failureCode: code } })
        })
        t.strictSame(
          merchant.received.map(({ body }) => body),
          [found],
          'and the merchant hears of it once'
        )
        const told = (await mock.call('GET', `/__admin/payments/deposit/${depositId}`)).body
        t.strictSame(
          told.history.map(({ status }: any) => status),
          moves
        )
        const { body } = await mock.call('GET', phonePath)
        t.match(body, {
          prompts: { length: 0 },
          messages: [{ kind: 'deposit', id: depositId, status: moves.at(-1), text: message }]
        })
        t.match(await answer(here, depositId, decision === 'approve' ? 'decline' : 'approve'), {
          status: 409,
          body: { error: { code: 'CONFLICT', message: new RegExp(`is ${moves.at(-1)}`) } }
        })
        if (decision !== 'ignore') {
          t.match(
            await answer(here, depositId, decision),
            { status: 200 },
            'said twice, it is as if it was said once'
          )
        }
        t.equal(merchant.received.length, 1)
      })
    }
  }
})

t.test('the answer of the customer moves the money', async (t) => {
  const here = await shop(t)
  const balance = async (): Promise<string> =>
    (await here.mock.call('GET', '/v2/wallet-balances?country=ZMB')).body.balances[0].balance
  const before = Number(await balance())
  const [one, other] = [await deposit(here), await deposit(here)]
  await answer(here, one, 'approve')
  await answer(here, other, 'decline')
  t.equal(Number(await balance()), before + 15)
})

t.test('scenarios and settings decide which deposits wait for the phone', async (t) => {
  const phone = { accounts: [{ name: 'default', approval: 'phone' as const }] }
  const rows: Array<
    [
      name: string,
      options: Partial<Config>,
      change: (body: any) => any,
      headers: Record<string, string>,
      status: string
    ]
  > = [
    ['nobody, as it comes', {}, (body) => body, {}, 'COMPLETED'],
    ['who names the scenario', {}, (body) => body, named, 'PROCESSING'],
    [
      'who names it in the metadata',
      {},
      (body) =>
        but(but(body, 'payer.accountDetails.phoneNumber', '260763459993'), 'metadata', [
          { momock: 'phone' }
        ]),
      {},
      'PROCESSING'
    ],
    [
      'but not with a number of the sandbox table, which comes first',
      {},
      (body) => but(body, 'metadata', [{ momock: 'phone' }]),
      {},
      'COMPLETED'
    ],
    ['an account that wants it: a good test number', phone, (body) => body, {}, 'PROCESSING'],
    [
      'an account that wants it: any number',
      phone,
      (body) => but(body, 'payer.accountDetails.phoneNumber', '260763459993'),
      {},
      'PROCESSING'
    ],
    [
      'but not a number that fails',
      phone,
      (body) => but(body, 'payer.accountDetails.phoneNumber', '260763456039'),
      {},
      'FAILED'
    ],
    [
      'nor a scenario that says otherwise',
      phone,
      (body) => body,
      { 'x-momock-scenario': 'happy-path' },
      'COMPLETED'
    ]
  ]
  for (const [name, options, change, headers, status] of rows) {
    const here = await shop(t, options)
    const body = change(requests.v2.deposit!())
    await here.mock.call('POST', '/v2/deposits', body, headers)
    await pass(here, 3_600_000)
    t.equal((await statusOf(here, body.depositId)).status, status, name)
    await here.mock.app.close()
  }
  const here = await shop(t)
  const { mock } = here
  await mock.call('PATCH', '/__admin/account', { approval: 'phone' })
  const depositId = await deposit(here, {})
  await pass(here, 3_600_000)
  t.equal((await statusOf(here, depositId)).status, 'PROCESSING', 'an account that came to want it')
  t.match(await mock.call('POST', '/__admin/scenarios', { name: 'p', script: 'phone' }), {
    status: 400,
    body: { error: { message: /script.*only a deposit.*when: \{ kind: deposit \}/ } }
  })
  t.match(await mock.call('POST', '/__admin/scenarios', { name: 'p', script: 'telephone' }), {
    status: 400,
    body: { error: { message: /script must be a list of at most 20 steps, or 'phone'/ } }
  })
  t.match(
    await mock.call('POST', '/__admin/scenarios', {
      name: 'p',
      when: { kind: 'deposit' },
      script: [{ after: '1s', to: 'GONE' }]
    }),
    { status: 400, body: { error: { message: /script\.0\.to/ } } }
  )
})

t.test(
  'the key of a phone opens one number of one account',
  async (t) => {
    const here = await shop(t, { adminToken: 'secret' })
    const { mock } = here
    const admin = { 'x-momock-admin-token': 'secret' }
    const depositId = await deposit(here)
    await pass(here, 1000)
    t.equal((await mock.call('GET', phonePath)).status, 401, 'the admin token counts here too')
    const { page, prompts } = (await mock.call('GET', phonePath, undefined, admin)).body
    t.equal(prompts.length, 1)
    t.strictSame(
      (
        await mock.call('GET', phonePath, undefined, {
          ...admin,
          authorization: 'Bearer sandbox-other'
        })
      ).body.prompts,
      []
    )
    t.equal(
      (await mock.call('GET', page, undefined, { authorization: '' })).body.prompts.length,
      1,
      'the link opens it, without any token'
    )
    const key = new URL(page, 'http://x').searchParams.get('key')!
    for (const [name, path] of [
      ['another number', `/__admin/phone/260763456039?key=${key}`],
      [
        'another account',
        `${phonePath}?key=${key.replace(/^\d+/, (account) => String(Number(account) + 1))}`
      ],
      [
        'a key that was changed',
        `${phonePath}?key=${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`
      ],
      ['other admin calls', `/__admin/clock?key=${key}`]
    ]) {
      t.equal((await mock.call('GET', path, undefined, { authorization: '' })).status, 401, name)
    }
    t.match(
      await mock.call(
        'POST',
        `/__admin/phone/260763456039/deposits/${depositId}`,
        { decision: 'approve' },
        admin
      ),
      { status: 404 },
      'a deposit of another number'
    )
    const shown = await html(mock, page)
    t.match(shown, {
      statusCode: 200,
      headers: { 'content-security-policy': /script-src 'self'/, 'cache-control': 'no-store' }
    })
    const pressed = await form(
      mock,
      `/__admin/phone/${good}/deposits/${depositId}?key=${key}`,
      { decision: 'approve' },
      { 'sec-fetch-site': 'same-origin' }
    )
    t.match(pressed, { statusCode: 303, headers: { location: page } })
    t.equal((await statusOf(here, depositId)).status, 'COMPLETED')
  }
)

t.test(
  'the phone link of a page shows only the payments of the page',
  async (t) => {
    const here = await shop(t, {
      adminToken: 'secret',
      accounts: [{ name: 'default', approval: 'phone' }]
    })
    const { mock } = here
    const anybody = { authorization: '' }
    const terms = { returnUrl: 'https://shop.example/back' }
    const amounts = [{ country: 'ZMB', currency: 'ZMW', amount: '5' }]
    const payer = {
      type: 'MMO',
      accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride: true }
    }
    const session = async (): Promise<string> =>
      new URL(
        (
          await mock.call('POST', '/v2/paymentpage', {
            depositId: id(),
            ...terms,
            country: 'ZMB',
            amountDetails: { amount: '5', currency: 'ZMW' },
            phoneNumber: good
          })
        ).body.redirectUrl
      ).pathname
    const checkout = async (): Promise<string> => {
      const request = { checkoutId: id(), ...terms, amounts, payer }
      const { body } = await mock.call('POST', '/v2/checkouts', request)
      return `/checkout/${body.checkoutCode}`
    }
    const wave500 = {
      ...waveDeposit(id()),
      successfulUrl: terms.returnUrl,
      failedUrl: terms.returnUrl
    }
    const authorisation = async (): Promise<string> => {
      await mock.call('POST', '/v2/deposits', wave500)
      await pass(here, 100)
      return new URL((await statusOf(here, wave500.depositId)).authorizationUrl).pathname
    }
    const pay = (page: string): Promise<{ body: any }> =>
      mock.call('POST', page.startsWith('/checkout') ? `${page}/attempts` : page, {
        provider: 'MTN_MOMO_ZMB'
      })
    const other = await deposit(here)
    const elsewhere = (
      await mock.call('POST', '/v2/deposits', { ...wave500, depositId: id() }, named)
    ).body.depositId
    for (const open of [session, checkout, authorisation]) {
      const page = await open()
      const phone = (await mock.call('GET', page)).body.phonePage
      const isRedirect = open === authorisation
      t.match(
        (await mock.call('GET', phone, undefined, anybody)).body,
        { page: phone, prompts: { length: 0 }, messages: { length: 0 } },
        `${open.name}: nothing waits yet, of this page`
      )
      const depositId = isRedirect ? wave500.depositId : (await pay(page)).body.depositId
      await pass(here, 100)
      t.equal((await mock.call('GET', page)).body.phonePage, phone, 'the link stays')
      const shown = (await mock.call('GET', phone, undefined, anybody)).body
      t.strictSame(
        shown.prompts.map((prompt: any) => prompt.depositId),
        isRedirect ? [] : [depositId]
      )
      const [path, query] = phone.split('?')
      const key = new URLSearchParams(query).get('key')!
      for (const [name, url] of [
        ['the whole phone', `${path}?key=${key}`],
        ['another payment', `${path}?about=deposit/${other}&key=${key}`],
        ['another payment, and this', `${path}?about=deposit/${other}&${query}`],
        ['the stream of the whole phone', `${path}/events?key=${key}`]
      ]) {
        t.equal((await mock.call('GET', url, undefined, anybody)).status, 401, name)
      }
      for (const stranger of [other, elsewhere]) {
        t.match(
          await mock.call(
            'POST',
            `${path}/deposits/${stranger}?${query}`,
            { decision: 'approve' },
            anybody
          ),
          { status: 404 },
          'nor can anything else be answered'
        )
      }
      t.match(
        (await html(mock, phone)).body,
        isRedirect
          ? /Nothing waits/
          : new RegExp(`action="${path}/deposits/${depositId}[?]${query.replace('&', '&amp;')}"`)
      )
      const pressed = await form(mock, `${path}/deposits/${depositId}?${query}`, {
        decision: 'approve'
      })
      t.match(pressed, { statusCode: 303, headers: { location: phone } })
      await mock.call('POST', '/v2/refunds', {
        refundId: id(),
        depositId,
        ...(isRedirect ? { amount: '500', currency: 'XOF' } : { amount: '5', currency: 'ZMW' })
      })
      await pass(here, 1000)
      t.strictSame(
        (await mock.call('GET', phone, undefined, anybody)).body.messages.map(
          ({ kind }: any) => kind
        ),
        ['refund', 'deposit'],
        'the messages of this payment, and of its refund'
      )
    }
    t.match(
      await mock.call('GET', `${phonePath}?about=payout/${other}`, undefined, {
        'x-momock-admin-token': 'secret'
      }),
      { status: 400, body: { error: { message: /about.*deposit\/ID/ } } }
    )
    t.strictSame(
      (
        await mock.call('GET', `${phonePath}?about=deposit/${other}`, undefined, {
          'x-momock-admin-token': 'secret'
        })
      ).body.prompts.map(({ depositId }: any) => depositId),
      [other],
      'who may see all may ask for one'
    )
  }
)

t.test('a deposit of a redirecting provider ends by its page or by time', async (t) => {
  const returnUrls = {
    successfulUrl: 'https://shop.example/good',
    failedUrl: 'https://shop.example/bad'
  }
  const rows: Array<[decision: string | undefined, status: string, returnUrl: string]> = [
    ['approve', 'COMPLETED', returnUrls.successfulUrl],
    ['decline', 'FAILED', returnUrls.failedUrl],
    [undefined, 'COMPLETED', returnUrls.successfulUrl]
  ]
  for (const [decision, status, returnUrl] of rows) {
    for (const by of decision === undefined ? ['time'] : ['JSON', 'form']) {
      const here = await shop(t)
      const { mock } = here
      const body = { ...waveDeposit(id()), ...returnUrls }
      await mock.call('POST', '/v2/deposits', body)
      await pass(here, 100)
      const { authorizationUrl } = await statusOf(here, body.depositId)
      const path = new URL(authorizationUrl).pathname
      t.match((await mock.call('GET', path)).body, {
        status: 'PROCESSING',
        amount: '500',
        returnUrl: undefined
      })
      if (by === 'JSON') {
        t.match((await mock.call('POST', path, { decision })).body, { status, returnUrl })
      }
      if (by === 'form') {
        t.match(await form(mock, path, { decision: decision! }), {
          statusCode: 303,
          headers: { location: path }
        })
      }
      await pass(here, 3_600_000)
      t.equal((await statusOf(here, body.depositId)).status, status, `${decision} by ${by}`)
      t.match((await html(mock, path)).body, new RegExp(`data-onward="${returnUrl}"`))
    }
  }
  const { mock } = await shop(t)
  t.match(await mock.call('POST', '/authorise/nothing', { decision: 'approve' }), { status: 404 })
})

t.test(
  'an opened authorisation page makes the deposit wait',
  async (t) => {
    const returnUrls = {
      successfulUrl: 'https://shop.example/good',
      failedUrl: 'https://shop.example/bad'
    }
    const opening = (mock: Mock, path: string) => html(mock, path)
    const rows: Array<
      [
        name: string,
        open: (mock: Mock, path: string) => Promise<unknown>,
        headers: Record<string, string>,
        phone: string,
        status: string,
        end: string
      ]
    > = [
      ['opened', opening, {}, '221773459993', 'PROCESSING', 'FAILED'],
      ['opened, with a good test number', opening, {}, wave, 'PROCESSING', 'FAILED'],
      [
        'opened twice',
        async (mock, path) => {
          await opening(mock, path)
          await opening(mock, path)
        },
        {},
        wave,
        'PROCESSING',
        'FAILED'
      ],
      [
        'the twin says that somebody is there',
        (mock, path) => mock.call('POST', path, { decision: 'wait' }),
        {},
        wave,
        'PROCESSING',
        'FAILED'
      ],
      [
        'looked at by a program',
        (mock, path) => mock.call('GET', path),
        {},
        wave,
        'COMPLETED',
        'COMPLETED'
      ],
      [
        'a scenario that was asked for',
        opening,
        { 'x-momock-scenario': 'happy-path' },
        wave,
        'COMPLETED',
        'COMPLETED'
      ],
      ['one that waits for ever anyway', opening, named, wave, 'PROCESSING', 'PROCESSING'],
      ['a number that fails', opening, {}, '221773456049', 'FAILED', 'FAILED']
    ]
    const redirected = async (
      here: Shop,
      phoneNumber = wave,
      headers = {}
    ): Promise<{ depositId: string; path: string }> => {
      const depositId = id()
      await here.mock.call(
        'POST',
        '/v2/deposits',
        { ...waveDeposit(depositId, phoneNumber), ...returnUrls },
        headers
      )
      await pass(here, 60)
      return {
        depositId,
        path: new URL((await statusOf(here, depositId)).authorizationUrl).pathname
      }
    }
    for (const [name, open, headers, phoneNumber, status, end] of rows) {
      const here = await shop(t)
      const { depositId, path } = await redirected(here, phoneNumber, headers)
      await open(here.mock, path)
      await pass(here, 14 * 60_000)
      t.equal((await statusOf(here, depositId)).status, status, name)
      await pass(here, 2 * 60_000)
      t.equal((await statusOf(here, depositId)).status, end, `${name}, and then nothing more`)
      await here.mock.app.close()
    }
    const here = await shop(t)
    const { mock, merchant } = here
    const { depositId, path } = await redirected(here)
    await html(mock, path)
    await pass(here, 60_000)
    t.match((await mock.call('GET', `/__admin/payments/deposit/${depositId}`)).body, {
      scenario: 'waits-for-customer',
      why: /opened the page/
    })
    await form(mock, path, { decision: 'decline' })
    await pass(here, 16 * 60_000)
    t.match(await statusOf(here, depositId), {
      status: 'FAILED',
      failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' }
    })
    while (merchant.received.length < 2) await merchant.next()
    t.strictSame(
      merchant.received.map(({ body }) => body.status),
      ['PROCESSING', 'FAILED'],
      'the merchant hears of each once'
    )
    t.match(
      await mock.call('POST', path, { decision: 'wait' }),
      { status: 200, body: { status: 'FAILED' } },
      'what has ended stays as it is'
    )
  }
)

t.test(
  'a deposit that was made in a browser waits for its authorisation',
  async (t) => {
    const rows: Array<
      [name: string, pay: (mock: Mock, page: string) => Promise<any>, after: number, status: string]
    > = [
      [
        'JSON, with nobody there',
        (mock, page) => mock.call('POST', page, { provider: 'WAVE_SEN' }),
        1000,
        'COMPLETED'
      ],
      [
        'JSON, with somebody there',
        (mock, page) => mock.call('POST', page, { provider: 'WAVE_SEN', attended: true }),
        1000,
        'PROCESSING'
      ],
      ['a form', (mock, page) => form(mock, page, { provider: 'WAVE_SEN' }), 1000, 'PROCESSING'],
      [
        'a form, and then nothing',
        (mock, page) => form(mock, page, { provider: 'WAVE_SEN' }),
        16 * 60_000,
        'FAILED'
      ]
    ]
    for (const [name, pay, after, status] of rows) {
      const here = await shop(t)
      const depositId = id()
      const { body } = await here.mock.call('POST', '/v2/paymentpage', {
        depositId,
        returnUrl: 'https://shop.example/back',
        phoneNumber: wave,
        country: 'SEN',
        amountDetails: { amount: '500', currency: 'XOF' }
      })
      const page = new URL(body.redirectUrl).pathname
      await pay(here.mock, page)
      await pass(here, 100)
      await pass(here, after)
      t.equal((await statusOf(here, depositId)).status, status, name)
    }
  }
)
