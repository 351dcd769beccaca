import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { AccountSchema } from '../../src/domain/account-settings.ts'
import { build, folder, receiver, testMachine, until, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { requests } from '../support/examples.ts'
import { serve } from '../support/process.ts'
import { serverCount } from '../support/servers.ts'

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const publicKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey.export({
  type: 'spki',
  format: 'pem'
}) as string

/** An account with all settings. */
const whole = (url: string): Record<string, any> => ({
  name: 'shop',
  companyName: 'Corner Shop',
  tokens: [{ token: 'shop-all' }, { token: 'shop-reader', allow: ['read'] }],
  callbacks: {
    deposits: url,
    payouts: url,
    refunds: url,
    remittances: url,
    splitPayments: url,
    checkouts: url
  },
  signedRequestsOnly: false,
  signedCallbacks: false,
  callbackSource: '3.64.89.224',
  callbackClientReference: false,
  authErrors: 'given',
  signatureEncoding: 'p1363',
  acceptedSignatureEncoding: 'der',
  publicKeys: [{ id: 'key-1', key: publicKey }],
  operations: ['DEPOSIT', 'PAYOUT'],
  providers: ['MTN_MOMO_ZMB'],
  approval: 'timer',
  profile: 'calm',
  amounts: 'two',
  wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '100.50' }]
})

async function balance ({ call }: Client, token: string): Promise<string> {
  return (await call('GET', '/v2/wallet-balances?country=ZMB', undefined, as(token))).body
    .balances[0].balance
}

async function names ({ call }: Client): Promise<string[]> {
  return (await call('GET', '/__admin/accounts')).body.accounts.map(
    ({ name }: { name: string }) => name
  )
}

t.test('an account accepts every setting and keeps it across a restart', async (t) => {
  const { url, received } = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const settings = whole(url)
  t.strictSame(Object.keys(settings).sort(), Object.keys(AccountSchema.properties).sort())
  const systemClock = testMachine()
  const first = await build(t, { db }, systemClock)
  t.strictSame(
    await first
      .call('POST', '/__admin/accounts', settings)
      .then(({ status, body }) => ({ status, body })),
    { status: 201, body: { name: 'shop', origin: 'admin', settings, patched: [] } }
  )
  const one = requests.v2.deposit!()
  t.match(await first.call('POST', '/v2/deposits', one, as('shop-all')), {
    body: { status: 'ACCEPTED' }
  })
  t.match(await first.call('POST', '/v2/deposits', one, as('shop-reader')), { status: 403 })
  await first.call(
    'PATCH',
    '/__admin/account',
    { companyName: 'Shop on the Corner', providers: null },
    as('shop-all')
  )
  await first.app.close()

  systemClock.time += 60_000
  const second = await build(t, { db }, systemClock)
  const { companyName: _, providers: __, ...rest } = settings
  t.strictSame((await second.call('GET', '/__admin/account', undefined, as('shop-reader'))).body, {
    name: 'shop',
    origin: 'admin',
    settings: { ...rest, companyName: 'Shop on the Corner' },
    patched: ['companyName', 'providers']
  })
  await second.app.settle()
  t.match(
    await second.call('GET', `/v2/deposits/${one.depositId}`, undefined, as('shop-all')),
    { body: { data: { status: 'COMPLETED' } } },
    'its payments go on'
  )
  t.equal(await balance(second, 'shop-all'), '115.50')
  await until(
    async () => received.length,
    (count) => count === 1
  )
  t.notOk(received[0].headers.signature, 'unsigned')
  t.match((await second.call('GET', '/__admin/accounts')).body.accounts, [
    {
      name: 'default',
      origin: 'configuration',
      tokens: ['test-token', 'test-token-readonly'],
      clock: 'running',
      payments: 0
    },
    {
      name: 'shop',
      origin: 'admin',
      tokens: ['shop-all', 'shop-reader'],
      payments: 1,
      lastUsed: '2026-01-31T12:01:00.250Z'
    }
  ])
})

t.test('an account without a name or token gets generated ones', async (t) => {
  const mock = await openSandbox(t)
  const made = await Promise.all(
    [{}, { tokens: [] }, { name: 'mine' }].map((settings) =>
      mock.call('POST', '/__admin/accounts', settings)
    )
  )
  const accounts = made.map(({ body }) => body)
  t.strictSame(accounts.map(({ name }) => name).sort(), ['account-1', 'account-2', 'mine'])
  for (const {
    name,
    settings: {
      tokens: [{ token }]
    }
  } of accounts) {
    t.match(token, /^token-[0-9a-f]{32}$/)
    t.equal((await mock.call('GET', '/__admin/account', undefined, as(token))).body.name, name)
  }
})

/** Invalid accounts, and their error messages. */
const bad: Array<[what: string, settings: unknown, status: number, says: RegExp]> = [
  [
    'a name that is taken',
    { name: 'shop' },
    409,
    /^name 'shop' is the name of another account; choose another$/
  ],
  ['the name of the default account', { name: 'default' }, 409, /name 'default'/],
  [
    'a token that is taken',
    { name: 'a', tokens: [{ token: 'fine' }, { token: 'test-token' }] },
    409,
    /tokens\.1\.token belongs to another account/
  ],
  [
    'a token twice',
    { name: 'a', tokens: [{ token: 'x' }, { token: 'x' }] },
    400,
    /tokens\.1\.token is given twice/
  ],
  ['a name that is kept', { name: 'sandbox-a' }, 400, /name 'sandbox-a' begins with 'sandbox-'/],
  [
    'a token that is kept',
    { name: 'a', tokens: [{ token: 'sandbox-a' }] },
    400,
    /tokens\.0\.token begins with 'sandbox-'/
  ],
  ['a name that is none', { name: 'a b' }, 400, /name must be 1 to 128 letters/],
  ['a name that is a place', { name: '..' }, 400, /name must be .* not \. or \.\./],
  ['a name that is a place, too', { name: '.' }, 400, /name must be/],
  [
    'a name that is taken, and no tokens',
    { name: 'shop', tokens: [] },
    409,
    /^name 'shop' is the name of another account; choose another$/
  ],
  [
    'a provider there is not',
    { providers: ['ZMB', 'MTN_MOMO_ZMX'] },
    400,
    new RegExp(
      String.raw`providers\.1 'MTN_MOMO_ZMX' is neither a provider nor a country of the ` +
        String.raw`catalogue; did you mean MTN_MOMO_ZMB\?`
    )
  ],
  [
    'a provider there is not, with operations',
    { providers: [{ provider: 'NOBODY', operations: ['DEPOSIT'] }] },
    400,
    /providers\.0\.provider 'NOBODY' is neither/
  ],
  [
    'a wallet in no country',
    { wallets: [{ country: 'XXX', currency: 'ZMW', balance: '1' }] },
    400,
    /wallets\.0\.country 'XXX' is no country/
  ],
  [
    'a wallet of no currency there',
    { wallets: [{ country: 'ZMB', currency: 'EUR', balance: '1' }] },
    400,
    /wallets\.0\.currency 'EUR' is a currency that no provider in ZMB has; they have ZMW/
  ],
  [
    'a provider twice',
    {
      providers: [
        'ZMB',
        { provider: 'MTN_MOMO_ZMB', operations: ['DEPOSIT'] },
        { provider: 'MTN_MOMO_ZMB', operations: ['PAYOUT'] }
      ]
    },
    400,
    /providers\.2 is given twice: MTN_MOMO_ZMB has one row/
  ],
  [
    'a wallet twice',
    {
      wallets: [
        { country: 'ZMB', currency: 'ZMW', balance: '1' },
        { country: 'ZMB', currency: 'ZMW', balance: '2' }
      ]
    },
    400,
    /wallets\.1 is given twice: there is one wallet for ZMB ZMW/
  ],
  [
    'a setting that is none',
    { callback: {} },
    400,
    /callback is not supported here; did you mean callbacks\?/
  ],
  [
    'a URL that is none',
    { callbacks: { deposits: 'shop.example' } },
    400,
    /callbacks\.deposits must be an http or https URL/
  ],
  [
    'a key that is none',
    { publicKeys: [{ id: 'a', key: 'b' }] },
    400,
    /publicKeys\.0\.key must be an RSA/
  ],
  [
    'two keys of one name',
    {
      publicKeys: [
        { id: 'a', key: publicKey },
        { id: 'a', key: publicKey }
      ]
    },
    400,
    /publicKeys\.1\.id is given twice/
  ],
  ['a list', [], 400, /the body must be/],
  ['nothing', undefined, 400, /the body is empty/]
]

t.test('a wrong account is refused and changes nothing', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '/__admin/accounts', { name: 'shop' })
  for (const [what, settings, status, says] of bad) {
    t.match(
      await mock.call('POST', '/__admin/accounts', settings),
      {
        status,
        body: { error: { code: status === 409 ? 'CONFLICT' : 'BAD_REQUEST', message: says } }
      },
      what
    )
  }
  t.strictSame(await names(mock), ['default', 'shop'])
})

/**
 * Patches of { companyName: 'A', callbacks: { deposits, payouts } }, and the settings after them,
 * or the refusal.
 */
const patches: Array<[what: string, patch: unknown, outcome: object | RegExp]> = [
  [
    'a value',
    { companyName: 'B' },
    { companyName: 'B', callbacks: { deposits: 'http://a/', payouts: 'http://b/' } }
  ],
  ['nothing', {}, { companyName: 'A', callbacks: { deposits: 'http://a/', payouts: 'http://b/' } }],
  [
    'a value inside',
    { callbacks: { payouts: 'http://c/' } },
    { companyName: 'A', callbacks: { deposits: 'http://a/', payouts: 'http://c/' } }
  ],
  [
    'a value inside away',
    { callbacks: { payouts: null } },
    { companyName: 'A', callbacks: { deposits: 'http://a/' } }
  ],
  ['a setting away', { callbacks: null, companyName: null }, {}],
  [
    'a list',
    { providers: ['ZMB'] },
    {
      companyName: 'A',
      callbacks: { deposits: 'http://a/', payouts: 'http://b/' },
      providers: ['ZMB']
    }
  ],
  [
    'its own name',
    { name: 'shop' },
    { companyName: 'A', callbacks: { deposits: 'http://a/', payouts: 'http://b/' } }
  ],
  ['another name', { name: 'store' }, /name cannot be changed/],
  [
    'a bad value beside a good one',
    { companyName: 'B', callbacks: { deposits: 'x' } },
    /callbacks\.deposits must be an http or https URL, got "x"/
  ],
  ...['signedRequestsOnly', 'signedCallbacks', 'callbackClientReference'].map(
    (name): (typeof patches)[number] => [
      `a text for ${name}`,
      { [name]: 'no' },
      new RegExp(`^${name} must be true or false; .*, got "no"$`)
    ]
  ),
  ['two bad values', { companyName: 1, wallets: {} }, /companyName must be .*; wallets must be/],
  ['a name that objects have of their own', '{"__proto__":1}', /__proto__ is not supported here/],
  [
    'and one further in',
    '{"callbacks":{"__proto__":{"deposits":"http://127.0.0.1:9/"}}}',
    /callbacks.__proto__ is not supported here/
  ],
  [
    'a setting that is none',
    { callback: null, companyname: 'B' },
    /companyname is not supported here; did you mean companyName\?/
  ],
  ['a key that is none', { publicKeys: [{ id: 'a', key: 'b' }] }, /publicKeys\.0\.key/],
  ['no token any more', { tokens: [] }, /tokens must hold at least one token/],
  ['its tokens away', { tokens: null }, /tokens must hold at least one token/],
  ['a provider there is not', { companyName: 'B', providers: ['ZMX'] }, /providers\.0 'ZMX'/],
  [
    'a wallet twice',
    {
      wallets: [
        { country: 'ZMB', currency: 'ZMW', balance: '1' },
        { country: 'ZMB', currency: 'ZMW', balance: '2' }
      ]
    },
    /wallets\.1 is given twice/
  ],
  [
    'a token of another',
    { tokens: [{ token: 'test-token' }] },
    /tokens\.0\.token belongs to another account/
  ],
  ['a list for an object', [], /the body must be an object/]
]

t.test('a merge patch applies completely or not at all', async (t) => {
  const { call } = await openSandbox(t)
  for (const [what, patch, outcome] of patches) {
    await call('DELETE', '/__admin/accounts/shop')
    await call('POST', '/__admin/accounts', {
      name: 'shop',
      companyName: 'A',
      tokens: [{ token: 'shop' }],
      callbacks: { deposits: 'http://a/', payouts: 'http://b/' }
    })
    const before = (await call('GET', '/__admin/account', undefined, as('shop'))).body
    const answer = await call('PATCH', '/__admin/account', patch, {
      ...as('shop'),
      'content-type': 'application/merge-patch+json'
    })
    const after = (await call('GET', '/__admin/account', undefined, as('shop'))).body
    if (outcome instanceof RegExp) {
      t.match(answer, { body: { error: { message: outcome } } }, what)
      t.strictSame(after, before, `${what} changes nothing`)
    } else {
      t.strictSame(after.settings, { name: 'shop', tokens: [{ token: 'shop' }], ...outcome }, what)
      t.strictSame(answer.body, after)
    }
  }
})

t.test(
  'a changed setting applies at once, overrides the configuration, and ends with a reset',
  async (t) => {
    const { url, next } = await receiver(t)
    const db = join(folder(t), 'ledger.db')
    const accounts = [
      {
        name: 'default',
        companyName: 'Configured',
        wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '5' }]
      }
    ]
    const first = await build(t, { db, accounts })
    await first.call('PATCH', '/__admin/account', {
      companyName: 'Patched',
      tokens: [{ token: 'new' }],
      wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '7' }]
    })
    t.equal((await first.call('GET', '/__admin/account')).status, 401, 'the token it had is gone')
    t.equal(await balance(first, 'new'), '7.00', 'a wallet that was not used yet')
    t.match(
      (await first.call('GET', '/__admin/account', undefined, as('sandbox-a'))).body.settings,
      { companyName: 'Configured' },
      'a sandbox account has what is configured'
    )
    await first.app.close()

    const second = await build(t, {
      db,
      accounts: [{ name: 'default', companyName: 'Configured anew', signedCallbacks: false }]
    })
    const { body } = await second.call('GET', '/__admin/account', undefined, as('new'))
    t.match(body, {
      origin: 'configuration',
      settings: { companyName: 'Patched', signedCallbacks: false, tokens: [{ token: 'new' }] },
      patched: ['companyName', 'tokens', 'wallets']
    })
    await second.call('PATCH', '/__admin/account', { callbacks: { deposits: url } }, as('new'))
    const callback = next()
    await second.call(
      'POST',
      '/v2/deposits',
      { ...requests.v2.deposit!(), customerMessage: undefined },
      as('new')
    )
    t.match(await callback, { body: { customerMessage: 'Patched' } })
    await second.call('POST', '/__admin/reset', undefined, as('new'))
    t.equal((await second.call('GET', '/__admin/account', undefined, as('new'))).status, 401)
    t.match((await second.call('GET', '/__admin/account')).body, {
      settings: { companyName: 'Configured anew' },
      patched: { length: 0 }
    })
  }
)

t.test('a sandbox account keeps the token it is named after', async (t) => {
  const { call } = await build(t)
  const patch = (tokens: object[]) => call('PATCH', '/__admin/account', { tokens }, as('sandbox-a'))
  t.match(await patch([{ token: 'other' }]), {
    status: 400,
    body: { error: { message: /tokens must keep 'sandbox-a'/ } }
  })
  t.match(await patch([{ token: 'sandbox-b' }, { token: 'sandbox-a' }]), {
    status: 400,
    body: { error: { message: /tokens\.0\.token begins with/ } }
  })
  t.equal((await patch([{ token: 'other' }, { token: 'sandbox-a' }])).status, 200)
  t.equal((await call('GET', '/__admin/account', undefined, as('other'))).body.name, 'sandbox-a')
})

t.test('an account of the configuration takes its tokens from other accounts', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db })
  await first.call('POST', '/__admin/accounts', {
    name: 'shop',
    tokens: [{ token: 'x' }, { token: 'y' }]
  })
  await first.call('PATCH', '/__admin/account', {
    tokens: [{ token: 'z' }, { token: 'test-token' }]
  })
  await first.app.close()
  const { call } = await build(t, {
    db,
    accounts: [{ name: 'office', tokens: [{ token: 'x' }, { token: 'z' }] }]
  })
  for (const [token, name] of [
    ['x', 'office'],
    ['y', 'shop'],
    ['z', 'office'],
    ['test-token', 'default']
  ]) {
    t.equal((await call('GET', '/__admin/account', undefined, as(token))).body.name, name, token)
  }
})

t.test('a deleted account leaves no data behind', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const systemClock = testMachine()
  const first = await build(
    t,
    { db, accounts: [{ name: 'office' }, { name: 'old', tokens: [{ token: 'old' }] }] },
    systemClock
  )
  await first.call('POST', '/v2/deposits', requests.v2.deposit!(), as('old'))
  await first.app.close()
  const mock = await build(t, { db, accounts: [{ name: 'office' }] }, systemClock)
  const one = requests.v2.deposit!()
  for (const token of ['shop', 'sandbox-a']) {
    if (token === 'shop') {
      await mock.call('POST', '/__admin/accounts', { name: 'shop', tokens: [{ token }] })
    }
    await mock.call('PATCH', '/__admin/account', { companyName: 'Changed' }, as(token))
    await mock.call('POST', '/v2/deposits', one, as(token))
    await mock.call('POST', '/__admin/snapshots', { name: 'a' }, as(token))
  }
  t.match((await mock.call('GET', '/__admin/accounts')).body.accounts, [
    { name: 'default' },
    { name: 'office' },
    { name: 'old', origin: 'ledger', tokens: { length: 0 }, payments: 1 },
    { name: 'shop' },
    { name: 'sandbox-a', origin: 'sandbox' }
  ])
  for (const [name, status, says] of [
    ['default', 409, /configuration/],
    ['office', 409, /configuration/],
    ['nobody', 404, /there is no account 'nobody'/],
    ['shop', 204],
    ['shop', 404, /shop/],
    ['sandbox-a', 204],
    ['old', 204]
  ] as const) {
    t.match(
      await mock.call('DELETE', `/__admin/accounts/${name}`),
      {
        status,
        ...(says !== undefined && { body: { error: { message: says, hint: /\/__admin\// } } })
      },
      name
    )
  }
  t.strictSame(await names(mock), ['default', 'office'])
  t.equal((await mock.call('GET', '/__admin/account', undefined, as('shop'))).status, 401)
  systemClock.time += 60_000
  await mock.app.settle()
  t.match(
    await mock.call('GET', `/v2/deposits/${one.depositId}`, undefined, as('sandbox-a')),
    { body: { status: 'NOT_FOUND' } },
    'opened anew'
  )
  t.match((await mock.call('GET', '/__admin/account', undefined, as('sandbox-a'))).body, {
    patched: { length: 0 }
  })
  t.strictSame(
    (await mock.call('GET', '/__admin/snapshots', undefined, as('sandbox-a'))).body.snapshots,
    []
  )
  t.match(await mock.call('POST', '/v2/deposits', one, as('sandbox-a')), {
    body: { status: 'ACCEPTED' }
  })
  await mock.app.close()
  const last = await build(t, { db }, systemClock)
  t.strictSame(await names(last), ['default', 'office', 'sandbox-a'])
})

t.test('an account that is deleted during requests answers all of them', async (t) => {
  const systemClock = testMachine()
  const mock = await build(t, {}, systemClock)
  for (let round = 0; round < 5; round++) {
    await mock.call('POST', '/__admin/accounts', { name: 'shop', tokens: [{ token: 'shop' }] })
    const crowd = Array.from({ length: 20 }, () =>
      mock.call('POST', '/v2/deposits', requests.v2.deposit!(), as('shop'))
    )
    const [gone, ...answers] = await Promise.all([
      mock.call('DELETE', '/__admin/accounts/shop'),
      ...crowd
    ])
    t.equal(gone.status, 204)
    t.same(
      answers.filter(({ status }) => status !== 200 && status !== 401),
      []
    )
  }
  // A payout also checks the balance of its wallet.
  for (const token of ['sandbox-p', 'sandbox-q']) {
    const payouts = () =>
      Array.from({ length: 10 }, () =>
        mock.call('POST', '/v2/payouts', requests.v2.payout!(), as(token))
      )
    await mock.call('GET', '/__admin/clock', undefined, as(token))
    const answers = await Promise.all([
      ...payouts(),
      mock.call('DELETE', `/__admin/accounts/${token}`),
      ...payouts()
    ])
    t.same(
      answers.filter(({ status }) => ![200, 204, 401].includes(status)),
      []
    )
    await mock.call('DELETE', `/__admin/accounts/${token}`)
  }
  systemClock.time += 60_000
  await mock.app.settle()
  t.strictSame(
    (await mock.call('GET', '/__admin/accounts')).body.accounts.map(({ name }: any) => name),
    ['default']
  )
})

t.test('a call to an account that is being deleted does not create it again', async (t) => {
  const mock = await build(t, {}, testMachine())
  // Of several servers, one may get the call after the deletion: then it opens a sandbox again.
  const tokens = serverCount === 1 ? ['sandbox-a', 'shop'] : ['shop']
  for (const [method, path, body] of [
    ['POST', '/__admin/reset'],
    ['POST', '/__admin/snapshots/a/restore'],
    ['POST', '/__admin/snapshots', { name: 'b' }],
    ['PATCH', '/__admin/account', { companyName: 'Changed' }],
    ['PUT', '/__admin/clock', { mode: 'frozen' }],
    ['POST', '/__admin/scenarios', { name: 'z', reject: 'INVALID_AMOUNT' }],
    ['PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'CLOSED' }]
  ] as Array<[string, string, object?]>) {
    for (const token of tokens) {
      const make = () =>
        mock.call('POST', '/__admin/accounts', { name: 'shop', tokens: [{ token }] })
      if (token === 'shop') t.equal((await make()).status, 201)
      await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), as(token))
      await mock.call('POST', '/__admin/snapshots', { name: 'a' }, as(token))
      const [gone, late] = await Promise.all([
        mock.call('DELETE', `/__admin/accounts/${token}`),
        mock.call(method, path, body, as(token))
      ])
      t.equal(gone.status, 204)
      t.match(late.status, /^(20.|401|404)$/, `${method} ${path} ${late.status}`)
      if (token === 'shop') {
        t.equal((await make()).status, 201, 'the name and the token are free again')
      }
      t.match(await mock.call('POST', '/v2/payouts', requests.v2.payout!(), as(token)), {
        status: 200,
        body: { status: 'ACCEPTED' }
      })
      t.match(
        await mock.call('GET', '/__admin/account', undefined, as(token)),
        { status: 200, body: { patched: { length: 0 } } },
        'opened anew'
      )
      t.equal((await mock.call('DELETE', `/__admin/accounts/${token}`)).status, 204)
    }
  }
})

t.test('an unused sandbox account is deleted by the system clock', async (t) => {
  const systemClock = testMachine()
  const { url, received } = await receiver(t)
  const mock = await build(t, { callbackUrl: url, sandboxIdle: '2h' }, systemClock)
  const pass = async (ms: number): Promise<void> => {
    systemClock.time += ms
    await mock.app.settle()
  }
  const one = requests.v2.deposit!()
  for (const token of ['sandbox-idle', 'sandbox-busy']) {
    await mock.call('PUT', '/__admin/clock', { mode: 'frozen' }, as(token))
    await mock.call('POST', '/v2/deposits', one, as(token))
  }
  await mock.call('POST', '/__admin/accounts', { name: 'made' })
  await pass(2 * 3_600_000 - 1)
  t.strictSame(await names(mock), ['default', 'sandbox-idle', 'sandbox-busy', 'made'])
  await mock.call('GET', '/__admin/clock', undefined, as('sandbox-busy'))
  await pass(1)
  t.strictSame(await names(mock), ['default', 'sandbox-busy', 'made'])
  t.match(await mock.call('GET', `/v2/deposits/${one.depositId}`, undefined, as('sandbox-busy')), {
    body: { status: /^FOUND$/ }
  })
  t.match(
    await mock.call('GET', `/v2/deposits/${one.depositId}`, undefined, as('sandbox-idle')),
    { body: { status: 'NOT_FOUND' } },
    'opened anew'
  )
  t.equal(
    (await mock.call('GET', '/__admin/clock', undefined, as('sandbox-idle'))).body.mode,
    'running'
  )
  t.equal(received.length, 0)
})

t.test('an open wait keeps a sandbox account alive', async (t) => {
  const systemClock = testMachine()
  const mock = await build(t, { sandboxIdle: '2h' }, systemClock)
  const one = requests.v2.deposit!()
  await mock.call('POST', '/v2/deposits', one, {
    ...as('sandbox-a'),
    'x-momock-scenario': 'stuck-forever'
  })
  const waiting = mock.call(
    'POST',
    '/__admin/wait',
    { kind: 'deposit', id: one.depositId, timeout: '1m' },
    as('sandbox-a')
  )
  // The wait has begun when a later request is answered.
  await mock.call('GET', '/__admin/clock')
  systemClock.time += 3 * 3_600_000
  await mock.app.settle()
  t.strictSame(await names(mock), ['default', 'sandbox-a'])
  await mock.call(
    'POST',
    `/__admin/payments/deposit/${one.depositId}/move`,
    { to: 'FAILED' },
    as('sandbox-a')
  )
  t.match(await waiting, { status: 200, body: { status: 'FAILED' } })
  systemClock.time += 2 * 3_600_000
  await mock.app.settle()
  t.strictSame(await names(mock), ['default'])
})

t.test('a sandbox account stays with idle time 0, and a restart counts as a call', async (t) => {
  const systemClock = testMachine()
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, sandboxIdle: 0 }, systemClock)
  await first.call('GET', '/__admin/clock', undefined, as('sandbox-a'))
  systemClock.time += 1e10
  await first.app.settle()
  t.strictSame(await names(first), ['default', 'sandbox-a'])
  await first.app.close()
  const second = await build(t, { db }, systemClock)
  for (const [hours, left] of [
    [11, ['default', 'sandbox-a']],
    [1, ['default']]
  ] as const) {
    systemClock.time += hours * 3_600_000
    await second.app.settle()
    t.strictSame(await names(second), left)
  }
})

t.test('a running server deletes unused sandbox accounts', async (t) => {
  const { call } = await serve(t, ['--sandbox-idle', '150ms'])
  await call('GET', '/v2/active-conf', undefined, 'sandbox-short')
  await until(
    async () => (await call('GET', '/__admin/accounts')).body.accounts.length,
    (count) => count === 1
  )
  t.equal((await call('GET', '/v2/active-conf', undefined, 'sandbox-short')).status, 200)
})

t.test('one callback URL is that of all kinds, wherever an account is written', async (t) => {
  const url = 'http://127.0.0.1:9/callbacks'
  const all = whole(url).callbacks
  const callbacks = url
  const accounts = [{ name: 'configured', tokens: [{ token: 'configured' }], callbacks }]
  const mock = await build(t, { accounts })
  await mock.call('POST', '/__admin/accounts', {
    name: 'made',
    tokens: [{ token: 'made' }],
    callbacks
  })
  await mock.call('PATCH', '/__admin/account', { callbacks }, as('sandbox-changed'))
  for (const token of ['configured', 'made', 'sandbox-changed']) {
    const { body } = await mock.call('GET', '/__admin/account', undefined, as(token))
    t.same(body.settings.callbacks, all, token)
  }
  const change = { callbacks: { payouts: null } }
  const { body } = await mock.call('PATCH', '/__admin/account', change, as('made'))
  const { payouts: _, ...rest } = all
  t.same(body.settings.callbacks, rest, 'one kind can be changed later')
  for (const wrong of ['shop', 'ftp://shop.example/', 7, ['http://shop.example/']]) {
    for (const [method, path] of [
      ['PATCH', '/__admin/account'],
      ['POST', '/__admin/accounts']
    ] as const) {
      t.match(
        await mock.call(method, path, { callbacks: wrong }),
        {
          status: 400,
          body: { error: { message: /callbacks must be (an http or https|the) URL/ } }
        },
        `${method} ${JSON.stringify(wrong)}`
      )
    }
  }
})
