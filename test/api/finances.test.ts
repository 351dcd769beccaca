import { gunzipSync } from 'node:zlib'
import { join } from 'node:path'
import t from 'tap'
import { build, folder, id, receiver, testMachine, until, type Mock } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, requests } from '../support/examples.ts'

/** The same wallets in both versions. */
const table = [
  {
    version: 'v2',
    all: '/v2/wallet-balances',
    one: (country: string) => `/v2/wallet-balances?country=${country}`,
    key: 'provider'
  },
  {
    version: 'v1',
    all: '/v1/wallet-balances',
    one: (country: string) => `/v1/wallet-balances/${country}`,
    key: 'mno'
  }
] as const

for (const { version, all, one, key } of table) {
  t.test(`${version}: the balances include every wallet, used or not`, async (t) => {
    const mock = await build(t, {
      accounts: [
        { name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '20.5' }] }
      ]
    })
    const { status, body } = await mock.call('GET', all)
    t.equal(status, 200)
    t.equal(body.balances.length, 21, 'one country has two currencies')
    t.strictSame((await mock.call('GET', one('ZMB'))).body, {
      balances: [{ country: 'ZMB', balance: '20.50', currency: 'ZMW', [key]: '' }]
    })
    t.strictSame((await mock.call('GET', one('COD'))).body, {
      balances: ['CDF', 'USD'].map((currency) => ({
        country: 'COD',
        balance: '1000000.00',
        currency,
        [key]: ''
      }))
    })
    t.strictSame((await mock.call('GET', one('FRA'))).body, { balances: [] })

    await mock.call('POST', '/v2/payouts', requests.v2.payout!())
    t.equal(
      (await mock.call('GET', one('ZMB'))).body.balances[0].balance,
      '5.50',
      'what is reserved is not available'
    )
    t.equal(
      (await mock.call('GET', one('ZMB'), undefined, { authorization: 'Bearer sandbox-other' }))
        .body.balances[0].balance,
      '20.50',
      'another account'
    )

    for (const country of ['zmb', 'ZM', 'ZMBX']) {
      t.match(await mock.call('GET', one(country)), {
        status: 400,
        body:
          version === 'v2'
            ? {
                status: undefined,
                failureReason: {
                  failureCode: 'INVALID_PARAMETER',
                  failureMessage: /^country must be/
                }
              }
            : { errorCode: 1, errorMessage: /^country must be/ }
      })
    }
    t.match(await mock.call('GET', all, undefined, { authorization: '' }), {
      status: 401,
      body:
        version === 'v2'
          ? { status: undefined, failureReason: { failureCode: 'AUTHENTICATION_ERROR' } }
          : { errorCode: 2 }
    })
    t.equal(
      (await mock.call('GET', all, undefined, { authorization: 'Bearer test-token-readonly' }))
        .status,
      200
    )
  })
}

t.test('the balances include only wallets of enabled providers', async (t) => {
  const mock = await build(t, { accounts: [{ name: 'default', providers: ['AIRTEL_COD', 'ZMB'] }] })
  const { balances } = (await mock.call('GET', '/v2/wallet-balances')).body
  t.strictSame(
    balances.map(({ country, currency }: any) => [country, currency]),
    [
      ['COD', 'CDF'],
      ['COD', 'USD'],
      ['ZMB', 'ZMW']
    ]
  )
})

const request = () => ({
  wallet: { country: 'ZMB', currency: 'ZMW' },
  callbackUrl: 'http://127.0.0.1:1/statements',
  startDate: '2026-01-01T00:00:00',
  endDate: '2026-01-31T23:59:59',
  compressed: false
})

/** The record of a statement that has ended. */
async function ended (mock: Mock, statementId: string): Promise<any> {
  const answer = await until(
    () => mock.call('GET', `/v2/statements/${statementId}`),
    ({ body }) => ['COMPLETED', 'FAILED'].includes(body.data?.status)
  )
  return answer.body.data
}

/** Answer of a download address, without a token. */
async function download (mock: Mock, url: string) {
  const { pathname } = new URL(url)
  return await mock.app.http.inject(pathname)
}

async function completed (mock: Mock, path: string, id: string): Promise<void> {
  await until(
    () => mock.call('GET', `${path}/${id}`),
    ({ body }) => ['COMPLETED', 'FAILED'].includes(body.data?.status)
  )
}

for (const compressed of [false, true]) {
  t.test(
    `a statement is created, called back and downloaded${compressed ? ', compressed' : ''}`,
    async (t) => {
      const merchant = await receiver(t)
      const mock = await build(t, {
        accounts: [
          { name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '100' }] }
        ]
      })
      const deposit = { ...requests.v2.deposit!(), metadata: [{ note: 'a "b", c' }] } as Record<
        string,
        any
      >
      const failing = but(
        requests.v2.payout!(),
        'recipient.accountDetails.phoneNumber',
        '260763456079'
      )
      await mock.call('POST', '/v2/deposits', deposit)
      await completed(mock, '/v2/deposits', deposit.depositId)
      await mock.call('POST', '/v2/payouts', failing)
      await completed(mock, '/v2/payouts', failing.payoutId)

      const now = Date.now()
      const startDate = new Date(now - 60_000).toISOString().slice(0, 19)
      const endDate = new Date(now + 60_000).toISOString()
      const arrived = merchant.next()
      const accepted = await mock.call('POST', '/v2/statements', {
        ...request(),
        callbackUrl: merchant.url,
        startDate,
        endDate,
        compressed
      })
      t.equal(accepted.status, 200)
      t.match(accepted.body, { statementId: /^[0-9a-f-]{36}$/, status: 'ACCEPTED', created: /Z$/ })
      const { statementId } = accepted.body
      t.match((await mock.call('GET', `/v2/statements/${statementId}`)).body, {
        status: 'FOUND',
        data: {
          statementId,
          status: /^(ACCEPTED|PROCESSING)$/,
          wallet: request().wallet,
          startDate,
          endDate,
          downloadUrl: undefined
        }
      })

      const { body: callback } = await arrived
      const data = await ended(mock, statementId)
      t.match(data, {
        statementId,
        status: 'COMPLETED',
        wallet: request().wallet,
        startDate,
        endDate,
        fileSize: Number,
        downloadUrl: /^http/,
        downloadUrlExpiresAt: /Z$/,
        completedAt: /Z$/
      })
      t.strictSame(
        { ...callback, downloadUrl: '', downloadUrlExpiresAt: '' },
        { ...data, downloadUrl: '', downloadUrlExpiresAt: '' },
        'the callback is the record'
      )
      t.equal(merchant.received.length, 1)

      for (const url of [data.downloadUrl, callback.downloadUrl]) {
        const file = await download(mock, url)
        t.equal(file.statusCode, 200)
        t.equal(file.rawPayload.length, data.fileSize)
        t.match(file.headers['content-type'], compressed ? 'application/gzip' : 'text/csv')
        t.match(url, compressed ? /\.csv\.gz$/ : /\.csv$/)
        const text = (compressed ? gunzipSync(file.rawPayload) : file.rawPayload).toString()
        const lines = text
          .split('\r\n')
          .map((line) =>
            line
              .replace(/^\d[^,]*,/, '')
              .replace(/[0-9a-f-]{36},COMPLETED/, '[transaction],COMPLETED')
          )
        t.strictSame(lines, [
          'date,type,paymentKind,paymentId,provider,phoneNumber,amount,currency,' +
            'balanceAfter,description,metadata,clientReferenceId,providerTransactionId,status',
          'CREDIT,,,,,100.00,ZMW,100.00,Opening balance,,,,',
          `CREDIT,DEPOSIT,${deposit.depositId},` +
            'MTN_MOMO_ZMB,260763456789,15.00,ZMW,115.00,deposit ' +
            'completed,"{""note"":""a \\""b\\"", c""}",INV-1,[transaction],COMPLETED',
          `DEBIT,PAYOUT,${failing.payoutId},MTN_MOMO_ZMB,260763456079,-15.00,ZMW,100.00,payout ` +
            'accepted,"{""orderId"":""ORD-1"",""customerId"":""c@example.com""}",INV-1,,FAILED',
          `CREDIT,PAYOUT,${failing.payoutId},MTN_MOMO_ZMB,260763456079,15.00,ZMW,115.00,"payout ` +
            'failed, its money is ' +
            'back","{""orderId"":""ORD-1"",""customerId"":""c@example.com""}",INV-1,,FAILED',
          ''
        ])
      }
    }
  )
}

t.test('a statement contains only its period', async (t) => {
  const mock = await build(t)
  const payout = requests.v2.payout!()
  await mock.call('POST', '/v2/payouts', payout)
  const { statementId } = (await mock.call('POST', '/v2/statements', request())).body
  const { downloadUrl, fileSize } = await ended(mock, statementId)
  const { body } = await download(mock, downloadUrl)
  t.equal(body.split('\r\n').length, 2, 'the first line only')
  t.equal(body.length, fileSize)
})

t.test('the link of a statement cannot be guessed and expires', async (t) => {
  const systemClock = testMachine()
  const real = Date.now()
  const mock = await build(t, {}, { now: () => systemClock.time + Date.now() - real })
  const { statementId } = (await mock.call('POST', '/v2/statements', request())).body
  const first = await ended(mock, statementId)
  t.equal((await download(mock, first.downloadUrl)).statusCode, 200)
  for (const wrong of [
    first.downloadUrl.replace(/.\.csv$/, (tail: string) => (tail[0] === '0' ? '1.csv' : '0.csv')),
    first.downloadUrl.replace(statementId, id()),
    first.downloadUrl.replace(/files\/\d/, 'files/9'),
    first.downloadUrl.replace(/\.csv$/, ''),
    first.downloadUrl + '.gz'
  ]) {
    const refused = await download(mock, wrong)
    t.equal(refused.statusCode, 404, wrong)
    t.match(refused.json(), { failureReason: { failureCode: 'NOT_FOUND' } })
  }
  systemClock.time += 24 * 60 * 60_000
  const late = await download(mock, first.downloadUrl)
  t.equal(late.statusCode, 410)
  t.match(late.json(), { failureReason: { failureMessage: /has expired/ } })
  const second = await ended(mock, statementId)
  t.not(second.downloadUrl, first.downloadUrl)
  t.equal((await download(mock, second.downloadUrl)).statusCode, 200)
})

const refusals: Array<[path: string, value: unknown, code: string]> = [
  ['callbackUrl', 'shop.example', 'INVALID_CALLBACK_URL'],
  ['callbackUrl', 'ftp://shop.example/x', 'INVALID_CALLBACK_URL'],
  ['callbackUrl', '', 'INVALID_CALLBACK_URL'],
  ['endDate', '2026-01-01T00:00:00', 'INVALID_DATE_RANGE'],
  ['endDate', '2025-12-31T00:00:00Z', 'INVALID_DATE_RANGE'],
  ['endDate', '2026-02-01T00:00:01', 'INVALID_DATE_RANGE'],
  ['wallet.currency', 'USD', 'WALLET_NOT_FOUND'],
  ['wallet.country', 'FRA', 'WALLET_NOT_FOUND'],
  ['wallet.provider', 'MTN_MOMO_ZMB', 'WALLET_NOT_FOUND'],
  ['callbackUrl', undefined, 'MISSING_PARAMETER'],
  ['wallet', undefined, 'MISSING_PARAMETER'],
  ['startDate', undefined, 'MISSING_PARAMETER'],
  ['wallet.country', 'zmb', 'INVALID_PARAMETER'],
  ['startDate', '2026-01-01', 'INVALID_PARAMETER'],
  ['startDate', '2026-02-30T00:00:00', 'INVALID_PARAMETER'],
  ['startDate', '2026-01-01T00:00:00+02:00', 'INVALID_PARAMETER'],
  ['compressed', 'yes', 'INVALID_PARAMETER'],
  ['color', 'blue', 'UNSUPPORTED_PARAMETER']
]

t.test('a wrong statement request is refused', async (t) => {
  const mock = await openSandbox(t)
  for (const [path, value, code] of refusals) {
    const refused = await mock.call('POST', '/v2/statements', but(request(), path, value))
    t.match(
      refused,
      {
        status: 400,
        body: {
          status: 'REJECTED',
          failureReason: {
            failureCode: code,
            failureMessage: new RegExp(`${path.split('.').at(-1)}|wallet`)
          }
        }
      },
      `${path} ${String(value)}`
    )
  }
  t.equal(
    (await mock.call('POST', '/v2/statements', request(), { authorization: 'Bearer nobody' }))
      .status,
    401
  )
  t.equal(
    (
      await mock.call('POST', '/v2/statements', request(), {
        authorization: 'Bearer test-token-readonly'
      })
    ).status,
    403
  )
  for (const [path, value] of [
    ['endDate', '2026-02-01T00:00:00'],
    ['endDate', '2026-01-31T12:00Z'],
    ['wallet.provider', ''],
    ['compressed', undefined],
    ['callbackUrl', 'https://127.0.0.1:1/x']
  ] as const) {
    t.equal(
      (await mock.call('POST', '/v2/statements', but(request(), path, value))).body.status,
      'ACCEPTED',
      `${path} ${String(value)}`
    )
  }
})

t.test('a requested statement is created after a restart', async (t) => {
  const merchant = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db })
  const { statementId } = (
    await first.call('POST', '/v2/statements', { ...request(), callbackUrl: merchant.url })
  ).body
  await first.app.close()
  t.equal(merchant.received.length, 0)
  const second = await build(t, { db })
  const { downloadUrl } = await ended(second, statementId)
  t.equal((await download(second, downloadUrl)).statusCode, 200)
  await until(
    async () => merchant.received.length,
    (count) => count === 1
  )
})

t.test('a statement belongs to its account', async (t) => {
  const mock = await build(t)
  const { statementId } = (await mock.call('POST', '/v2/statements', request())).body
  t.equal(
    (await mock.call('GET', `/v2/statements/${statementId.toUpperCase()}`)).body.status,
    'FOUND'
  )
  t.strictSame(
    (
      await mock.call('GET', `/v2/statements/${statementId}`, undefined, {
        authorization: 'Bearer sandbox-other'
      })
    ).body,
    { status: 'NOT_FOUND' }
  )
  t.strictSame((await mock.call('GET', `/v2/statements/${id()}`)).body, { status: 'NOT_FOUND' })
  t.match(await mock.call('GET', '/v2/statements/nonsense'), {
    status: 400,
    body: { failureReason: { failureCode: 'INVALID_PARAMETER' } }
  })
  t.equal(
    (await mock.call('GET', `/v2/statements/${statementId}`, undefined, { authorization: '' }))
      .status,
    401
  )
  const again = await build(t)
  t.equal(
    (await again.call('POST', '/v2/statements', request())).body.statementId,
    statementId,
    'the same story gives the same identifier'
  )
  t.not((await again.call('POST', '/v2/statements', request())).body.statementId, statementId)
})
