import t, { type Test } from 'tap'
import { connectMomock, MomockError, type Momock, type MomockClient } from '../../src/index.ts'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { receiver } from '../support/helper.ts'
import { serve } from '../support/process.ts'
import { createMomock } from '../support/momock.ts'

const deposit = () =>
  but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')

async function pay ({ url, token }: MomockClient, body = deposit()): Promise<string> {
  const response = await fetch(`${url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  const { status } = (await response.json()) as { status: string }
  if (status !== 'ACCEPTED') throw new Error(`${status}`)
  return body.depositId
}

/** The same story, whether the mock is in this process or in another. */
const places: Array<
  [where: string, open: (t: Test, callbackUrl: string) => Promise<MomockClient>]
> = [
  [
    'in this process',
    async (t, callbackUrl) => {
      const mock: Momock = await createMomock({ port: 0, clock: 'frozen', callbackUrl })
      t.teardown(() => mock.close())
      return mock
    }
  ],
  [
    'in another',
    async (t, callbackUrl) => {
      const { ready } = await serve(t, [
        '--clock',
        'frozen',
        '--callback-url',
        callbackUrl,
        '--admin-token',
        'secret'
      ])
      return connectMomock(`${ready.url}/`, ready.token, { adminToken: 'secret' })
    }
  ]
]

for (const [where, open] of places) {
  t.test(`the client controls a mock ${where}`, async (t) => {
    const merchant = await receiver(t)
    const mock = await open(t, merchant.url)
    const id = await pay(mock)
    t.match(await mock.advance('15m'), { mode: 'frozen', transitions: 2, callbacks: 1 })
    t.match(await mock.wait('deposit', id), { status: 'COMPLETED', scenario: 'default' })
    t.match(await mock.wait('deposit', id, 'acknowledged'), {
      callbacks: [{ state: 'ACKNOWLEDGED' }]
    })
    t.match(await mock.callbacks(), [{ paymentId: id, attempts: [{ status: 200 }] }])
    t.match(await mock.callbacks({ state: 'PENDING' }), { length: 0 })
    t.match(
      await mock.scenario({
        when: { kind: 'deposit' },
        script: [
          { after: '1s', to: 'PROCESSING' },
          { after: '1m', to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }
        ],
        times: 1
      }),
      { name: /^scenario-\d+$/, used: 0, remaining: 1 }
    )
    const failing = await pay(mock)
    await mock.advance({ until: 'idle' })
    t.match(await mock.payment('deposit', failing), {
      status: 'FAILED',
      history: [{}, {}, { failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' } }]
    })
    const [used] = await mock.scenarios()
    t.match(used, { used: 1, remaining: 0 })
    await mock.removeScenario(used.name)
    t.strictSame(
      (await mock.payments({ status: 'FAILED' })).map(({ id }) => id),
      [failing]
    )
    t.match(await mock.provider('MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' }), {
      operationTypes: { DEPOSIT: 'CLOSED' }
    })
    await t.rejects(pay(mock), /REJECTED/)
    const other = mock.as('sandbox-client')
    t.match(await other.setClock({ mode: 'frozen', now: '2026-01-01T00:00:00Z' }), {
      now: '2026-01-01T00:00:00.000Z'
    })
    const moved = await pay(other)
    t.match(await other.move('deposit', moved, 'FAILED', 'INSUFFICIENT_BALANCE'), {
      status: 'FAILED'
    })
    t.strictSame(
      (await other.payments()).map(({ id }) => id),
      [moved]
    )
    t.not((await mock.clock()).now, (await other.clock()).now)
    await mock.orderSink('shop', [500])
    t.match(await mock.sink('shop'), { received: 0, url: /\/__admin\/sink\/shop$/ })
    const refused = await mock.wait('deposit', moved).catch((error: unknown) => error)
    t.ok(refused instanceof MomockError)
    t.match(refused, {
      status: 404,
      code: 'NOT_FOUND',
      message: /^POST \/__admin\/wait: there is no deposit .* \(send the token of/
    })
  })
}

for (const [where, open] of places) {
  const options = where === 'in another' ? long : {}
  t.test(`the client has every admin call, for a mock ${where}`, options, async (t) => {
    const merchant = await receiver(t)
    const mock = await open(t, merchant.url)
    const called = listen(mock)
    const id = await pay(mock)
    await mock.advance({ until: 'idle' })

    t.match(await mock.requests({ method: 'POST', body: { depositId: id } }), [
      {
        operation: 'v2InitiateDeposit',
        response: { status: 200 },
        payments: [{ kind: 'deposit', id }]
      }
    ])
    t.equal(await mock.count({ path: '/v2/deposits' }), 1)
    await fetch(`${mock.url}/v2/depositz`, { headers: { authorization: `Bearer ${mock.token}` } })
    t.match(await mock.unmatchedRequests(), [{ matched: false, request: { path: '/v2/depositz' } }])
    t.ok((await mock.testNumbers()).length > 100)
    t.match(await mock.example({ kind: 'payout' }), { path: '/v2/payouts' })
    t.ok(Array.isArray(await mock.rates()))
    t.match((await mock.codes())[0], { code: 'PAYER_NOT_FOUND', customer: { en: /wallet/ } })
    t.match(await mock.refusedRequests(), [{ nearest: { path: '/v2/deposits' } }])
    t.match(
      await mock.verify([
        { request: { path: '/v2/deposits' }, count: 1 },
        { callback: { paymentId: id, body: { status: 'COMPLETED' } } }
      ]),
      { passed: true, failed: { length: 0 } }
    )
    t.match(
      await mock.verify([
        {
          name: 'no money back',
          inOrder: [{ callback: { kind: 'deposit' } }, { request: { path: '/v2/refunds' } }]
        }
      ]),
      { passed: false, failed: [{ index: 0, name: 'no money back' }] }
    )
    t.match(await mock.waitForRequest({ path: '/v2/deposits' }), { payments: [{ id }] })
    t.match(await mock.waitForCallback({ paymentId: id }), { state: 'ACKNOWLEDGED' })
    t.match(await mock.waitForPayment({ kind: 'deposit' }), { id })
    await mock.forgetRequests()
    t.same(await mock.requests(), [])

    t.match(await mock.coverage({ min: 99, version: 'v2', groups: ['kinds'] }), {
      passed: false,
      min: 99,
      groups: [{ name: 'kinds', exercised: ['v2 deposit'] }]
    })
    t.match(await mock.coverageReport({ min: 1 }), /^<\?xml [\s\S]*<testsuites/)
    t.match(await mock.lint({ ignore: ['unknown-path'] }), {
      passed: true,
      findings: { length: 0 }
    })
    t.match(await mock.lintReport(), /^<\?xml [\s\S]*<testsuites/)
    t.match(await mock.metrics(), /^# TYPE momock_payments gauge/m)
    t.match(await mock.invariants(), { hold: true })

    t.match(await mock.snapshot('paid'), { name: 'paid', payments: 1, clock: { mode: 'frozen' } })
    await mock.provider('MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
    t.match(await mock.providers(), [
      { provider: 'MTN_MOMO_ZMB', operationTypes: { PAYOUT: 'DELAYED' } }
    ])
    const { now } = await mock.advance('1h')
    t.match(await mock.reset({ keep: ['clock'] }), { kept: ['clock'] })
    t.same([await mock.payments(), await mock.providers(), (await mock.clock()).now], [[], [], now])
    t.ok((await mock.reset()).reset.includes('clock'))
    t.match(await mock.restore('paid'), { payments: 1 })
    t.match(await mock.payments(), [{ id, status: 'COMPLETED' }])
    t.match(await mock.snapshots(), [{ name: 'paid' }])
    const file = await mock.exportSnapshot('paid')
    t.match(await mock.importSnapshot('copy', new Uint8Array(file)), { name: 'copy', payments: 1 })
    await mock.deleteSnapshot('copy')
    await mock.deleteSnapshot('paid')
    t.same(await mock.snapshots(), [])

    t.match(await mock.setWallet('ZMB', 'ZMW', '500'), { available: '500.00' })
    t.match(await mock.topUpWallet('ZMB', 'ZMW', '0.5'), { available: '500.50' })
    t.match(await mock.wallets({ country: 'ZMB' }), [{ available: '500.50', used: true }])

    const shop = await mock.createAccount({ name: 'corner-shop', companyName: 'Corner Shop' })
    t.match(await shop.account(), {
      name: 'corner-shop',
      origin: 'admin',
      settings: { companyName: 'Corner Shop' }
    })
    called.push(...listen(shop))
    t.match(await mock.accounts(), [
      { name: 'default', payments: 1 },
      { name: 'corner-shop', tokens: [shop.token], payments: 0 }
    ])
    t.match(await mock.configure({ callbacks: { payouts: null }, approval: 'phone' }), {
      patched: ['callbacks', 'approval']
    })
    t.equal((await mock.account()).settings.callbacks?.payouts, undefined)
    await mock.deleteAccount('corner-shop')
    t.match(
      (await mock.accounts()).map(({ name }) => name),
      ['default']
    )

    const asking = requests.v2.deposit!()
    const phoneNumber = asking.payer.accountDetails.phoneNumber
    await pay(mock, asking)
    await mock.advance('1s')
    t.match(await mock.phone(phoneNumber), { prompts: [{ depositId: asking.depositId }] })
    t.match(await mock.answerPhone(phoneNumber, asking.depositId, 'approve'), {
      prompts: { length: 0 },
      messages: [{ id: asking.depositId, status: 'COMPLETED' }]
    })

    await mock.configure({ callbacks: { deposits: (await mock.sink('till')).url } })
    t.match(await mock.orderSink('till', { then: { status: 201 } }), {
      answers: { length: 0 },
      then: { status: 201, delayMs: 0 }
    })
    await mock.resendCallback((await mock.callbacks())[0].id)
    const last = requests.v2.deposit!()
    await pay(mock, last)
    await mock.move('deposit', last.depositId, 'FAILED', 'PAYMENT_NOT_APPROVED')
    await mock.advance({ until: 'next' })
    await mock.advance({ until: 'idle' })
    const {
      callbacks: [told]
    } = await mock.sink('till')
    t.match(told, { body: { status: 'FAILED' }, answered: 201, signature: { valid: true } })
    await mock.emptySink('till')
    t.equal((await mock.sink('till')).received, 0)
    t.match(
      await mock.explainSignature({
        method: told.method,
        url: `${mock.url}${told.path}`,
        headers: told.headers as Record<string, string>,
        body: JSON.stringify(told.body),
        at: '2026-01-31T12:00:00Z'
      }),
      { valid: true, problems: { length: 0 } }
    )
    t.match(await mock.sendCallback('deposit', last.depositId, { stale: true }), {
      status: 'FAILED'
    })
    t.match(await mock.signCallback({ url: `${mock.url}/till`, body: '{}' }), {
      method: 'POST',
      body: '{}',
      headers: { signature: /^sig-pp=:/ }
    })
    const ordered = { answers: [{ delayMs: 1000 }], then: {} }
    t.same(await mock.orderStatusChecks({ answers: [{ delay: '1s' }] }), ordered)
    t.same(await mock.statusChecks(), ordered)
    await mock.orderStatusChecks({})
    t.same(await mock.setAsidePayments(), [])
    await t.rejects(mock.retrySetAside(1), /was set aside/)
    const { signing, keys } = await mock.rotateKeys()
    t.ok(keys.some(({ id }) => id === signing))

    t.ok((await mock.bundle()).length > 100)
    t.match(await mock.paymentCounts({ kind: 'deposit' }), { complete: true })
    t.match(await mock.payment('deposit', id), { id })
    t.match(await mock.wait('deposit', id), { id })
    const { name } = await mock.scenario({ reject: 'INVALID_AMOUNT' })
    t.match(await mock.scenarios(), [{ name }])
    t.match(await mock.checkScenario('when: { kind: deposit }\nscript: phone'), { valid: true })
    await mock.removeScenario(name)
    t.match(await mock.send('payout'), { status: 200 })
    await mock.setClock({ mode: 'running' })
    const stop = new AbortController()
    const events = mock.events({ signal: stop.signal, onOpen: () => stop.abort() })
    t.match(await events.next(), { done: true })

    const { paths } = await mock.call<{ paths: Record<string, object> }>('GET', '/openapi.json')
    const known = Object.entries(paths)
      .flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
      )
      .filter((call) => call.includes(' /__admin/'))
    const isCalled = (call: string): boolean =>
      called.some((one) => new RegExp(`^${call.replace(/\{\w+\}/g, '[^/]+')}$`).test(one))
    t.same(
      known.filter((call) => !isCalled(call)).sort(),
      withoutMethod.toSorted(),
      'nothing is forgotten'
    )
  })
}

/**
 * Operations without a client method: pages, files, calls of the exam and of servers, and calls
 * that another method covers.
 */
const withoutMethod = [
  'GET /__admin/ca.pem',
  'GET /__admin/docs',
  'GET /__admin/docs/guide',
  'GET /__admin/exam',
  'GET /__admin/health',
  'GET /__admin/overview',
  'GET /__admin/ready',
  // `momock listen` makes them.
  'DELETE /__admin/listeners/{id}',
  'GET /__admin/listeners',
  'GET /__admin/listeners/{id}/callbacks',
  'POST /__admin/listeners',
  'POST /__admin/listeners/{id}/answers',
  'GET /__admin/phone/{phoneNumber}/events',
  'GET /__admin/snapshots/{name}',
  'POST /__admin/sink/{name}',
  'PUT /__admin/exam/report'
]

/** Every call that a client makes from now on. */
function listen (client: MomockClient): string[] {
  const called: string[] = []
  const call = client.call.bind(client) as (
    method: string,
    path: string,
    body?: unknown
  ) => Promise<any>
  client.call = async (method: string, path: string, body?: unknown) => {
    called.push(`${method} /__admin${path.split('?')[0]}`)
    return await call(method, path, body)
  }
  const bundle = client.bundle.bind(client)
  client.bundle = () => {
    called.push('GET /__admin/bundle')
    return bundle()
  }
  const exportSnapshot = client.exportSnapshot.bind(client)
  client.exportSnapshot = (name) => {
    called.push(`GET /__admin/snapshots/${name}/file`)
    return exportSnapshot(name)
  }
  const events = client.events.bind(client)
  client.events = (options) => {
    called.push('GET /__admin/events')
    return events(options)
  }
  return called
}

t.test('lists of the client contain all pages', long, async (t) => {
  const mock = await createMomock({ clock: 'frozen', journal: 2000 })
  t.teardown(mock.close)
  const ids: string[] = []
  for (let batch = 0; batch < 11; batch++) {
    ids.push(...(await Promise.all(Array.from({ length: 100 }, () => pay(mock)))))
  }
  t.equal((await mock.payments()).length, 1100)
  t.equal((await mock.payments({ limit: 3 })).length, 3)
  t.same(new Set((await mock.requests()).map(({ id }) => id)).size, 1100)
})

t.test('the token of a mock can initiate', async (t) => {
  for (const tokens of [
    [{ token: 'own' }],
    [{ token: 'reader', allow: ['read' as const] }, { token: 'payer' }],
    []
  ]) {
    const mock = await createMomock({ accounts: [{ name: 'default', tokens }] })
    t.teardown(() => mock.close())
    t.ok(await pay(mock), mock.token)
  }
})

t.test('an unknown setting is named', async (t) => {
  await t.rejects(
    createMomock({ prot: 1 } as object),
    /prot is not supported here; did you mean port\?/
  )
})

t.test('an option that is undefined is not given', async (t) => {
  const [port, seed, onUnmatched] = [undefined, undefined, undefined]
  await using mock = await createMomock({ port, seed, onUnmatched, tls: undefined })
  t.not(new URL(mock.url).port, '7070', 'the port is any free one')
  t.ok(await pay(mock))
})

t.test('an example request is sent, and any answer is returned', async (t) => {
  await using mock = await createMomock({ clock: 'frozen' })
  t.match(await mock.send('payout', { amount: '7', version: 'v1' }), {
    status: 200,
    request: { path: '/payouts', body: { amount: '7' } },
    body: { status: 'ACCEPTED' }
  })
  const { id, status, body } = await mock.send('deposit', { provider: 'MTN_MOMO_RWA' })
  t.match({ status, body }, { status: 200, body: { depositId: id, status: 'ACCEPTED' } })
  await mock.advance('1m')
  t.match(await mock.payment('deposit', id), { status: 'COMPLETED', provider: 'MTN_MOMO_RWA' })
  t.match(await mock.send('refund', { depositId: id }), { body: { status: 'ACCEPTED' } })
  await mock.reject('deposit', 'INVALID_AMOUNT', { times: 1 })
  t.match(await mock.send('deposit'), {
    status: 200,
    body: { status: 'REJECTED', failureReason: { failureCode: 'INVALID_AMOUNT' } }
  })
  await mock.refuse('deposit', 503, { times: 1 })
  t.match(await mock.send('deposit'), { status: 503 })
  await mock.loseAnswer('deposit', { times: 1 })
  t.match(await mock.send('deposit'), { status: 504, body: { problem: /^there was no answer/ } })
  const names = (await mock.scenarios()).map(({ name }) => name)
  t.equal(new Set(names).size, 3, 'each scenario got its own name')
})
