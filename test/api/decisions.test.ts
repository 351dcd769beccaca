import { createHash, createPublicKey } from 'node:crypto'
import t, { type Test } from 'tap'
import { but, requests } from '../support/examples.ts'
import { build, id, receiver, testMachine, type Mock } from '../support/helper.ts'

/** Decisions where the specification is open; docs/project/decisions.md has a row for each. */

async function frozen (t: Test, options = {}): Promise<Mock> {
  return await build(t, { clock: 'frozen', ...options }, testMachine())
}

const advance = (call: Mock['call'], by = '5s') => call('POST', '/__admin/clock/advance', { by })

const wave = (phoneNumber = '221773459993') => ({
  depositId: id(),
  amount: '500',
  currency: 'XOF',
  payer: { type: 'MMO', accountDetails: { phoneNumber, provider: 'WAVE_SEN' } },
  successfulUrl: 'https://shop.example/ok',
  failedUrl: 'https://shop.example/no'
})

t.test('a repeated checkout gets the link of the first one', async (t) => {
  const { call } = await frozen(t)
  const body = { checkoutId: id(), returnUrl: 'https://shop.example/back' }
  const first = (await call('POST', '/v2/checkouts', body)).body
  await advance(call)
  t.strictSame((await call('POST', '/v2/checkouts', body)).body, {
    ...first,
    status: 'DUPLICATE_IGNORED'
  })
})

t.test('a checkout shows the countries that were asked for', async (t) => {
  const { call } = await frozen(t)
  for (const [asked, shown] of [
    [undefined, []],
    [['ZMB'], ['ZMB']]
  ]) {
    const checkoutId = id()
    await call('POST', '/v2/checkouts', {
      checkoutId,
      returnUrl: 'https://shop.example/back',
      ...(asked !== undefined && { countries: asked })
    })
    const { data } = (await call('GET', `/v2/checkouts/${checkoutId}`)).body
    t.strictSame(data.countries, shown)
  }
})

t.test('providerTransactionId looks like that of the provider', async (t) => {
  const styles: Array<[provider: string, phoneNumber: string, style: RegExp]> = [
    [
      'MTN_MOMO_ZMB',
      '260763456789',
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/
    ],
    ['AIRTEL_OAPI_ZMB', '260973456789', /^airtel\.money\.id\.[A-Z0-9]{20}$/]
  ]
  const depositId = id()
  for (const [provider, phoneNumber, style] of styles) {
    const seen = []
    for (let run = 0; run < 2; run++) {
      const { call } = await frozen(t)
      const payer = { type: 'MMO', accountDetails: { provider, phoneNumber } }
      await call('POST', '/v2/deposits', { ...requests.v2.deposit!(), depositId, payer })
      await advance(call)
      seen.push((await call('GET', `/v2/deposits/${depositId}`)).body.data.providerTransactionId)
    }
    t.match(seen[0], style, provider)
    t.equal(seen[0], seen[1], `${provider}, the same in each run`)
  }
})

t.test('null is the same as no value, except for the amount of a refund', async (t) => {
  const { call } = await frozen(t)
  const fields: Array<[kind: 'deposit' | 'payout' | 'remittance', field: string]> = [
    ['deposit', 'customerMessage'],
    ['deposit', 'clientReferenceId'],
    ['deposit', 'preAuthorisationCode'],
    ['deposit', 'successfulUrl'],
    ['deposit', 'metadata'],
    ['payout', 'customerMessage'],
    ['remittance', 'customerMessage'],
    ['remittance', 'metadata'],
    ...['gender', 'dateOfBirth', 'placeOfBirth', 'occupation', 'relationshipRecipient'].map(
      (name): ['remittance', string] => ['remittance', `sender.senderDetails.${name}`]
    )
  ]
  for (const [kind, field] of fields) {
    const body = but(requests.v2[kind]!(), field, null)
    const answer = await call('POST', `/v2/${kind}s`, body)
    t.match(answer, { status: 200, body: { status: 'ACCEPTED' } }, `${kind}.${field}`)
    const { data } = (await call('GET', `/v2/${kind}s/${body[`${kind}Id`]}`)).body
    t.notMatch(JSON.stringify(data), /null/, `${kind}.${field} is not in the record`)
  }
  const pages: Array<[path: string, id: string, status: number, fields: string[]]> = [
    [
      '/v2/checkouts',
      'checkoutId',
      200,
      ['returnMethod', 'defaultLanguage', 'countries', 'expiresAfter', 'amounts', 'payer', 'reason']
    ],
    [
      '/v2/paymentpage',
      'depositId',
      201,
      ['customerMessage', 'amountDetails', 'phoneNumber', 'language', 'country', 'reason']
    ],
    [
      '/v1/widget/sessions',
      'depositId',
      201,
      ['statementDescription', 'amount', 'msisdn', 'language', 'country', 'reason', 'metadata']
    ]
  ]
  for (const [path, idField, status, names] of pages) {
    for (const name of names) {
      const body = { [idField]: id(), returnUrl: 'https://shop.example/back', [name]: null }
      t.equal((await call('POST', path, body)).status, status, `${path} ${name}`)
    }
  }
  for (const [path, refund] of [
    ['/v2/refunds', requests.v2.refund!()],
    ['/refunds', requests.v1.refund!()]
  ] as const) {
    t.equal((await call('POST', path, { ...refund, amount: null })).status, 400, path)
  }
})

t.test('a final deposit of a redirecting provider has no next step', async (t) => {
  const { call } = await frozen(t)
  const deposit = wave()
  await call('POST', '/v2/deposits', deposit)
  const look = async () => (await call('GET', `/v2/deposits/${deposit.depositId}`)).body.data
  t.match(await look(), { nextStep: 'GET_AUTH_URL' })
  await advance(call, '100ms')
  t.match(await look(), { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: /authorise/ })
  await advance(call)
  const final = await look()
  t.match(final, { status: 'COMPLETED', successfulUrl: deposit.successfulUrl })
  t.notOk('nextStep' in final)
  t.notOk('authorizationUrl' in final)
})

t.test('a kind can be switched off for the account or for one provider', async (t) => {
  const account = {
    name: 'shop',
    tokens: [{ token: 'shop-token' }],
    providers: [
      { provider: 'MTN_MOMO_ZMB', operations: ['DEPOSIT'] },
      { provider: 'AIRTEL_OAPI_ZMB', operations: ['DEPOSIT', 'PAYOUT'] },
      { provider: 'ZAMTEL_ZMB' }
    ]
  }
  const mock = await frozen(t, { accounts: [account] })
  const call = (path: string, body: unknown) =>
    mock.call('POST', path, body, { authorization: 'Bearer shop-token' })
  const payout = requests.v2.payout!()
  t.match(await call('/v2/payouts', payout), {
    status: 403,
    body: {
      status: 'REJECTED',
      failureReason: {
        failureCode: 'PAYOUTS_NOT_ALLOWED',
        failureMessage: /add PAYOUT to its operations in the account's providers$/
      }
    }
  })
  t.match(await call('/payouts', requests.v1.payout!()), {
    status: 200,
    body: { status: 'REJECTED', rejectionReason: { rejectionCode: 'PAYOUTS_NOT_ALLOWED' } }
  })
  const other = {
    type: 'MMO',
    accountDetails: { phoneNumber: '260973456789', provider: 'AIRTEL_OAPI_ZMB' }
  }
  t.match(
    (await call('/v2/payouts/bulk', [payout, { ...requests.v2.payout!(), recipient: other }])).body,
    [
      { status: 'REJECTED', failureReason: { failureCode: 'PAYOUTS_NOT_ALLOWED' } },
      { status: 'ACCEPTED' }
    ]
  )
  const zamtel = but(requests.v2.payout!(), 'recipient.accountDetails', {
    phoneNumber: '260953456789',
    provider: 'ZAMTEL_ZMB'
  })
  t.match((await call('/v2/payouts', zamtel)).body, { status: 'ACCEPTED' }, 'all operations')

  const { call: admin } = await frozen(t)
  await admin('PATCH', '/__admin/account', { operations: ['DEPOSIT'] })
  t.match(
    await admin('POST', '/v2/refunds', requests.v2.refund!()),
    {
      status: 403,
      body: { failureReason: { failureCode: 'REFUNDS_NOT_ALLOWED' } }
    },
    'before the deposit is looked for'
  )
  t.match((await admin('POST', '/v2/payouts/bulk', [payout, requests.v2.payout!()])).body, [
    {
      failureReason: {
        failureCode: 'PAYOUTS_NOT_ALLOWED',
        failureMessage: 'payouts are not enabled on this account; add PAYOUT to its operations'
      }
    },
    { failureReason: { failureCode: 'PAYOUTS_NOT_ALLOWED' } }
  ])
})

t.test('the rows of a statement carry reference, transaction and status', async (t) => {
  const { app, call } = await frozen(t)
  const deposit = requests.v2.deposit!()
  const waiting = but(requests.v2.payout!(), 'recipient.accountDetails.phoneNumber', '260763456129')
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/v2/payouts', waiting)
  await advance(call)
  const { statementId } = (
    await call('POST', '/v2/statements', {
      wallet: { country: 'ZMB', currency: 'ZMW' },
      callbackUrl: 'http://127.0.0.1:9/',
      startDate: '2026-01-31T00:00:00',
      endDate: '2026-02-01T00:00:00'
    })
  ).body
  await advance(call)
  const { body } = await call('GET', `/v2/statements/${statementId}`)
  const { downloadUrl } = body.data ?? body
  const { pathname, search } = new URL(downloadUrl)
  const file = await app.http.inject({ url: `${pathname}${search}` })
  const [header, ...rows] = file.body.trim().split('\r\n')
  t.match(header, /,clientReferenceId,providerTransactionId,status$/)
  t.match(
    rows.find((row) => row.includes(deposit.depositId)),
    /,INV-1,[0-9a-f-]{36},COMPLETED$/
  )
  t.match(
    rows.find((row) => row.includes(waiting.payoutId)),
    /,INV-1,,PROCESSING$/
  )
})

t.test('assumed providers are off unless an account names them', async (t) => {
  const account = { name: 'chad', tokens: [{ token: 'chad-token' }], providers: ['AIRTEL_TCD'] }
  const { call } = await frozen(t, { accounts: [account] })
  const deposit = {
    depositId: id(),
    amount: '500',
    currency: 'XAF',
    payer: { type: 'MMO', accountDetails: { phoneNumber: '23562345678', provider: 'AIRTEL_TCD' } }
  }
  t.match((await call('POST', '/v2/deposits', deposit)).body, {
    status: 'REJECTED',
    failureReason: { failureCode: 'INVALID_PROVIDER' }
  })
  t.notMatch(JSON.stringify((await call('GET', '/availability')).body), /TCD|TGO|MLI|CELTIIS/)
  const headers = { authorization: 'Bearer chad-token' }
  t.match((await call('POST', '/v2/deposits', deposit, headers)).body, { status: 'ACCEPTED' })
  t.match((await call('GET', '/v2/active-conf', undefined, headers)).body, {
    countries: [{ country: 'TCD', providers: [{ provider: 'AIRTEL_TCD' }] }]
  })
})

t.test('part of the settings of a provider can be configured', async (t) => {
  const { call } = await frozen(t, {
    countries: {
      ZMB: {
        providers: {
          MTN_MOMO_ZMB: { currencies: { ZMW: { operationTypes: { DEPOSIT: { min: '20' } } } } }
        }
      }
    }
  })
  t.match((await call('POST', '/v2/deposits', requests.v2.deposit!())).body, {
    failureReason: { failureCode: 'AMOUNT_OUT_OF_BOUNDS', failureMessage: /minimum of 20 ZMW/ }
  })
  const { countries } = (await call('GET', '/v2/active-conf?country=ZMB')).body
  t.match(
    countries[0].providers.find(
      ({ provider }: { provider: string }) => provider === 'MTN_MOMO_ZMB'
    ),
    {
      currencies: [
        {
          currency: 'ZMW',
          operationTypes: { DEPOSIT: { minAmount: '20', authType: /./ }, PAYOUT: {} }
        }
      ]
    }
  )
})

t.test('the default account knows the sample key of the signing examples', async (t) => {
  const signed = {
    'content-digest': `sha-512=:${createHash('sha512').update('{}').digest('base64')}:`,
    'signature-input':
      'sig-pp=("content-digest");alg="ecdsa-p256-sha256";keyid="CUSTOMER_TEST_KEY_ID"',
    signature: `sig-pp=:${Buffer.alloc(64, 1).toString('base64')}:`
  }
  const [publicKey] = (await (await frozen(t)).call('GET', '/__admin/account')).body.settings
    .publicKeys
  t.equal(publicKey.id, 'CUSTOMER_TEST_KEY_ID')
  t.match(createPublicKey(publicKey.key).asymmetricKeyDetails, { namedCurve: 'prime256v1' })
  const rows: Array<[account: object, says: RegExp]> = [
    [{}, /the signature does not match the signature base .* with the key CUSTOMER_TEST_KEY_ID/],
    [{ publicKeys: [] }, /the key CUSTOMER_TEST_KEY_ID is not known/]
  ]
  for (const [account, says] of rows) {
    const settings = { name: 'default', signedRequestsOnly: true, ...account }
    const { call } = await frozen(t, { accounts: [settings] })
    const { status, body } = await call('POST', '/v2/deposits', '{}', {
      'content-type': 'application/json',
      ...signed
    })
    t.equal(status, 401)
    t.match(body.failureReason.failureMessage, says)
  }
})

t.test('the sample key is that of the current signing examples', async (t) => {
  const [{ key }] = (await (await frozen(t)).call('GET', '/__admin/account')).body.settings
    .publicKeys
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  t.match(der.toString('base64'), /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMarHD6R7v1IZDkJw18wLisp2/)
})

t.test('authErrors: public answers as the other pages of the service say', async (t) => {
  const rows: Array<[setting: string | undefined, token: string, status: number, code: string]> = [
    [undefined, '', 401, 'AUTHENTICATION_ERROR'],
    [undefined, 'Bearer unknown', 401, 'AUTHENTICATION_ERROR'],
    ['public', '', 401, 'NO_AUTHENTICATION'],
    ['public', 'Bearer unknown', 403, 'AUTHENTICATION_ERROR'],
    ['public', 'Basic unknown', 403, 'AUTHENTICATION_ERROR']
  ]
  for (const [setting, authorization, status, failureCode] of rows) {
    const { app, call } = await frozen(t)
    if (setting !== undefined) await call('PATCH', '/__admin/account', { authErrors: setting })
    const headers = authorization === '' ? {} : { authorization }
    const title = `${setting ?? 'by default'}: ${authorization}`
    const url = `/deposits/${id()}`
    const answer = await app.http.inject({ url: `/v2${url}`, headers })
    t.match([answer.statusCode, answer.json()], [status, { failureReason: { failureCode } }], title)
    t.equal((await app.http.inject({ url, headers })).statusCode, 401, `${title}, v1`)
  }
})

t.test('callbackClientReference: false leaves the reference out of callbacks only', async (t) => {
  for (const isKept of [undefined, true, false]) {
    const merchant = await receiver(t)
    const { call } = await frozen(t, { callbackUrl: merchant.url })
    if (isKept !== undefined) {
      await call('PATCH', '/__admin/account', { callbackClientReference: isKept })
    }
    for (const kind of ['deposit', 'payout'] as const) {
      const body = but(requests.v2[kind]!(), 'clientReferenceId', 'ORDER-17')
      await call('POST', `/v2/${kind}s`, body)
      const callback = merchant.next()
      await advance(call)
      const title = `${kind}, ${String(isKept)}`
      t.equal((await callback).body.clientReferenceId, isKept === false ? undefined : 'ORDER-17')
      const { data } = (await call('GET', `/v2/${kind}s/${body[`${kind}Id`]}`)).body
      t.equal(data.clientReferenceId, 'ORDER-17', title)
    }
  }
})

t.test('a customer who does not approve: the text, and no respondedByPayer in v1', async (t) => {
  const { call } = await frozen(t)
  const body = but(requests.v1.deposit!(), 'payer.address.value', '260763456039')
  await call('POST', '/deposits', body)
  await advance(call, '1m')
  const [record] = (await call('GET', `/deposits/${body.depositId}`)).body
  t.match(record, {
    status: 'FAILED',
    failureReason: {
      failureCode: 'PAYMENT_NOT_APPROVED',
      failureMessage:
        'The customer did not approve the payment. Either the customer did not enter their PIN ' +
        'in time or an incorrect PIN was entered.'
    }
  })
  t.notOk('respondedByPayer' in record)
})

t.test('the id that a v1 record of ZAMTEL has is financialTransactionId', async (t) => {
  const { call } = await frozen(t)
  const body = but(
    but(requests.v1.deposit!(), 'correspondent', 'ZAMTEL_ZMB'),
    'payer.address.value',
    '260750000001'
  )
  await call('POST', '/deposits', body)
  await advance(call)
  const [record] = (await call('GET', `/deposits/${body.depositId}`)).body
  t.strictSame(Object.keys(record.correspondentIds), ['financialTransactionId'])
})
