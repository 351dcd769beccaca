import SQLite from 'better-sqlite3'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load-config.ts'
import type { AccountSettings } from '../../src/domain/account-settings.ts'
import { AccountSchema } from '../../src/domain/account-settings.ts'
import { long } from '../support/full.ts'
import { build, folder, id, receiver, testMachine, until } from '../support/helper.ts'
import { deposit, run, serve, type Running } from '../support/process.ts'

declare module '../../src/domain/provider-code.ts' {
  interface OwnCodes {
    ZED_ZMB: true
  }
}

/** The same deposit in both versions, and their answers to an insufficient token. */
const versions = {
  v2: {
    path: '/v2/deposits',
    body: deposit,
    refused: (status: number) => ({
      status: 'REJECTED',
      failureReason: {
        failureCode: status === 401 ? 'AUTHENTICATION_ERROR' : 'AUTHORISATION_ERROR'
      }
    })
  },
  v1: {
    path: '/deposits',
    body: (depositId = id()) => ({
      depositId,
      amount: '15',
      currency: 'ZMW',
      correspondent: 'MTN_MOMO_ZMB',
      payer: { type: 'MSISDN', address: { value: '260763456789' } },
      customerTimestamp: '2026-01-31T12:00:00Z',
      statementDescription: 'A test'
    }),
    refused: (status: number) => ({ errorCode: status === 401 ? 2 : 3 })
  }
}

/** Authorization headers, and the status of a read and of an initiation. */
const headers: Array<[what: string, header: string | undefined, read: number, initiate: number]> = [
  ['the default token', 'Bearer test-token', 200, 200],
  ['the word in small letters', 'bearer test-token', 200, 200],
  ['a token that may only read', 'Bearer test-token-readonly', 200, 403],
  ['a sandbox token', 'Bearer sandbox-a', 200, 200],
  ['an unknown token', 'Bearer test-tokem', 401, 401],
  ['a token in other letters', 'Bearer TEST-TOKEN', 401, 401],
  ['nothing at all', undefined, 401, 401],
  ['an empty header', '', 401, 401],
  ['no token', 'Bearer ', 401, 401],
  ['the bare token', 'test-token', 401, 401],
  ['another scheme', 'Basic dGVzdC10b2tlbjo=', 401, 401],
  ['a sandbox token in capitals', 'Bearer SANDBOX-a', 401, 401],
  ['a sandbox token without a name', 'Bearer sandbox-', 401, 401],
  ['a sandbox token that is too long', `Bearer sandbox-${'a'.repeat(121)}`, 401, 401]
]

for (const [version, { path, body, refused }] of Object.entries(versions)) {
  t.test(`the permissions of a token apply in ${version}`, async (t) => {
    const { app } = await build(t)
    for (const [what, authorization, read, initiate] of headers) {
      const send = async (
        method: 'GET' | 'POST',
        url: string,
        expected: number,
        payload?: object
      ): Promise<void> => {
        const answer = await app.http.inject({
          method,
          url,
          ...(payload && { payload }),
          headers: authorization === undefined ? {} : { authorization }
        })
        t.equal(answer.statusCode, expected, `${what}: ${method}`)
        if (expected !== 200) {
          t.match(answer.json(), refused(expected), `${what}: ${method} in its words`)
        }
      }
      await send('GET', `${path}/${id()}`, read)
      await send('POST', path, initiate, body())
    }
  })
}

t.test('MOMOCK_TOKEN replaces test-token', async (t) => {
  const config = await loadConfig([], { MOMOCK_TOKEN: 'mine' }, folder(t))
  const { call } = await build(t, { ...config, db: ':memory:' })
  for (const [token, status] of [
    ['mine', 200],
    ['test-token', 401],
    ['test-token-readonly', 403]
  ] as const) {
    t.match(
      await call('POST', '/v2/deposits', deposit(), { authorization: `Bearer ${token}` }),
      { status },
      token
    )
  }
})

t.test('MOMOCK_TOKEN can be the read-only token, which can then initiate', async (t) => {
  const config = await loadConfig([], { MOMOCK_TOKEN: 'test-token-readonly' }, folder(t))
  const { call } = await build(t, { ...config, db: ':memory:' })
  t.match(await call('POST', '/v2/deposits', deposit()), { status: 200 })
})

t.test('nothing of one account is visible to another', async (t) => {
  const { call } = await build(t)
  const one = deposit()
  for (const token of ['test-token', 'sandbox-a', 'sandbox-b']) {
    const as = { authorization: `Bearer ${token}` }
    t.match(
      await call('GET', `/v2/deposits/${one.depositId}`, undefined, as),
      { body: { status: 'NOT_FOUND' } },
      `${token} does not see it before`
    )
    t.match(
      await call('POST', '/v2/deposits', one, as),
      { body: { status: 'ACCEPTED' } },
      `${token} may use the same id`
    )
    t.match(
      await call('POST', '/v2/deposits', one, as),
      { body: { status: 'DUPLICATE_IGNORED' } },
      `${token} may use it once`
    )
    t.match(
      await call('GET', `/v2/deposits/${one.depositId}`, undefined, as),
      { body: { status: /^FOUND$/ } },
      `${token} sees its own`
    )
  }
})

t.test('a sandbox account is created once and survives a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const token = 'sandbox-crowd'
  const first = await serve(t, ['--db', db])
  const one = deposit()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => first.call('POST', '/v2/deposits', one, token))
  )
  const words = answers.map(({ body }) => body.status)
  t.equal(
    words.filter((word) => word === 'ACCEPTED').length,
    1,
    'twenty first uses at once accept one deposit'
  )
  t.equal(words.filter((word) => word === 'DUPLICATE_IGNORED').length, 19)
  await first.stop()
  t.equal(
    select(db, 'SELECT name FROM accounts WHERE name = ?', token).length,
    1,
    'and open one account'
  )

  const second = await serve(t, ['--db', db])
  t.match(await second.call('GET', `/v2/deposits/${one.depositId}`, undefined, token), {
    body: { status: /^FOUND$/ }
  })
  t.match(await second.call('POST', '/v2/deposits', one, token), {
    body: { status: 'DUPLICATE_IGNORED' }
  })
  t.match(
    await second.call('GET', `/v2/deposits/${one.depositId}`),
    { body: { status: 'NOT_FOUND' } },
    'still not visible to others'
  )
})

t.test('a sandbox account starts with the settings of the default account', long, async (t) => {
  const { url, next } = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const { call, stop } = await withFile(
    t,
    `
    accounts:
      - name: default
        companyName: Sunny Books
        providers: [ZMB]
        wallets: [{ country: ZMB, currency: ZMW, balance: "5" }]
    `,
    ['--db', db, '--callback-url', url]
  )
  const one = deposit()
  const callback = next()
  await call('POST', '/v2/deposits', one, 'sandbox-heir')
  t.match(
    (await callback).body,
    { depositId: one.depositId, status: 'COMPLETED', customerMessage: 'Sunny Books' },
    'its callback URL and company name'
  )
  t.match(
    await call('POST', '/v2/deposits', kenyan(), 'sandbox-heir'),
    { body: { failureReason: { failureCode: 'INVALID_PROVIDER' } } },
    'its providers'
  )
  await stop()
  t.same(
    balances(db, 'sandbox-heir'),
    [{ country: 'ZMB', currency: 'ZMW', available: 2000 }],
    'its opening balance, and the fifteen that came in'
  )
})

/** An account with all settings. */
const whole = (url: string): string => `
    accounts:
      - name: shop
        companyName: Corner Shop
        tokens:
          - token: shop-all
          - token: shop-reader
            allow: [read]
          - token: shop-writer
            allow: [initiate]
        callbacks:
          deposits: ${url}/deposits
          payouts: ${url}/payouts
          refunds: ${url}/refunds
          remittances: ${url}/remittances
          splitPayments: ${url}/split-payments
          checkouts: ${url}/checkouts
        approval: timer
        profile: calm
        amounts: four
        signedRequestsOnly: false
        signedCallbacks: false
        callbackSource: 3.64.89.224
        callbackClientReference: true
        authErrors: given
        signatureEncoding: p1363
        acceptedSignatureEncoding: der
        publicKeys:
          - id: key-1
            key: |
              -----BEGIN PUBLIC KEY-----
              MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
              w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
              -----END PUBLIC KEY-----
        operations: [DEPOSIT, REFUND]
        providers:
          - MTN_MOMO_ZMB
          - { provider: KEN, operations: [PAYOUT] }
        wallets:
          - { country: ZMB, currency: ZMW, balance: "100.50" }
    `

t.test('an account of the file can have every setting', long, async (t) => {
  const { url, next } = await receiver(t)
  for (const name of Object.keys(AccountSchema.properties)) {
    t.match(whole(url), new RegExp(`\\b${name}:`), `the file below says something of ${name}`)
  }
  const db = join(folder(t), 'ledger.db')
  const { call, stop } = await withFile(t, whole(url), ['--db', db])
  const one = deposit()
  const callback = next()
  t.match(await call('POST', '/v2/deposits', one, 'shop-all'), {
    status: 200,
    body: { status: 'ACCEPTED' }
  })
  t.match((await callback).body, { depositId: one.depositId, customerMessage: 'Corner Shop' })
  const rows: Array<
    [what: string, method: string, token: string, body: object | undefined, expected: object]
  > = [
    [
      'the reader reads',
      'GET',
      'shop-reader',
      undefined,
      { status: 200, body: { status: /^FOUND$/ } }
    ],
    ['the reader does not initiate', 'POST', 'shop-reader', deposit(), { status: 403 }],
    [
      'the writer initiates',
      'POST',
      'shop-writer',
      deposit(),
      { status: 200, body: { status: 'ACCEPTED' } }
    ],
    ['the writer does not read', 'GET', 'shop-writer', undefined, { status: 403 }],
    [
      'the default account is still there',
      'GET',
      'test-token',
      undefined,
      { status: 200, body: { status: 'NOT_FOUND' } }
    ],
    [
      'a provider with other operations',
      'POST',
      'shop-all',
      kenyan(),
      { status: 403, body: { failureReason: { failureCode: 'DEPOSITS_NOT_ALLOWED' } } }
    ],
    [
      'a provider that is not on',
      'POST',
      'shop-all',
      { ...deposit(), payer: payer('AIRTEL_OAPI_ZMB') },
      { status: 200, body: { failureReason: { failureCode: 'INVALID_PROVIDER' } } }
    ]
  ]
  for (const [what, method, token, body, expected] of rows) {
    t.match(
      await call(method, `/v2/deposits${method === 'GET' ? `/${one.depositId}` : ''}`, body, token),
      expected,
      what
    )
  }
  await stop()
  t.match(balances(db, 'shop'), [{ country: 'ZMB', currency: 'ZMW' }])
  t.ok(balances(db, 'shop')[0].available >= 11_550, 'its opening balance, and what came in')
})

/** Accounts that conflict with each other, and their error messages. */
const clashes: Array<[what: string, accounts: AccountSettings[], said: RegExp]> = [
  [
    'two with one token',
    [
      { name: 'a', tokens: [{ token: 'x' }] },
      { name: 'b', tokens: [{ token: 'x' }] }
    ],
    /the token 'x' is used by several accounts/
  ],
  [
    'the token of the default one',
    [{ name: 'a', tokens: [{ token: 'test-token' }] }],
    /the token 'test-token' is used by several accounts/
  ],
  [
    'a name that is kept for tokens',
    [{ name: 'sandbox-a' }],
    /the name 'sandbox-a' begins with 'sandbox-'/
  ],
  ['two with one name', [{ name: 'a' }, { name: 'a' }], /the name 'a' is used by several accounts/]
]

t.test('accounts with the same name or token are refused', async (t) => {
  for (const [what, accounts, said] of clashes) {
    await t.rejects(build(t, { accounts }), { name: 'ConfigError', message: said }, what)
  }
  const [, accounts, said] = clashes[0]
  t.match(
    await run(t, ['--db', ':memory:'], { cwd: withConfig(t, JSON.stringify({ accounts })) }),
    { code: 2, stdout: '', stderr: said },
    'the exit code'
  )
})

t.test('payments of an account that was removed from the configuration still end', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const accounts = [{ name: 'shop', tokens: [{ token: 'shop' }] }]
  const as = { authorization: 'Bearer shop' }
  const one = deposit()
  const systemClock = testMachine()
  const first = await build(t, { db, accounts }, systemClock)
  await first.call('POST', '/v2/deposits', one, as)
  await first.app.close()

  const second = await build(t, { db }, systemClock)
  t.match(
    await second.call('GET', `/v2/deposits/${one.depositId}`, undefined, as),
    { status: 401 },
    'nobody gets in'
  )
  await second.app.close()

  systemClock.time += 60_000
  const third = await build(t, { db, accounts }, systemClock)
  await until(
    () => third.call('GET', `/v2/deposits/${one.depositId}`, undefined, as),
    ({ body }) => body.data?.status === 'COMPLETED'
  )
})

t.test('a token of the configuration does not open an old sandbox account', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const one = deposit()
  const first = await build(t, { db })
  await first.call('POST', '/v2/deposits', one, { authorization: 'Bearer sandbox-mine' })
  await first.app.close()
  const second = await build(t, { db, token: 'sandbox-mine' })
  t.match(
    await second.call('GET', `/v2/deposits/${one.depositId}`),
    { body: { status: 'NOT_FOUND' } },
    'it leads to the default account'
  )
})

function payer (provider: string, phoneNumber = '260763456789'): object {
  return { type: 'MMO', accountDetails: { phoneNumber, provider } }
}

/** A deposit that is good but for the account's settings. */
function kenyan (): object {
  return { ...deposit(), currency: 'KES', payer: payer('MPESA_KEN', '254712345678') }
}

/** A folder with a configuration in it. */
function withConfig (t: Test, file: string): string {
  const cwd = folder(t)
  writeFileSync(join(cwd, 'momock.yaml'), file)
  return cwd
}

function withFile (t: Test, file: string, args: string[]): Promise<Running> {
  return serve(t, args, { cwd: withConfig(t, file) })
}

/** Reads a ledger that no server holds any more. */
function select (db: string, query: string, ...values: string[]): any[] {
  const connection = new SQLite(db, { readonly: true })
  try {
    return connection.prepare(query).all(...values)
  } finally {
    connection.close()
  }
}

function balances (db: string, account: string): any[] {
  return select(
    db,
    'SELECT country, currency, available FROM wallets JOIN accounts USING (ledger) WHERE name = ?',
    account
  )
}

t.test('providers and wallets of an account must be in the catalogue', long, async (t) => {
  const zed = {
    displayName: 'Zed',
    authType: 'PROVIDER_AUTH',
    nationalPrefixes: ['99'],
    testPrefixes: [],
    currencies: { USD: { displayName: '$', operationTypes: {} } },
    testNumbers: {}
  } as const
  const own: AccountSettings = {
    name: 'shop',
    tokens: [{ token: 'shop' }],
    providers: ['ZED_ZMB', 'ZMB'],
    wallets: [{ country: 'ZMB', currency: 'USD', balance: '5.00' }]
  }
  const { call } = await build(t, {
    accounts: [own],
    countries: { ZMB: { providers: { ZED_ZMB: zed } } }
  } as object)
  t.equal(
    (await call('GET', '/__admin/account', undefined, { authorization: 'Bearer shop' })).body.name,
    'shop',
    'what was added to it counts'
  )
  t.equal(
    (await call('POST', '/__admin/accounts', { ...own, name: 'other', tokens: [] })).status,
    201
  )
  for (const [settings, message] of [
    [
      { providers: ['ZED_ZMB'] },
      /accounts: providers\.0 of 'shop' 'ZED_ZMB' is neither a provider nor a country/
    ],
    [
      { wallets: own.wallets },
      new RegExp(
        String.raw`accounts: wallets\.0\.currency of 'shop' 'USD' is a currency that no ` +
          String.raw`provider in ZMB has; they have ZMW`
      )
    ],
    [
      { wallets: [1, 2].map(() => ({ country: 'ZMB', currency: 'ZMW', balance: '1' })) },
      /accounts: wallets\.1 of 'shop' is given twice/
    ]
  ] as Array<[Partial<AccountSettings>, RegExp]>) {
    await t.rejects(build(t, { accounts: [{ name: 'shop', ...settings }] }), { message })
  }
})
