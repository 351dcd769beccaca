import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, folder, id, testMachine, until } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, prefix, requests } from '../support/examples.ts'

const number = '260763459993'
const deposit = () => but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)

t.test('added scenarios apply newest first, until they are used up', async (t) => {
  const { call } = await build(t, {}, testMachine())
  const add = (rule: object, headers?: Record<string, string>) =>
    call('POST', '/__admin/scenarios', rule, headers)
  t.match(await add({ name: 'first', when: { kind: 'deposit' }, reject: 'INVALID_AMOUNT' }), {
    status: 201,
    body: { name: 'first', used: 0 }
  })
  t.match(
    await add({ name: 'second', when: { kind: 'deposit' }, reject: 'INVALID_CURRENCY', times: 2 }),
    { status: 201, body: { remaining: 2 } }
  )
  const code = async (headers?: Record<string, string>) =>
    (await call('POST', '/v2/deposits', deposit(), headers)).body.failureReason?.failureCode
  t.strictSame(
    [await code(), await code(), await code()],
    ['INVALID_CURRENCY', 'INVALID_CURRENCY', 'INVALID_AMOUNT']
  )
  t.equal(
    await code({ authorization: 'Bearer sandbox-other' }),
    undefined,
    'another account has none of it'
  )
  const body = requests.v2.deposit!()
  t.equal(
    (await call('POST', '/v2/deposits', body)).body.failureReason.failureCode,
    'INVALID_AMOUNT',
    'before test numbers'
  )
  t.match((await call('GET', '/__admin/scenarios')).body.scenarios, [
    { name: 'second', used: 2, remaining: 0 },
    { name: 'first', used: 2 }
  ])
  t.equal((await call('DELETE', '/__admin/scenarios/first')).status, 204)
  t.equal(await code(), undefined)
  t.match(await call('DELETE', '/__admin/scenarios/first'), {
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: /first/, hint: /GET/ } }
  })
  t.equal(
    (await call('POST', '/v2/deposits', deposit(), { 'x-momock-scenario': 'second' })).body.status,
    'ACCEPTED',
    'used up, so as good as not named'
  )
  await add({ name: 'second', reject: 'INVALID_CURRENCY', times: 1 })
  t.equal(await code({ 'x-momock-scenario': 'second' }), 'INVALID_CURRENCY')
  t.match(
    (await call('GET', '/__admin/scenarios')).body.scenarios,
    [{ name: 'second', used: 1, remaining: 0 }],
    'a use by name counts'
  )
})

t.test('a wrong scenario is refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const [rule, says] of [
    [{ name: 'a b', reject: 'INVALID_AMOUNT' }, /name must be/],
    [{ name: 'a' }, /one of script, fail, sequence, reject and http/],
    [
      { name: 'a', script: [{ after: '1s', to: 'COMPLETED' }] },
      /script\.0\.to: a deposit cannot go/
    ],
    [
      { name: 'a', script: [{ after: 'soon', to: 'PROCESSING' }] },
      /script\.0\.after must be a duration/
    ],
    [{ name: 'a', whn: {} }, /did you mean when\?/]
  ] as const) {
    t.match(await call('POST', '/__admin/scenarios', rule), {
      status: 400,
      body: { error: { code: 'BAD_REQUEST', message: says } }
    })
  }
  t.match(await call('POST', '/__admin/scenarios', '{'), {
    status: 400,
    body: { error: { code: 'BAD_REQUEST' } }
  })
  t.match(await call('PATCH', '/__admin/scenarios'), {
    status: 405,
    body: { error: { code: 'METHOD_NOT_ALLOWED', hint: /POST or GET/ } }
  })
  t.match(await call('GET', '/__admin/scenario'), {
    status: 404,
    body: { error: { message: /did you mean GET \/__admin\/scenarios\?/ } }
  })
  t.match(await call('GET', '/__admin/scenarios', undefined, { authorization: 'Bearer nobody' }), {
    status: 401,
    body: { error: { code: 'UNAUTHORIZED' } }
  })
})

t.test('an Authorization header without a bearer token is refused', async (t) => {
  const { app, call } = await build(t)
  for (const authorization of ['sandbox-x', 'Bearer ', 'Bearer', 'Token x', 'Bearer a b', '']) {
    t.match(
      await call('GET', '/__admin/account', undefined, { authorization }),
      {
        status: 401,
        body: {
          error: { code: 'UNAUTHORIZED', message: /not a bearer token/, hint: /Bearer TOKEN/ }
        }
      },
      `'${authorization}'`
    )
  }
  t.equal((await app.http.inject('/__admin/account')).json().name, 'default', 'where there is none')
})

t.test('a path that cannot be decoded is refused in the format of its API', async (t) => {
  const { call } = await openSandbox(t)
  t.match(await call('GET', '/__admin/payments/deposit/%zz'), {
    status: 400,
    body: { error: { code: 'BAD_REQUEST', message: /%zz/, hint: /%25/ } }
  })
  t.match(await call('POST', '/__admin/snapshots', { name: '..' }), {
    status: 400,
    body: { error: { message: /name must be .* not \. or \.\./ } }
  })
  t.match(await call('GET', '/v2/deposits/%zz'), {
    status: 400,
    body: { failureReason: { failureCode: 'INVALID_INPUT' } }
  })
})

t.test('the admin token protects every admin call', async (t) => {
  const { call } = await build(t, { adminToken: 'secret' })
  for (const headers of [
    {},
    { 'x-momock-admin-token': 'wrong!' },
    { 'x-momock-admin-token': 'secrets' }
  ] as Array<Record<string, string>>) {
    for (const path of ['/__admin/scenarios', '/__admin/reset', '/__admin/nothing']) {
      t.match(
        await call('GET', path, undefined, headers),
        { status: 401, body: { error: { code: 'UNAUTHORIZED', hint: /MOMOCK_ADMIN_TOKEN/ } } },
        path
      )
    }
  }
  t.equal(
    (await call('GET', '/__admin/scenarios', undefined, { 'x-momock-admin-token': 'secret' }))
      .status,
    200
  )
  t.equal((await call('GET', '/__admin/health')).status, 200, 'health needs none')
})

t.test('an outage is consistent in all answers', async (t) => {
  const { call } = await build(t)
  const put = (states: object, headers?: Record<string, string>) =>
    call('PUT', '/__admin/providers/MTN_MOMO_ZMB', states, headers)
  t.match((await put({ DEPOSIT: 'CLOSED', PAYOUT: 'DELAYED', REMITTANCE: 'DELAYED' })).body, {
    operationTypes: {
      DEPOSIT: 'CLOSED',
      PAYOUT: 'DELAYED',
      REFUND: 'OPERATIONAL',
      REMITTANCE: 'DELAYED'
    }
  })
  t.match(await call('POST', '/v2/deposits', deposit()), {
    status: 200,
    body: {
      status: 'REJECTED',
      failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE', failureMessage: /CLOSED/ }
    }
  })
  t.match((await call('POST', '/deposits', requests.v1.deposit!())).body, {
    rejectionReason: { rejectionCode: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE' }
  })
  t.equal(
    (await call('POST', '/v2/deposits', deposit(), { authorization: 'Bearer sandbox-other' })).body
      .status,
    'ACCEPTED',
    'another account knows nothing of it'
  )

  const waiting = {
    v2: requests.v2.payout!(),
    v1: requests.v1.payout!(),
    cancelled: requests.v2.payout!()
  }
  t.equal((await call('POST', '/v2/payouts', waiting.v2)).body.status, 'ACCEPTED')
  t.equal((await call('POST', '/payouts', waiting.v1)).body.status, 'ENQUEUED')
  t.equal((await call('POST', '/v2/payouts', waiting.cancelled)).body.status, 'ACCEPTED')
  const status = async (payoutId: string) =>
    (await call('GET', `/v2/payouts/${payoutId}`)).body.data
  for (const { payoutId } of Object.values(waiting)) {
    t.equal((await status(payoutId)).status, 'ENQUEUED')
  }
  t.equal((await call('GET', `/payouts/${waiting.v1.payoutId}`)).body[0].status, 'ENQUEUED')
  t.strictSame(
    (await call('POST', `/v2/payouts/fail-enqueued/${waiting.cancelled.payoutId}`)).body,
    { payoutId: waiting.cancelled.payoutId, status: 'ACCEPTED' }
  )
  t.match(await status(waiting.cancelled.payoutId), {
    status: 'FAILED',
    failureReason: { failureCode: 'MANUALLY_CANCELLED' }
  })
  t.match((await call('POST', `/v2/payouts/fail-enqueued/${waiting.cancelled.payoutId}`)).body, {
    status: 'REJECTED',
    failureReason: { failureCode: 'INVALID_STATE' }
  })

  t.match((await put({ PAYOUT: 'OPERATIONAL' })).body, { released: 2 })
  for (const { payoutId } of [waiting.v1, waiting.v2]) {
    await until(
      () => status(payoutId),
      ({ status }) => status === 'COMPLETED'
    )
  }
  t.equal((await status(waiting.cancelled.payoutId)).status, 'FAILED')

  await put({ PAYOUT: 'CLOSED' })
  t.match((await call('POST', '/v2/payouts', requests.v2.payout!())).body, {
    failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' }
  })
  t.match(await call('PUT', '/__admin/providers/MTN_MOMO_ZM', { DEPOSIT: 'CLOSED' }), {
    status: 404,
    body: { error: { hint: 'did you mean MTN_MOMO_ZMB?' } }
  })
  t.match(await put({ DEPOSIT: 'DOWN' }), {
    status: 400,
    body: { error: { message: /OPERATIONAL, DELAYED, CLOSED/ } }
  })
  t.match(await put({ DEPOSITS: 'CLOSED' }), {
    status: 400,
    body: { error: { message: /did you mean DEPOSIT\?/ } }
  })
})

t.test('an enqueued payment of every kind can be cancelled', async (t) => {
  const { call } = await openSandbox(t)
  const depositId = await (async () => {
    const body = requests.v2.deposit!()
    await call('POST', '/v2/deposits', body)
    await until(
      async () => (await call('GET', `/v2/deposits/${body.depositId}`)).body.data,
      ({ status }) => status === 'COMPLETED'
    )
    return body.depositId
  })()
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', {
    PAYOUT: 'DELAYED',
    REFUND: 'DELAYED',
    REMITTANCE: 'DELAYED'
  })
  for (const [version, kind, path] of [
    ['v2', 'payout', 'payouts'],
    ['v1', 'payout', 'payouts'],
    ['v2', 'refund', 'refunds'],
    ['v2', 'remittance', 'remittances']
  ] as const) {
    const body = requests[version][kind]!()
    if (kind === 'refund') body.depositId = depositId
    const own = body[`${kind}Id`]
    await call('POST', `${prefix[version]}/${path}`, body)
    t.strictSame((await call('POST', `${prefix[version]}/${path}/fail-enqueued/${own}`)).body, {
      [`${kind}Id`]: own,
      status: 'ACCEPTED'
    })
    t.match((await call('GET', `/v2/${path}/${own}`)).body.data, {
      status: 'FAILED',
      failureReason: { failureCode: 'MANUALLY_CANCELLED' }
    })
  }
  t.match(
    (await call('DELETE', `/v2/payouts/fail-enqueued/${id()}`)).status,
    404,
    'a client that uses the wrong method sees it'
  )
})

t.test('an error for one element of a bulk request applies to the whole request', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const bulks = [
    ['v1', 'payouts', requests.v1.payout!],
    ['v2', 'payouts', requests.v2.payout!],
    ['v2', 'remittances', requests.v2.remittance!]
  ] as const
  for (const [version, path, make] of bulks) {
    for (const status of [500, 503, 429]) {
      await call('POST', '/__admin/scenarios', { name: 'down', http: { status }, times: 1 })
      const [one, two] = [make(), make()]
      const answer = await call('POST', `${prefix[version]}/${path}/bulk`, [one, two])
      t.equal(answer.status, status, `${version} ${path}`)
      t.ok(
        version === 'v1' ? answer.body.errorMessage : answer.body.failureReason,
        'in its own words'
      )
      t.match(
        (await call('POST', `${prefix[version]}/${path}/bulk`, [one, two])).body,
        [{ status: 'ACCEPTED' }, { status: /ACCEPTED|DUPLICATE_IGNORED/ }],
        'and a retry goes through'
      )
    }
  }
})

t.test('enqueued payments continue when their provider recovers', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const set = (PAYOUT: string) => call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT })
  const payout = requests.v2.payout!()
  const status = async () => {
    await call('POST', '/__admin/clock/advance', { by: '1h' })
    return (await call('GET', `/v2/payouts/${payout.payoutId}`)).body.data.status
  }
  await set('DELAYED')
  await call('POST', '/v2/payouts', payout)
  t.equal(await status(), 'ENQUEUED')
  t.match((await set('CLOSED')).body, { released: 0 })
  t.equal(await status(), 'ENQUEUED', 'closed is not recovered')
  t.match((await set('OPERATIONAL')).body, { released: 1 })
  t.equal(await status(), 'COMPLETED')
})

t.test('a scenario applies to checkout attempts and split payment parts', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  const rule = {
    name: 'once',
    when: { kind: 'deposit' },
    script: [
      { after: 0, to: 'PROCESSING' },
      { after: 0, to: 'FAILED', failureCode: 'PAYER_NOT_FOUND' }
    ],
    times: 1
  }
  const used = async () => (await call('GET', '/__admin/scenarios')).body.scenarios[0].used
  await call('POST', '/__admin/scenarios', rule)
  const { redirectUrl, checkoutId } = (
    await call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back'
    })
  ).body
  const attempt = () =>
    call('POST', `${new URL(redirectUrl).pathname}/attempts`, {
      provider: 'MTN_MOMO_ZMB',
      phoneNumber: number,
      amount: '15'
    })
  const first = await attempt()
  t.equal(first.status, 201, JSON.stringify(first.body))
  await call('POST', '/__admin/clock/advance', { by: '2s' })
  t.equal(await used(), 1)
  await attempt()
  await call('POST', '/__admin/clock/advance', { by: '2s' })
  t.match(
    (await call('GET', `/v2/checkouts/${checkoutId}`)).body,
    { data: { status: 'COMPLETED' } },
    'used up, so the second attempt goes through'
  )
  await call('POST', '/__admin/scenarios', rule)
  const split = requests.v2.splitPayment!()
  await call('POST', '/v2/split-payments', split)
  await call('POST', '/__admin/clock/advance', { by: '5s' })
  t.equal(await used(), 1)
  t.match((await call('GET', `/v2/split-payments/${split.splitPaymentId}`)).body.data, {
    status: 'FAILED'
  })
})

t.test('a pattern is matched in linear time', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  for (const [phoneNumber, fits] of [
    [`${'*'.repeat(60)}1`, false],
    [`${'*?'.repeat(30)}1`, false],
    [`${'*[0-9]'.repeat(6)}3`, true],
    ['2607634*993', true],
    ['26076345999[0-2]', false],
    ['26076345999[0-24]', false],
    ['2607634599?3', true]
  ] as const) {
    await call('POST', '/__admin/scenarios', {
      name: 'pattern',
      when: { phoneNumber },
      reject: 'INVALID_AMOUNT'
    })
    t.equal(
      (await call('POST', '/v2/deposits', deposit())).body.status,
      fits ? 'REJECTED' : 'ACCEPTED',
      phoneNumber
    )
  }
})

t.test('a scenario with per: payment applies to each payment', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  for (const kind of ['deposit', 'payout', 'deposit'] as const) {
    const body = requests.v2[kind]!()
    const answers = []
    for (let n = 0; n < 3; n++) {
      answers.push(
        await call('POST', `/v2/${kind}s`, body, { 'x-momock-scenario': 'error-then-success' })
      )
    }
    t.strictSame(
      answers.map(({ status, body }) => (status === 200 ? body.status : status)),
      [500, 'ACCEPTED', 'DUPLICATE_IGNORED'],
      kind
    )
  }
})

t.test('an advance that waits for a receiver does not make a running clock late', async (t) => {
  const systemClock = testMachine('2026-01-31T12:00:00.000Z')
  const { call } = await build(t, {}, systemClock)
  const advance = call('POST', '/__admin/clock/advance', { by: '1h' })
  systemClock.time += 5000
  await advance
  t.match((await call('GET', '/__admin/clock')).body, { now: '2026-01-31T13:00:05.000Z' })
})

t.test('an unknown scenario name gets the same refusal everywhere', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const headers = { 'x-momock-scenario': 'slow-aproval' }
  const page = { depositId: id(), returnUrl: 'https://shop.example/back', country: 'ZMB' }
  const rows: Array<[path: string, body: unknown]> = [
    ['/v2/deposits', requests.v2.deposit!()],
    ['/deposits', requests.v1.deposit!()],
    ['/v2/deposits', { ...requests.v2.deposit!(), currency: 'EUR' }],
    ['/v2/payouts/bulk', [requests.v2.payout!(), requests.v2.payout!()]],
    ['/payouts/bulk', [requests.v1.payout!()]],
    ['/v2/paymentpage', page],
    ['/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back' }]
  ]
  for (const [path, body] of rows) {
    const { status, body: answer } = await mock.call('POST', path, body, headers)
    t.equal(status, 400, path)
    t.match(
      JSON.stringify(answer),
      /there is no scenario 'slow-aproval'; did you mean 'slow-approval'\?/,
      path
    )
  }
  t.strictSame(
    (await mock.call('GET', '/__admin/payments')).body.payments,
    [],
    'and nothing was made'
  )
  t.match(
    await mock.call('POST', '/v2/payouts/bulk', [requests.v2.payout!()], {
      'x-momock-scenario': 'unknown-payer'
    }),
    { status: 400 },
    'nor one that is for another kind'
  )
})

t.test('a deposit of a payment page uses the scenario of the request', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const page = {
    depositId: id(),
    returnUrl: 'https://shop.example/back',
    country: 'ZMB',
    amountDetails: { amount: '15', currency: 'ZMW' }
  }
  const {
    status,
    body: { redirectUrl }
  } = await mock.call('POST', '/v2/paymentpage', page, {
    'x-momock-scenario': 'insufficient-balance'
  })
  t.equal(status, 201)
  const { pathname } = new URL(redirectUrl)
  const paid = await mock.call(
    'POST',
    pathname,
    { phoneNumber: '260763459993', provider: 'MTN_MOMO_ZMB' },
    { accept: 'application/json' }
  )
  t.ok(paid.status < 300, JSON.stringify(paid.body))
  t.match((await mock.call('GET', `/__admin/payments/deposit/${page.depositId}`)).body, {
    scenario: 'insufficient-balance',
    why: 'X-Momock-Scenario names it'
  })
})

t.test('an added scenario and a file with the same name have separate counts', async (t) => {
  const scenarios = folder(t)
  writeFileSync(
    join(scenarios, 'twice.yaml'),
    'when: { kind: deposit }\nreject: PROVIDER_TEMPORARILY_UNAVAILABLE\ntimes: 1\n'
  )
  const mock = await build(t, { clock: 'frozen', scenarios })
  await mock.call('POST', '/__admin/scenarios', {
    name: 'twice',
    when: { kind: 'deposit' },
    reject: 'AMOUNT_OUT_OF_BOUNDS',
    times: 1
  })
  const codes: string[] = []
  for (let n = 0; n < 3; n++) {
    codes.push(
      (
        await mock.call(
          'POST',
          '/v2/deposits',
          but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')
        )
      ).body.failureReason?.failureCode
    )
  }
  t.strictSame(codes, ['AMOUNT_OUT_OF_BOUNDS', 'PROVIDER_TEMPORARILY_UNAVAILABLE', undefined])
  t.match((await mock.call('GET', '/__admin/scenarios')).body.scenarios, [
    { name: 'twice', used: 1, remaining: 0 }
  ])
})

t.test('the uses of scenario files are counted for each account', async (t) => {
  const { call } = await openSandbox(t)
  const readUses = async (): Promise<number> => {
    const { files } = (await call('GET', '/__admin/scenarios')).body
    return files.find(({ name }: { name: string }) => name === 'insufficient-balance').used
  }
  t.equal(await readUses(), 0)
  const scenario = { 'x-momock-scenario': 'insufficient-balance' }
  const deposit = requests.v2.deposit!()
  for (const uses of [1, 1]) {
    await call('POST', '/v2/deposits', deposit, scenario)
    t.equal(await readUses(), uses, 'a duplicate is not a use')
  }
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  t.equal(await readUses(), 1, 'other payments do not count')
})

t.test('a replaced scenario starts its counts again', async (t) => {
  const mock = await openSandbox(t, { clock: 'frozen' })
  const rule = {
    name: 'once-each',
    when: { kind: 'deposit' },
    http: { status: 500 },
    times: 1,
    per: 'payment'
  }
  const body = requests.v2.deposit!()
  const statuses: number[] = []
  for (let n = 0; n < 2; n++) {
    t.equal((await mock.call('POST', '/__admin/scenarios', rule)).status, 201)
    statuses.push((await mock.call('POST', '/v2/deposits', body)).status)
  }
  t.strictSame(statuses, [500, 500])
})
