import { createPublicKey, createSign, createVerify, generateKeyPairSync } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { SqlKeys } from '../../db/keys.ts'
import { buildCatalogue, shippedCatalogue } from '../../src/domain/catalogue.ts'
import { runningClock } from '../../src/lib/clock.ts'
import { listOfferings } from '../../src/domain/account-offering.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { Keys } from '../../src/security/keys.ts'
import { v1 } from '../../src/wire/v1/wire.ts'
import { v2 } from '../../src/wire/v2/wire.ts'
import { build, folder, testMachine } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

const catalogue = buildCatalogue(shippedCatalogue)

/** The same questions in both versions. */
const paths = {
  v2: {
    configuration: '/v2/active-conf',
    availability: '/v2/availability',
    prediction: '/v2/predict-provider',
    keys: '/v2/public-key/http'
  },
  v1: {
    configuration: '/active-conf',
    availability: '/availability',
    prediction: '/v1/predict-correspondent',
    keys: '/public-key/http'
  }
}
const field = { v2: 'phoneNumber', v1: 'msisdn' }
const versions = ['v2', 'v1'] as const
const anonymous = { authorization: '' }

t.test('the active configuration shows the offering of the account', async (t) => {
  const mock = await build(t, {
    accounts: [
      {
        name: 'default',
        companyName: 'Acme & Sons',
        signedRequestsOnly: true,
        callbacks: { deposits: 'https://shop.example/deposits' },
        operations: ['DEPOSIT', 'PAYOUT', 'REFUND'],
        providers: ['ZMB', { provider: 'AIRTEL_COD', operations: ['PAYOUT'] }]
      }
    ]
  })
  const { body } = await mock.call('GET', paths.v2.configuration)
  t.match(body, {
    companyName: 'Acme & Sons',
    signatureConfiguration: { signedRequestsOnly: true, signedCallbacks: true }
  })
  t.strictSame(
    body.countries.map(({ country }: any) => country),
    ['COD', 'ZMB']
  )
  const [cod, zmb] = body.countries
  t.strictSame(
    cod.providers.map(({ provider, currencies }: any) => [
      provider,
      currencies.map(({ currency, operationTypes }: any) => [currency, Object.keys(operationTypes)])
    ]),
    [
      [
        'AIRTEL_COD',
        [
          ['CDF', ['PAYOUT']],
          ['USD', ['PAYOUT']]
        ]
      ]
    ]
  )
  t.match(zmb, {
    displayName: { en: 'Zambia', fr: 'Zambie' },
    prefix: '260',
    flag: /\/static\/flags\/zmb\.svg$/
  })
  const mtn = zmb.providers.find(({ provider }: any) => provider === 'MTN_MOMO_ZMB')
  t.match(mtn, {
    displayName: 'MTN',
    nameDisplayedToCustomer: 'Acme & Sons',
    logo: /\/static\/logos\/mtn_momo_zmb\.svg$/
  })
  const { currency, displayName, operationTypes } = mtn.currencies[0]
  t.strictSame([currency, displayName], ['ZMW', 'ZK'])
  t.strictSame(operationTypes.PAYOUT, {
    minAmount: '1',
    maxAmount: '20000',
    decimalsInAmount: 'TWO_PLACES',
    status: 'OPERATIONAL'
  })
  t.match(operationTypes.DEPOSIT, {
    callbackUrl: 'https://shop.example/deposits',
    authType: 'PROVIDER_AUTH',
    pinPrompt: 'AUTOMATIC',
    pinPromptRevivable: true
  })
  const [channel] = operationTypes.DEPOSIT.pinPromptInstructions.channels
  t.strictSame(channel.instructions.en[0], { text: 'Dial *115#', template: 'Dial {{shortCode}}' })
  t.equal(channel.instructions.fr.length, channel.instructions.en.length)

  t.strictSame((await mock.call('GET', paths.v1.configuration)).body, {
    merchantId: 'default',
    merchantName: 'Acme & Sons',
    countries: [
      {
        country: 'COD',
        correspondents: [
          row('AIRTEL_COD', 'CDF', ['PAYOUT'], cod),
          row('AIRTEL_COD', 'USD', ['PAYOUT'], cod)
        ]
      },
      {
        country: 'ZMB',
        correspondents: ['AIRTEL_OAPI_ZMB', 'MTN_MOMO_ZMB', 'ZAMTEL_ZMB'].map((code) =>
          row(code, 'ZMW', ['DEPOSIT', 'PAYOUT', 'REFUND'], zmb)
        )
      }
    ]
  })

  /** A row of v1, derived from v2. */
  function row (code: string, currency: string, types: string[], { providers }: any): object {
    const offer = providers
      .find(({ provider }: any) => provider === code)
      .currencies.find((one: any) => one.currency === currency).operationTypes
    return {
      correspondent: code,
      currency,
      ownerName: 'Acme & Sons',
      operationTypes: types.map((type) => ({
        operationType: type,
        minTransactionLimit: offer[type].minAmount,
        maxTransactionLimit: offer[type].maxAmount
      }))
    }
  }
})

t.test('the active configuration shows each authorisation type', async (t) => {
  const mock = await openSandbox(t)
  const { body } = await mock.call('GET', `${paths.v2.configuration}?operationType=DEPOSIT`)
  t.equal(body.countries.length, 20)
  const providers = body.countries.flatMap((country: any) => country.providers)
  t.equal(providers.length, 42)
  const deposits = new Map<string, any>(
    providers.map((one: any) => [one.provider, one.currencies[0].operationTypes.DEPOSIT])
  )
  t.strictSame(Object.keys(providers[0].currencies[0].operationTypes), ['DEPOSIT'])
  t.match(deposits.get('ORANGE_BFA'), {
    authType: 'PREAUTH',
    pinPrompt: undefined,
    authTokenInstructions: { channels: [{ type: 'USSD' }] }
  })
  t.match(deposits.get('WAVE_SEN'), { authType: 'REDIRECT_AUTH', pinPrompt: undefined })
  for (const [
    provider,
    { authType, pinPrompt, pinPromptRevivable, pinPromptInstructions }
  ] of deposits) {
    if (authType !== 'PROVIDER_AUTH') continue
    t.equal(
      pinPromptInstructions !== undefined,
      pinPrompt === 'MANUAL' || pinPromptRevivable,
      provider
    )
  }
  const uganda = deposits.get('AIRTEL_OAPI_UGA').pinPromptInstructions.channels[0]
  t.strictSame(
    [uganda.quickLink, uganda.instructions.en.map(({ text }: any) => text.match(/[*#\d]+/)?.[0])],
    ['*185*10*6*2#', ['*185#', '10', '6', '2', '1', undefined]]
  )
})

t.test('the active configuration can be filtered', async (t) => {
  const mock = await openSandbox(t)
  const listed = async (path: string) => {
    const { body } = await mock.call('GET', path)
    return (Array.isArray(body) ? body : body.countries).map(({ country }: any) => country)
  }
  for (const path of [paths.v2.configuration, paths.v2.availability]) {
    t.strictSame(await listed(`${path}?country=ZMB`), ['ZMB'])
    t.strictSame(await listed(`${path}?country=FRA`), [])
    t.equal((await listed(`${path}?operationType=REMITTANCE&color=blue`)).length, 20)
    for (const [query, name] of [
      ['country=zmb', 'country'],
      ['country=ZM', 'country'],
      ['country=ZMB&country=UGA', 'country'],
      ['operationType=deposit', 'operationType'],
      ['operationType=LOAN', 'operationType']
    ]) {
      const refused = await mock.call('GET', `${path}?${query}`)
      t.equal(refused.status, 400)
      t.strictSame(Object.keys(refused.body), ['failureReason'])
      t.match(refused.body.failureReason, {
        failureCode: 'INVALID_PARAMETER',
        failureMessage: new RegExp(`^${name} must be`)
      })
    }
  }
  for (const operation of ['NAME_LOOKUP', 'PUSH_DEPOSIT', 'USSD_DEPOSIT']) {
    t.strictSame(await listed(`${paths.v2.configuration}?operationType=${operation}`), [])
  }
  t.strictSame(await listed(`${paths.v2.availability}?operationType=USSD_DEPOSIT`), [])
  t.equal(
    (await listed(`${paths.v1.configuration}?country=nonsense`)).length,
    20,
    'the earlier version has no filters'
  )
})

t.test('the availability shows every operation', async (t) => {
  const mock = await build(t, {
    accounts: [
      { name: 'default', providers: ['ZMB'] },
      { name: 'other', tokens: [{ token: 'other' }] }
    ]
  })
  const v2 = (await mock.call('GET', `${paths.v2.availability}?operationType=PAYOUT`)).body
  t.strictSame(v2, [
    {
      country: 'ZMB',
      providers: ['AIRTEL_OAPI_ZMB', 'MTN_MOMO_ZMB', 'ZAMTEL_ZMB'].map((provider) => ({
        provider,
        operationTypes: { PAYOUT: 'OPERATIONAL' }
      }))
    }
  ])
  const v1 = (await mock.call('GET', paths.v1.availability)).body
  t.equal(v1.length, 20, 'everything, not only what is enabled')
  t.strictSame(v1[0].correspondents[0], {
    correspondent: 'MTN_MOMO_BEN',
    operationTypes: [
      { operationType: 'DEPOSIT', status: 'OPERATIONAL' },
      { operationType: 'PAYOUT', status: 'OPERATIONAL' }
    ]
  })
  for (const token of [
    '',
    'Bearer nobody',
    'Basic x',
    'Bearer other',
    'Bearer sandbox-1',
    'Bearer test-token-readonly'
  ]) {
    t.strictSame(
      (await mock.call('GET', paths.v1.availability, undefined, { authorization: token })).body,
      v1,
      token
    )
  }
})

t.test('an outage appears in the configuration and the availability', (t) => {
  const account = {
    id: 1,
    name: 'default',
    origin: 'configuration' as const,
    base: { name: 'default' },
    patched: {},
    settings: { name: 'default' },
    opened: 0,
    clock: runningClock(),
    outageEnds: {},
    outages: new Map([
      ['MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' as const, DEPOSIT: 'CLOSED' as const }]
    ]),
    scenarios: []
  }
  const zambia = listOfferings(account, catalogue, { country: 'ZMB' })
  t.match(v2.toolkit.availability.write(zambia), [
    {
      providers: [
        {},
        {
          provider: 'MTN_MOMO_ZMB',
          operationTypes: { DEPOSIT: 'CLOSED', PAYOUT: 'DELAYED', REFUND: 'OPERATIONAL' }
        }
      ]
    }
  ])
  t.match(v1.toolkit.availability.write(zambia), [
    {
      correspondents: [
        {},
        {
          correspondent: 'MTN_MOMO_ZMB',
          operationTypes: [
            { operationType: 'DEPOSIT', status: 'CLOSED' },
            { operationType: 'PAYOUT', status: 'DELAYED' }
          ]
        }
      ]
    }
  ])
  const pictures = { flag: () => '', logo: () => '' }
  t.match(v2.toolkit.activeConfiguration.write(account, zambia, pictures), {
    countries: [
      { providers: [{}, { currencies: [{ operationTypes: { PAYOUT: { status: 'DELAYED' } } }] }] }
    ]
  })
  t.end()
})

t.test('every test number is predicted as a number of its provider', async (t) => {
  let count = 0
  for (const [country, { providers }] of Object.entries(shippedCatalogue)) {
    for (const [code, { testNumbers }] of Object.entries(providers)) {
      for (const number of [
        ...Object.keys(testNumbers.DEPOSIT ?? {}),
        ...Object.keys(testNumbers.PAYOUT ?? {})
      ]) {
        count++
        t.match(
          predict(number, catalogue, 'phoneNumber'),
          { country, provider: { code }, phoneNumber: number },
          number
        )
      }
    }
  }
  t.equal(count, 312)
})

const predictions: Array<[given: string, number: string, provider: string, why: string]> = [
  ['+260763456789', '260763456789', 'MTN_MOMO_ZMB', 'a plus'],
  ['00260763456789', '260763456789', 'MTN_MOMO_ZMB', 'two zeroes'],
  [
    ' 260 (0)76-345.67 89 ',
    '260763456789',
    'MTN_MOMO_ZMB',
    'blanks, brackets, dashes, and the zero dialled at home'
  ],
  ['2600971234567', '260971234567', 'AIRTEL_OAPI_ZMB', 'a zero and a national prefix'],
  ['2250701020304', '2250701020304', 'ORANGE_CIV', 'a zero that belongs to the number'],
  ['242061234567', '242061234567', 'MTN_MOMO_COG', 'the same elsewhere'],
  ['2349034567999', '2349034567999', 'AIRTEL_NGA', 'the range of the test numbers'],
  ['2349031234567', '2349031234567', 'MTN_MOMO_NGA', 'the longest prefix outside it'],
  ['237651234567', '237651234567', 'MTN_MOMO_CMR', 'a long national prefix'],
  [
    '237655123456',
    '237655123456',
    'ORANGE_CMR',
    'a long national prefix inside a short test prefix'
  ],
  ['23288123456', '23288123456', 'ORANGE_SLE', 'the only provider'],
  ['254991234567', '254991234567', 'MPESA_KEN', 'the only provider']
]

for (const version of versions) {
  t.test(`${version}: a number is predicted or refused`, async (t) => {
    const mock = await build(t, {}, testMachine())
    const ask = (number: unknown) =>
      mock.call(
        'POST',
        paths[version].prediction,
        { [field[version]]: number },
        { authorization: 'Bearer test-token-readonly' }
      )
    for (const [given, number, provider, why] of predictions) {
      const country = provider.slice(-3)
      t.strictSame(
        (await ask(given)).body,
        version === 'v2'
          ? { country, provider, phoneNumber: number }
          : { country, operator: provider.split('_')[0], correspondent: provider, msisdn: number },
        why
      )
    }
    for (const number of [
      '',
      '+',
      'call me',
      '26076345678x',
      '0763456789',
      '49151123456',
      '26076345678',
      '2607634567890',
      '258901234567',
      260763456789,
      null
    ]) {
      const refused = await ask(number)
      t.equal(refused.status, 400, String(number))
      t.match(
        refused.body,
        version === 'v2'
          ? {
              status: undefined,
              failureReason: {
                failureCode: 'INVALID_PARAMETER',
                failureMessage: /^phoneNumber must/
              }
            }
          : { errorId: /^.{36}$/, errorCode: 1, errorMessage: /^msisdn must/ }
      )
    }
    const bodies: Array<[body: unknown, code: string]> = [
      [{}, 'MISSING_PARAMETER'],
      ['nonsense', 'INVALID_INPUT'],
      [[], 'INVALID_PARAMETER']
    ]
    for (const [body, code] of bodies) {
      t.match(await mock.call('POST', paths[version].prediction, body), {
        status: 400,
        body: version === 'v2' ? { failureReason: { failureCode: code } } : { errorCode: 1 }
      })
    }
    const extra = await mock.call('POST', paths[version].prediction, {
      [field[version]]: '260763456789',
      country: 'ZMB'
    })
    t.match(
      extra,
      version === 'v2'
        ? { status: 400, body: { failureReason: { failureCode: 'UNSUPPORTED_PARAMETER' } } }
        : { status: 200 }
    )
  })

  t.test(`${version}: the toolkit checks the token`, async (t) => {
    const mock = await build(t, {
      accounts: [{ name: 'mute', tokens: [{ token: 'mute', allow: [] }] }]
    })
    const { configuration, availability, prediction, keys } = paths[version]
    const open = version === 'v1' ? [availability, keys] : []
    for (const path of [configuration, availability, prediction, keys]) {
      const ask = (authorization: string) =>
        path === prediction
          ? mock.call('POST', path, { [field[version]]: '260763456789' }, { authorization })
          : mock.call('GET', path, undefined, { authorization })
      const expected = open.includes(path) ? [200, 200, 200] : [401, 401, 403]
      t.strictSame(
        [
          (await ask('')).status,
          (await ask('Bearer nobody')).status,
          (await ask('Bearer mute')).status
        ],
        expected,
        path
      )
      t.equal((await ask('Bearer test-token-readonly')).status, 200)
      if (!open.includes(path)) {
        t.match(
          (await ask('Bearer nobody')).body,
          version === 'v2'
            ? { status: undefined, failureReason: { failureCode: 'AUTHENTICATION_ERROR' } }
            : { errorCode: 2 }
        )
      }
    }
  })

  t.test(`${version}: the public keys are stored in the ledger`, async (t) => {
    const db = join(folder(t), 'ledger.db')
    const first = await build(t, { db })
    const { body } = await first.call(
      'GET',
      paths[version].keys,
      undefined,
      version === 'v1' ? anonymous : {}
    )
    t.match(body, [
      {
        id: 'HTTP_EC_P256_KEY:1',
        key: /^-----BEGIN PUBLIC KEY-----\n[^]+\n-----END PUBLIC KEY-----\n$/
      }
    ])
    t.equal(createPublicKey(body[0].key).asymmetricKeyDetails?.namedCurve, 'prime256v1')
    await first.app.close()
    const second = await build(t, { db })
    t.strictSame((await second.call('GET', paths[version].keys)).body, body)
  })
}

t.test('the newest key signs, and older keys stay published', async (t) => {
  const database = new Database(new SqliteEngine(':memory:'))
  t.teardown(() => database.close())
  const store = new SqlKeys(database)
  const keys = await Keys.open(store, [])
  const first = keys.published[0]
  await keys.rotate()
  t.strictSame(
    keys.published.map(({ id }) => id),
    ['HTTP_EC_P256_KEY:2', 'HTTP_EC_P256_KEY:1']
  )
  t.strictSame(keys.published[1], first)
  const again = await Keys.open(store, [])
  t.strictSame(again.published, keys.published)
  t.equal(again.signing.id, 'HTTP_EC_P256_KEY:2')
  const signature = createSign('sha256').update('text').sign(again.signing.privateKey)
  t.ok(createVerify('sha256').update('text').verify(keys.published[0].key, signature))
})

t.test('the keys can be configured', async (t) => {
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem'
  }) as string
  const mock = await build(t, { keys: [{ id: 'MINE:7', privateKey }] })
  t.strictSame((await mock.call('GET', paths.v2.keys)).body, [
    { id: 'MINE:7', key: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) }
  ])

  const home = folder(t)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem'
  })
  writeFileSync(
    join(home, 'momock.json'),
    JSON.stringify({
      db: ':memory:',
      port: 0,
      keys: [
        { id: 'a', privateKey: 'nonsense' },
        { id: 'a', privateKey: rsa }
      ]
    })
  )
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/main.js')],
    { cwd: home, encoding: 'utf8' }
  )
  t.equal(status, 2)
  t.match(stderr, /keys\.0\.privateKey must be an EC P-256 private key as PEM; it cannot be read/)
  t.match(stderr, /keys\.1\.privateKey must be .*type rsa/)
  t.match(stderr, /keys\.1\.id 'a' is used twice/)
})

t.test('flags and logos are served', async (t) => {
  const { app } = await build(t)
  for (const url of ['/static/flags/zmb.svg', '/static/logos/mtn_momo_zmb.svg']) {
    const { statusCode, headers, body } = await app.http.inject(url)
    t.equal(statusCode, 200)
    t.match(headers['content-type'], /^image\/svg\+xml/)
    t.match(body, /^<svg .*<\/svg>$/)
  }
  for (const url of [
    '/static/flags/xxx.svg',
    '/static/logos/nobody.svg',
    '/static/flags/zmb.png'
  ]) {
    t.equal((await app.http.inject(url)).statusCode, 404)
  }
})
