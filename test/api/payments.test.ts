import { formatAmount } from '../../src/domain/amount.ts'
import t from 'tap'
import { build, id, receiver, type Client, testStart } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, initiations, prefix, requests } from '../support/examples.ts'

const outgoing = initiations.filter(({ kind }) => kind.money === 'out' && kind.name !== 'refund')

/** The record of a payment, in either version. */
async function look (mock: Client, path: string, id: string): Promise<any> {
  const { body } = await mock.call('GET', `${path}/${id}`)
  return Array.isArray(body) ? body[0] : body.data
}

/** A minute later on the account's clock, which is more than any payment here takes. */
const later = (mock: Client) => mock.call('POST', '/__admin/clock/advance', { by: '1m' })

async function settled (mock: Client, path: string, id: string): Promise<any> {
  await later(mock)
  return await look(mock, path, id)
}

async function completedDeposit (mock: Client, amount = '15'): Promise<string> {
  const deposit = but(requests.v2.deposit!(), 'amount', amount)
  await mock.call('POST', '/v2/deposits', deposit)
  await settled(mock, '/v2/deposits', deposit.depositId)
  return deposit.depositId
}

/** A request that will be accepted: a refund needs a deposit first. */
async function ready (mock: Client, row: (typeof initiations)[number]): Promise<any> {
  return row.kind.name === 'refund'
    ? but(row.make(), 'depositId', await completedDeposit(mock))
    : row.make()
}

for (const row of initiations) {
  const { version, kind, path } = row
  t.test(
    `${version} ${kind.name}: accepted once, found, completed, called back, resent`,
    async (t) => {
      const merchant = await receiver(t)
      const mock = await build(t, {
        clock: 'frozen',
        accounts: [{ name: 'default', callbacks: { [kind.callback]: merchant.url } }]
      })
      const body = await ready(mock, row)
      const own = body[kind.idField]
      merchant.received.length = 0
      const first = (await mock.call('POST', path, body)).body
      t.match(first, { [kind.idField]: own, status: 'ACCEPTED', created: /^\d{4}-.*Z$/ })
      t.strictSame((await mock.call('POST', path, body)).body, {
        [kind.idField]: own,
        status: 'DUPLICATE_IGNORED',
        created: first.created
      })
      const found = await look(mock, path, own)
      t.match(found, {
        [kind.idField]: own,
        currency: 'ZMW',
        country: 'ZMB',
        metadata: { orderId: 'ORD-1' }
      })
      await later(mock)
      const [callback] = merchant.received
      const record = await look(mock, path, own)
      t.equal(record.status, 'COMPLETED')
      t.strictSame(callback.body, record, 'the callback is the record')
      t.ok(version === 'v2' ? record.providerTransactionId : record.correspondentIds)
      if (kind.name !== 'splitPayment') {
        const resent =
          version === 'v2'
            ? mock.call('POST', `${path}/resend-callback/${own}`)
            : mock.call('POST', `${path}/resend-callback`, { [kind.idField]: own })
        t.strictSame((await resent).body, { [kind.idField]: own, status: 'ACCEPTED' })
        await later(mock)
        t.strictSame(
          merchant.received.map(({ body }) => body),
          [record, record]
        )
      }
    }
  )

  t.test(`${version} ${kind.name}: operations in the wrong state are refused`, async (t) => {
    const mock = await openSandbox(t, { start: testStart })
    const reason = (body: any) =>
      version === 'v2' ? body.failureReason?.failureCode : typeof body.rejectionReason
    const unknown = id()
    const resend = (own: string, headers?: Record<string, string>) =>
      version === 'v2'
        ? mock.call('POST', `${path}/resend-callback/${own}`, undefined, headers)
        : mock.call('POST', `${path}/resend-callback`, { [kind.idField]: own }, headers)
    const cancel = (own: string, headers?: Record<string, string>) =>
      mock.call('POST', `${path}/fail-enqueued/${own}`, undefined, headers)
    const actions = [
      ...(kind.name === 'splitPayment' ? [] : [resend]),
      ...(kind.stateMachine === 'queueing' && !(version === 'v1' && kind.name === 'refund')
        ? [cancel]
        : [])
    ]
    for (const act of actions) {
      const missing = await act(unknown)
      t.match(missing, { status: 200, body: { [kind.idField]: unknown, status: 'REJECTED' } })
      t.equal(reason(missing.body), version === 'v2' ? 'NOT_FOUND' : 'string')
      if (kind.name !== 'refund') {
        const body = row.make()
        await mock.call('POST', path, body)
        const early = await act(body[kind.idField])
        t.match(early, {
          status: 200,
          body: { [kind.idField]: body[kind.idField], status: 'REJECTED' }
        })
        t.equal(reason(early.body), version === 'v2' ? 'INVALID_STATE' : 'string')
      }
      t.equal(
        (await act(unknown, { 'content-type': 'application/json' })).status,
        200,
        'a content type and no body'
      )
      t.equal((await act(unknown, { authorization: 'Bearer test-token-readonly' })).status, 403)
      t.equal((await act(unknown, { authorization: 'Bearer nobody' })).status, 401)
      t.equal((await act('nonsense')).status, 400)
    }
  })
}

for (const row of outgoing) {
  const { version, kind, make, path } = row
  t.test(`${version} ${kind.name}: money is reserved, settled and released`, async (t) => {
    const mock = await build(t, {
      clock: 'frozen',
      accounts: [
        { name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '20.00' }] }
      ]
    })
    const balance = async () =>
      (await mock.call('GET', '/v2/wallet-balances?country=ZMB')).body.balances[0].balance
    const poor = but(make(), 'amount', '20.01')
    const refused = await mock.call('POST', path, poor)
    t.equal(refused.status, 200)
    t.match(
      refused.body,
      version === 'v2'
        ? { status: 'REJECTED', failureReason: { failureCode: 'PAWAPAY_WALLET_OUT_OF_FUNDS' } }
        : { status: 'REJECTED', rejectionReason: { rejectionCode: 'BALANCE_INSUFFICIENT' } }
    )
    const good = make()
    t.equal((await mock.call('POST', path, good)).body.status, 'ACCEPTED')
    t.equal(await balance(), '5.00', 'reserved')
    t.equal(
      (await mock.call('POST', path, make())).body.status,
      'REJECTED',
      'what is reserved cannot be spent twice'
    )
    t.equal((await settled(mock, path, good[kind.idField])).status, 'COMPLETED')
    t.equal(await balance(), '5.00', 'settled')
    const failing = but(
      but(make(), 'amount', '3'),
      version === 'v2' ? 'recipient.accountDetails.phoneNumber' : 'recipient.address.value',
      '260763456079'
    )
    await mock.call('POST', path, failing)
    t.equal(await balance(), '2.00')
    t.match(await settled(mock, path, failing[kind.idField]), {
      status: 'FAILED',
      failureReason: { failureCode: 'RECIPIENT_NOT_FOUND' }
    })
    t.equal(await balance(), '5.00', 'released')
  })
}

for (const row of initiations.filter(({ kind, version }) =>
  ['payout', 'remittance'].includes(kind.name)
)) {
  const { version, kind, make, path } = row
  t.test(`${version} ${kind.name}: a bulk request is answered per element`, async (t) => {
    const mock = await openSandbox(t, { start: testStart })
    const good = make()
    const wrong = but(make(), 'amount', '05')
    const poor = but(make(), 'amount', '999999')
    const answer = await mock.call('POST', `${path}/bulk`, [
      good,
      wrong,
      poor,
      good,
      'nonsense',
      make()
    ])
    t.equal(answer.status, 200)
    t.strictSame(
      answer.body.map(({ status }: any) => status),
      ['ACCEPTED', 'REJECTED', 'REJECTED', 'DUPLICATE_IGNORED', 'REJECTED', 'ACCEPTED']
    )
    t.strictSame(
      answer.body.slice(0, 4).map((element: any) => element[kind.idField]),
      [good, wrong, poor, good].map((body) => body[kind.idField])
    )
    const codes = answer.body.map(
      (element: any) => element.failureReason?.failureCode ?? element.rejectionReason?.rejectionCode
    )
    t.strictSame(
      codes,
      version === 'v2'
        ? [
            undefined,
            'INVALID_PARAMETER',
            'AMOUNT_OUT_OF_BOUNDS',
            undefined,
            'INVALID_INPUT',
            undefined
          ]
        : [
            undefined,
            'PARAMETER_INVALID',
            'AMOUNT_TOO_LARGE',
            undefined,
            'INVALID_INPUT',
            undefined
          ]
    )
    t.equal((await look(mock, path, good[kind.idField])).status, 'ACCEPTED')
    for (const body of [[], Array.from({ length: 21 }, make), {}, 'x']) {
      const refused = await mock.call('POST', `${path}/bulk`, body)
      t.equal(refused.status, 400)
      t.notOk(Array.isArray(refused.body), 'a single object')
    }
    t.equal(
      (await mock.call('POST', `${path}/bulk`, Array.from({ length: 20 }, make))).body.length,
      20
    )
    t.equal(
      (
        await mock.call('POST', `${path}/bulk`, [make()], {
          authorization: 'Bearer test-token-readonly'
        })
      ).status,
      403
    )
  })
}

for (const version of ['v1', 'v2'] as const) {
  const path = `${prefix[version]}/refunds`
  const codes =
    version === 'v2'
      ? {
          unknown: 'NOT_FOUND',
          unfinished: 'INVALID_STATE',
          large: 'AMOUNT_TOO_LARGE',
          progress: 'REFUND_IN_PROGRESS',
          refunded: 'DEPOSIT_ALREADY_REFUNDED'
        }
      : {
          unknown: 'DEPOSIT_NOT_FOUND',
          unfinished: 'DEPOSIT_NOT_COMPLETED',
          large: 'AMOUNT_TOO_LARGE',
          progress: 'IN_PROGRESS',
          refunded: 'ALREADY_REFUNDED'
        }
  t.test(`${version}: a refund never exceeds what is left`, async (t) => {
    const mock = await openSandbox(t, { clock: 'frozen' })
    const refund = async (depositId: string, amount?: string) => {
      const body = but(but(requests[version].refund!(), 'depositId', depositId), 'amount', amount)
      const answer = await mock.call('POST', path, body)
      t.equal(answer.status, 200)
      const { status, failureReason, rejectionReason } = answer.body
      return {
        id: body.refundId,
        result:
          status === 'REJECTED'
            ? (failureReason?.failureCode ?? rejectionReason.rejectionCode)
            : status
      }
    }
    t.equal((await refund(id())).result, codes.unknown)
    const fresh = requests.v2.deposit!()
    await mock.call('POST', '/v2/deposits', fresh)
    t.equal((await refund(fresh.depositId)).result, codes.unfinished)
    const failed = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763456039')
    await mock.call('POST', '/v2/deposits', failed)
    await settled(mock, '/v2/deposits', failed.depositId)
    t.equal((await refund(failed.depositId)).result, codes.unfinished)

    const depositId = await completedDeposit(mock)
    t.equal((await refund(depositId, '15.01')).result, codes.large)
    const part = await refund(depositId, '5')
    t.equal(part.result, 'ACCEPTED')
    t.equal((await refund(depositId, '5')).result, codes.progress)
    t.match(await settled(mock, path, part.id), {
      status: 'COMPLETED',
      amount: '5.00',
      currency: 'ZMW',
      country: 'ZMB'
    })
    t.equal((await refund(depositId, '10.01')).result, codes.large)
    const rest = await refund(depositId)
    t.equal(rest.result, 'ACCEPTED')
    t.match(await settled(mock, path, rest.id), { status: 'COMPLETED', amount: '10.00' })
    t.equal((await refund(depositId)).result, codes.refunded)
    t.equal((await refund(depositId, '1')).result, codes.refunded)
  })
}

t.test('the rest of a deposit can be refunded, even below the minimum', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const depositId = await completedDeposit(mock, '1.5')
  const refund = (amount?: string) =>
    but(but(requests.v2.refund!(), 'depositId', depositId), 'amount', amount)
  t.match((await mock.call('POST', '/v2/refunds', refund('0.4'))).body, {
    failureReason: { failureCode: 'AMOUNT_OUT_OF_BOUNDS' }
  })
  const part = refund('1')
  await mock.call('POST', '/v2/refunds', part)
  await settled(mock, '/v2/refunds', part.refundId)
  const rest = refund()
  t.equal((await mock.call('POST', '/v2/refunds', rest)).body.status, 'ACCEPTED')
  t.match(await settled(mock, '/v2/refunds', rest.refundId), {
    status: 'COMPLETED',
    amount: '0.50',
    country: 'ZMB'
  })
})

t.test('a deposit can be refunded again after a failed refund', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  // The payout row of the number decides: it accepts deposits and refuses payouts.
  const deposit = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763456079')
  await mock.call('POST', '/v2/deposits', deposit)
  t.equal((await settled(mock, '/v2/deposits', deposit.depositId)).status, 'COMPLETED')
  for (let n = 0; n < 2; n++) {
    const body = but(but(requests.v2.refund!(), 'depositId', deposit.depositId), 'amount')
    t.equal((await mock.call('POST', '/v2/refunds', body)).body.status, 'ACCEPTED')
    t.match(await settled(mock, '/v2/refunds', body.refundId), {
      status: 'FAILED',
      failureReason: { failureCode: 'RECIPIENT_NOT_FOUND' },
      amount: '15.00'
    })
  }
  t.match(
    (
      await mock.call(
        'POST',
        '/v2/refunds',
        but(but(requests.v2.refund!(), 'depositId', deposit.depositId), 'currency', 'USD')
      )
    ).body,
    { failureReason: { failureCode: 'INVALID_CURRENCY' } }
  )
})

t.test('a split payment starts its payouts after its deposit', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const body = requests.v2.splitPayment!()
  const own = body.splitPaymentId
  const [first, second] = body.splits
  t.strictSame(Object.keys((await mock.call('POST', '/v2/split-payments', body)).body).sort(), [
    'created',
    'splitPaymentId',
    'status'
  ])
  t.match(await look(mock, '/v2/split-payments', own), {
    splitPaymentId: own,
    amount: '15.00',
    currency: 'ZMW',
    payer: body.payer,
    splits: body.splits.map(({ payoutId, amount, recipient }: any) => ({
      payoutId,
      status: 'ACCEPTED',
      amount: formatAmount(amount),
      recipient
    }))
  })
  t.match(await settled(mock, '/v2/split-payments', own), {
    status: 'COMPLETED',
    splits: [
      { payoutId: first.payoutId, status: 'COMPLETED' },
      { payoutId: second.payoutId, status: 'COMPLETED' }
    ]
  })
  t.match(await look(mock, '/v2/payouts', second.payoutId), {
    status: 'COMPLETED',
    amount: '4.50',
    customerMessage: 'Your share',
    recipient: second.recipient
  })
  t.equal(
    (await mock.call('GET', '/v2/wallet-balances?country=ZMB')).body.balances[0].balance,
    '1000000.50'
  )
  t.match(
    await mock.call(
      'POST',
      '/v2/split-payments',
      but(but(body, 'splitPaymentId', id()), 'amount', '20')
    ),
    {
      status: 400,
      body: {
        failureReason: { failureCode: 'INVALID_PARAMETER', failureMessage: /splits\.0\.payoutId/ }
      }
    }
  )
})

t.test('a split payment fails with its deposit or a payout', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const half = requests.v2.splitPayment!()
  half.splits[1].recipient.accountDetails.phoneNumber = '260763456079'
  await mock.call('POST', '/v2/split-payments', half)
  t.match(await settled(mock, '/v2/split-payments', half.splitPaymentId), {
    status: 'PAYOUT_FAILED',
    splits: [
      { status: 'COMPLETED' },
      { status: 'FAILED', failureReason: { failureCode: 'RECIPIENT_NOT_FOUND' } }
    ]
  })
  const whole = but(requests.v2.splitPayment!(), 'payer.accountDetails.phoneNumber', '260763456039')
  await mock.call('POST', '/v2/split-payments', whole)
  t.match(await settled(mock, '/v2/split-payments', whole.splitPaymentId), {
    status: 'FAILED',
    failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' }
  })
  t.match(
    await look(mock, '/v2/payouts', whole.splits[0].payoutId),
    { status: 'FAILED', failureReason: { failureCode: 'UNSPECIFIED_FAILURE' } },
    'its payouts never begin'
  )

  const wrongs: Array<[(body: any) => void, number, string]> = [
    [
      (body) => {
        body.splits[0].amount = '10.51'
      },
      200,
      'PAYOUT_EXCEEDS_DEPOSIT'
    ],
    [
      (body) => {
        body.currency = 'USD'
      },
      200,
      'INVALID_CURRENCY'
    ],
    [
      (body) => {
        body.splits[0].recipient.accountDetails.phoneNumber = '1'
      },
      200,
      'INVALID_PHONE_NUMBER'
    ],
    [
      (body) => {
        const accountOf = (phoneNumber: string, provider: string): object => ({
          type: 'MMO',
          accountDetails: { phoneNumber, provider }
        })
        Object.assign(body, {
          amount: '1000',
          currency: 'XOF',
          payer: accountOf('221773456789', 'ORANGE_SEN'),
          splits: [
            {
              payoutId: body.splits[0].payoutId,
              amount: '500',
              recipient: accountOf('2250701020304', 'ORANGE_CIV')
            }
          ]
        })
      },
      400,
      'INVALID_PARAMETER'
    ],
    [
      (body) => {
        body.splits[1].payoutId = body.splits[0].payoutId
      },
      400,
      'INVALID_PARAMETER'
    ],
    [
      (body) => {
        body.splits = []
      },
      400,
      'INVALID_PARAMETER'
    ],
    [
      (body) => {
        delete body.splits
      },
      400,
      'MISSING_PARAMETER'
    ]
  ]
  for (const [change, status, failureCode] of wrongs) {
    const body = requests.v2.splitPayment!()
    change(body)
    t.match(
      await mock.call('POST', '/v2/split-payments', body),
      {
        status,
        body: {
          splitPaymentId: body.splitPaymentId,
          status: 'REJECTED',
          failureReason: { failureCode }
        }
      },
      failureCode
    )
  }
})

t.test('the identifiers of a split payment must be free', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const depositId = await completedDeposit(mock)
  const split = but(requests.v2.splitPayment!(), 'splitPaymentId', depositId)
  t.equal(
    (await mock.call('POST', '/v2/split-payments', split)).body.status,
    'ACCEPTED',
    'a deposit may have the same'
  )
  const deposit = but(requests.v2.deposit!(), 'depositId', split.splits[0].payoutId)
  t.equal((await mock.call('POST', '/v2/deposits', deposit)).body.status, 'ACCEPTED')
  const taken = but(requests.v2.payout!(), 'payoutId', split.splits[0].payoutId)
  t.equal(
    (await mock.call('POST', '/v2/payouts', taken)).body.status,
    'DUPLICATE_IGNORED',
    'its payouts are taken from the start'
  )
  t.match(await mock.call('POST', '/v2/split-payments', but(split, 'splitPaymentId', id())), {
    status: 400,
    body: { failureReason: { failureMessage: /already used/ } }
  })
  t.match(await settled(mock, '/v2/split-payments', depositId), {
    status: 'COMPLETED',
    splits: [{ status: 'COMPLETED' }, { status: 'COMPLETED' }]
  })
})

t.test('a provider that closes before the payouts of a split payment fails them', async (t) => {
  for (const [provider, ends] of [
    ['MTN_MOMO_ZMB', ['COMPLETED', 'FAILED']],
    ['both', ['FAILED', 'FAILED']]
  ] as const) {
    const mock = await build(t, {
      clock: 'frozen',
      accounts: [{ name: 'default', wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '0' }] }]
    })
    const body = requests.v2.splitPayment!()
    await mock.call('POST', '/v2/split-payments', body)
    for (const name of provider === 'both' ? ['MTN_MOMO_ZMB', 'AIRTEL_OAPI_ZMB'] : [provider]) {
      await mock.call('PUT', `/__admin/providers/${name}`, { PAYOUT: 'CLOSED' })
    }
    const record = await settled(mock, '/v2/split-payments', body.splitPaymentId)
    t.equal(record.status, 'PAYOUT_FAILED')
    t.strictSame(
      record.splits.map(({ status }: any) => status),
      ends
    )
    t.match(record.splits[1].failureReason, {
      failureCode: 'UNSPECIFIED_FAILURE',
      failureMessage: /CLOSED/
    })
    t.equal(
      (await mock.call('GET', '/v2/wallet-balances?country=ZMB')).body.balances[0].balance,
      provider === 'both' ? '15.00' : '5.00',
      'what was not paid out stays'
    )
  }
  const delayed = await openSandbox(t, { clock: 'frozen' })
  const body = requests.v2.splitPayment!()
  await delayed.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  await delayed.call('POST', '/v2/split-payments', body)
  t.match(await settled(delayed, '/v2/split-payments', body.splitPaymentId), {
    status: 'PROCESSING',
    splits: [{ status: 'COMPLETED' }, { status: 'ENQUEUED' }]
  })
  await delayed.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' })
  t.equal((await settled(delayed, '/v2/split-payments', body.splitPaymentId)).status, 'COMPLETED')
})

t.test('split payments can be disabled', async (t) => {
  const mock = await build(t, {
    accounts: [{ name: 'default', operations: ['DEPOSIT', 'PAYOUT'] }]
  })
  const body = requests.v2.splitPayment!()
  t.match(await mock.call('POST', '/v2/split-payments', body), {
    status: 403,
    body: {
      splitPaymentId: body.splitPaymentId,
      status: 'REJECTED',
      failureReason: { failureCode: 'SPLIT_PAYMENTS_NOT_ALLOWED' }
    }
  })
})

t.test('the redirect flow calls back with the authorisation URL', async (t) => {
  const merchant = await receiver(t)
  const mock = await build(t, { callbackUrl: merchant.url, clock: 'frozen' })
  const urls = { successfulUrl: 'https://shop.example/ok', failedUrl: 'https://shop.example/no' }
  const body: Record<string, any> = {
    ...but(requests.v2.deposit!(), 'payer.accountDetails', {
      phoneNumber: '221773456789',
      provider: 'WAVE_SEN'
    }),
    currency: 'XOF',
    amount: '500',
    ...urls
  }
  const first = merchant.next()
  t.match((await mock.call('POST', '/v2/deposits', body)).body, {
    status: 'ACCEPTED',
    nextStep: 'GET_AUTH_URL'
  })
  await mock.call('POST', '/__admin/clock/advance', { by: '100ms' })
  t.match((await first).body, {
    status: 'PROCESSING',
    nextStep: 'REDIRECT_TO_AUTH_URL',
    authorizationUrl: /^http/,
    ...urls
  })
  t.match(await look(mock, '/v2/deposits', body.depositId), {
    status: 'PROCESSING',
    nextStep: 'REDIRECT_TO_AUTH_URL',
    authorizationUrl: /^http/,
    ...urls
  })
  const { authorizationUrl } = await look(mock, '/v2/deposits', body.depositId)
  const { pathname } = new URL(authorizationUrl)
  const last = merchant.next()
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  t.match((await last).body, { status: 'COMPLETED', depositId: body.depositId })
  t.match(
    await mock.call('GET', pathname),
    { status: 200, body: { depositId: body.depositId, status: 'COMPLETED', ...urls } },
    'its link leads somewhere'
  )
  const page = await mock.app.http.inject({ url: pathname, headers: { accept: 'text/html' } })
  t.match(page.body, 'href="https://shop.example/ok"')
  t.match(await mock.call('GET', '/authorise/nonsense'), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } }
  })
})
