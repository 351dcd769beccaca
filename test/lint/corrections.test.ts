import t from 'tap'
import { but, requests } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { current, lintOf, shopOf, v1 } from './shop.ts'
import { createMomock } from '../support/momock.ts'

/** Corrected requests in the findings about requests to v2. */

const number = '260763456789'

t.test('a request of v2 as it should be', async (t) => {
  const deposit = current('deposit')
  const mended: Array<[rule: string, body: Record<string, any>, path: string, want: unknown]> = [
    ['number-amount', { ...deposit, amount: 15 }, 'amount', '15'],
    [
      'phone-format',
      but(deposit, 'payer.accountDetails.phoneNumber', '+260 763-456789'),
      'payer.accountDetails.phoneNumber',
      number
    ],
    [
      'unknown-provider',
      but(deposit, 'payer.accountDetails.provider', 'MTN_MOMO_ZBM'),
      'payer.accountDetails.provider',
      'MTN_MOMO_ZMB'
    ],
    [
      'unknown-provider',
      but(deposit, 'payer.accountDetails.provider', 'MTN_ZMB'),
      'payer.accountDetails.provider',
      'MTN_MOMO_ZMB'
    ]
  ]
  for (const [rule, body, path, want] of mended) {
    const shop = await shopOf(t)
    await shop.call('POST', '/v2/deposits', body)
    t.match((await lintOf(shop)).findings, [
      { rule, equivalent: { method: 'POST', path: '/v2/deposits', body: but(deposit, path, want) } }
    ])
  }
  const named: Array<[entries: object[], want: object[]]> = [
    [[{ a: '1', b: '2' }], [{ a: '1' }, { b: '2' }]],
    [
      [{ a: '1', isPII: true, b: '2' }, { c: '3' }],
      [{ a: '1', isPII: true }, { b: '2', isPII: true }, { c: '3' }]
    ],
    [[{ fieldName: 'a', fieldValue: '1', isPII: true }], [{ a: '1', isPII: true }]],
    [
      [{ fieldName: 'a', fieldValue: '1', b: '2' }],
      [{ fieldName: 'a' }, { fieldValue: '1' }, { b: '2' }]
    ]
  ]
  const returnUrl = 'https://shop.example/back'
  const paths: Array<[path: string, body: object]> = [
    ['/v2/deposits', deposit],
    ['/v2/payouts', current('payout')],
    ['/v2/remittances', requests.v2.remittance!()],
    ['/v2/checkouts', { checkoutId: id(), returnUrl }],
    ['/v2/refunds', { refundId: id(), depositId: id(), amount: '5', currency: 'ZMW' }],
    [
      '/v2/paymentpage',
      {
        depositId: id(),
        returnUrl,
        customerMessage: 'Order 17',
        amountDetails: { amount: '15', currency: 'ZMW' },
        phoneNumber: number
      }
    ]
  ]
  for (const [path, body] of paths) {
    for (const [metadata, want] of path === '/v2/deposits' ? named : named.slice(1, 2)) {
      const shop = await shopOf(t)
      await shop.call('POST', path, { ...body, metadata })
      const [finding] = (await lintOf(shop)).findings
      t.equal(finding.rule, 'metadata-names', path)
      t.strictSame(
        finding.equivalent,
        { method: 'POST', path, body: { ...body, metadata: want } },
        `${path}: ${JSON.stringify(metadata)}`
      )
    }
  }
  const strange = await shopOf(t)
  await strange.call(
    'POST',
    '/v2/deposits',
    but(deposit, 'payer.accountDetails.provider', 'NOBODY_XXX')
  )
  t.match((await lintOf(strange)).findings[0].equivalent.notes, [
    "replace the provider 'NOBODY_XXX' with a code of GET /v2/active-conf"
  ])
  const unsigned = await shopOf(t, { accounts: [{ name: 'default', signedRequestsOnly: true }] })
  await unsigned.call('POST', '/v2/deposits', deposit)
  t.match((await lintOf(unsigned)).findings[0].equivalent, {
    path: '/v2/deposits',
    body: deposit,
    notes: [/^add the headers Content-Digest, Signature-Date, Signature-Input and Signature/]
  })
  const prefixed = await shopOf(t)
  await prefixed.call('POST', '/v1/deposits', { ...v1('deposit'), depositId: deposit.depositId })
  await prefixed.call('POST', '/v1/deposits/resend-callback', { depositId: deposit.depositId })
  t.match(
    (await lintOf(prefixed)).findings.map(({ equivalent }: any) => equivalent),
    [
      { method: 'POST', path: '/v2/deposits', body: { payer: { type: 'MMO' } } },
      { method: 'POST', path: `/v2/deposits/resend-callback/${deposit.depositId}` }
    ],
    'a v1 path with a prefix'
  )
  const bare = await shopOf(t)
  await bare.app.http.inject(`/v2/deposits/${deposit.depositId}`)
  const right = {
    method: 'GET',
    path: `/v2/deposits/${deposit.depositId}`,
    notes: ['add the header Authorization: Bearer TOKEN']
  }
  t.strictSame((await lintOf(bare)).findings[0].equivalent, right, 'without a body')
  const every = await shopOf(t)
  const wrong = {
    ...v1('payout'),
    amount: 15,
    correspondent: 'MTN_MOMO_ZBM',
    recipient: { type: 'MSISDN', address: { value: `+${number}` } }
  }
  await every.call('POST', '/payouts', wrong)
  const accountDetails = { phoneNumber: number, provider: 'MTN_MOMO_ZMB' }
  for (const { equivalent } of (await lintOf(every)).findings) {
    const { body } = equivalent
    t.match(body, { amount: '15', recipient: { type: 'MMO', accountDetails } }, 'all of it at once')
  }
  // Over a real connection, because its answer never comes.
  const mock = await createMomock()
  t.teardown(mock.close)
  await mock.scenario({ when: { kind: 'deposit' }, times: 1, fault: 'lost' })
  const pay = (body: object): Promise<unknown> =>
    fetch(`${mock.url}/v2/deposits`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' }
    })
  await t.rejects(pay(deposit))
  await pay({ ...deposit, depositId: id() })
  t.match((await mock.lint()).findings, [
    {
      rule: 'new-id-after-lost-answer',
      requests: [2],
      equivalent: { path: '/v2/deposits', body: deposit }
    }
  ])
})
