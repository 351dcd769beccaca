import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { CallbackAttempts } from '../../db/callback-attempts.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build, patient, receiver, testMachine, until, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { readMetrics } from '../support/servers.ts'
import { arrived, isFresh, isGood, keysOf, merchant } from '../support/merchant.ts'

const number = '260763459993'
const deposit = () => but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
const listed = async ({ call }: Client, query = '') =>
  (await call('GET', `/__admin/callbacks${query}`)).body.callbacks
const advance = ({ call }: Client, by: string) => call('POST', '/__admin/clock/advance', { by })

/** A server with any behaviour. */
async function server (
  t: Test,
  handle: (request: IncomingMessage, response: ServerResponse) => void
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => handle(request, response))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

t.test('every attempt is stored with its request, answer and duration', async (t) => {
  const answers: Array<[number, string]> = [
    [500, 'x'.repeat(5000)],
    [503, 'later'],
    [200, 'thanks']
  ]
  const url = await server(t, (_, response) => {
    const [status, body] = answers.shift()!
    response.writeHead(status, { 'x-shop': 'yes' }).end(body)
  })
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  t.strictSame(await listed(mock), [], 'none before it is final')
  await advance(mock, '1s')
  const [pending] = await listed(mock)
  t.match(pending, {
    kind: 'deposit',
    paymentId: body.depositId,
    url,
    state: 'PENDING',
    tries: 1,
    body: { depositId: body.depositId, status: 'COMPLETED' }
  })
  const [first] = pending.attempts
  t.equal(
    Date.parse(pending.nextAttempt) - Date.parse(first.at),
    1000,
    'tried again a second after it was tried'
  )
  t.match(first, {
    status: 500,
    request: { headers: { signature: /^sig-pp=/, 'content-digest': /^sha-512=/ } },
    response: { headers: { 'x-shop': 'yes' }, body: 'x'.repeat(2048) }
  })
  t.equal(first.response.body.length, 2048, 'the first 2 KiB')
  t.strictSame(JSON.parse(first.request.body), pending.body)
  t.ok(first.durationMs >= 0)
  await advance(mock, '5s')
  const [done] = await listed(mock)
  t.match(done, {
    state: 'ACKNOWLEDGED',
    tries: 3,
    attempts: [
      { status: 500 },
      { status: 503, response: { body: 'later' } },
      { status: 200, response: { body: 'thanks' } }
    ]
  })
  t.notOk('nextAttempt' in done)
  t.match(
    (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body.callbacks,
    [{ id: done.id, tries: 3 }],
    'and they are shown with the payment'
  )
})

t.test('a retry waits from the end of the attempt before it', async (t) => {
  for (const [speed, pauseMs] of [
    [1, 3000 + 1000],
    [10, 30_000 + 1000]
  ]) {
    const machine = testMachine()
    const url = await server(t, (_, response) => {
      machine.time += 3000
      response.writeHead(500).end()
    })
    const mock = await build(t, { callbackUrl: url }, machine)
    await mock.call('PUT', '/__admin/clock', { mode: 'running', speed })
    await mock.call('POST', '/v2/deposits', deposit())
    machine.time += 60_000
    const [{ attempts, nextAttempt }] = await until(
      () => listed(mock),
      ([callback]) => callback?.tries === 1
    )
    t.equal(Date.parse(nextAttempt) - Date.parse(attempts[0].at), pauseMs, `speed ${speed}`)
  }
})

t.test('callbacks can be filtered', async (t) => {
  const { url } = await merchant(t)
  const mock = await build(t, { callbackUrl: url, clock: 'frozen' })
  for (const version of ['v1', 'v2'] as const) {
    for (const kind of ['deposit', 'payout'] as const) {
      await mock.call('POST', `${prefix[version]}/${kind}s`, requests[version][kind]!())
    }
  }
  await advance(mock, '1s')
  const all = await listed(mock)
  t.equal(all.length, 4)
  t.equal((await listed(mock, '?kind=payout')).length, 2)
  t.equal((await listed(mock, '?kind=payouts')).length, 2, 'by its word in paths too')
  t.strictSame(await listed(mock, `?paymentId=${all[1].paymentId.toUpperCase()}`), [all[1]])
  t.equal((await listed(mock, '?state=PENDING')).length, 0)
  t.equal((await listed(mock, `?state=ACKNOWLEDGED&url=${encodeURIComponent(url)}`)).length, 4)
  const page = (await mock.call('GET', '/__admin/callbacks?limit=3')).body
  t.equal(page.callbacks.length, 3)
  t.strictSame(await listed(mock, `?limit=3&after=${page.next}`), [all[3]])
  t.equal(
    (await mock.call('GET', '/__admin/callbacks', undefined, { authorization: 'Bearer sandbox-x' }))
      .body.callbacks.length,
    0,
    'another account has none'
  )
  for (const [query, says] of [
    ['limit=0', /limit must be a number from 1 to 1000/],
    ['state=DONE', /state must be one of PENDING/],
    ['stat=PENDING', /did you mean state\?/],
    ['kind=deposits-and-more', /no kind/]
  ] as const) {
    t.match(
      (await mock.call('GET', `/__admin/callbacks?${query}`)).body,
      { error: { message: says } },
      query
    )
  }
})

t.test('callbacks can be listed newest first, in pages', async (t) => {
  const { url } = await merchant(t)
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  await advance(mock, '1s')
  const [{ id: first }] = await listed(mock)
  const ids: number[] = [first]
  for (let n = 0; n < 119; n++) {
    ids.push((await mock.call('POST', `/__admin/callbacks/${first}/resend`)).body.id)
  }
  const shown = (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body
    .callbacks
  t.strictSame(
    shown.map(({ id }: any) => id),
    ids.slice(20),
    'the last hundred, oldest first'
  )
  const frozen = await mock.call('POST', '/__admin/wait', {
    kind: 'deposit',
    id: body.depositId,
    until: 'acknowledged'
  })
  t.match(
    frozen,
    { status: 409, body: { error: { message: /PENDING/ } } },
    'and who waits sees the newest'
  )
  const newest = (await mock.call('GET', '/__admin/callbacks?order=newest&limit=50')).body
  t.strictSame(
    newest.callbacks.map(({ id }: any) => id),
    ids.toReversed().slice(0, 50)
  )
  const older = (
    await mock.call('GET', `/__admin/callbacks?order=newest&limit=50&after=${newest.next}`)
  ).body
  t.equal(older.callbacks[0].id, ids[69])
  const oldest = (
    await mock.call('GET', `/__admin/callbacks?order=newest&limit=50&after=${older.next}`)
  ).body
  t.equal(oldest.callbacks.at(-1).id, first)
  t.notOk('next' in oldest)
})

t.test('a payment shows no callbacks of an earlier one with its identifier', async (t) => {
  const { url } = await merchant(t)
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  await advance(mock, '1s')
  await mock.call('POST', '/__admin/reset')
  await mock.call('POST', '/v2/deposits', body)
  t.strictSame(
    (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body.callbacks,
    []
  )
  t.strictSame(await listed(mock, `?paymentId=${body.depositId}`), [])
})

t.test('a delayed callback has the time of the final state', async (t) => {
  const { url } = await merchant(t)
  const mock = await build(t, { callbackUrl: url, clock: 'frozen' })
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T00:00:00Z' })
  await mock.call('POST', '/__admin/scenarios', {
    name: 'late',
    script: [
      { after: '0s', to: 'PROCESSING' },
      { after: '1s', to: 'COMPLETED' }
    ],
    callback: { delay: '1h' }
  })
  await mock.call('POST', '/v2/deposits', deposit())
  await advance(mock, '1s')
  t.match(await listed(mock), [
    { created: '2026-01-01T00:00:01.000Z', nextAttempt: '2026-01-01T01:00:01.000Z' }
  ])
  await advance(mock, '1h')
  t.match(await listed(mock), [
    {
      created: '2026-01-01T00:00:01.000Z',
      state: 'ACKNOWLEDGED',
      attempts: [{ at: '2026-01-01T01:00:01.000Z' }]
    }
  ])
  t.match(
    await readMetrics(mock.call),
    /momock_callback_lag_seconds_bucket\{le="60"\} 1/,
    'and it was not late'
  )
})

t.test('the password of a callback URL is hidden', async (t) => {
  const { url: plain, arrivals } = await merchant(t)
  const url = plain.replace('//', '//shop:pass@word:1@')
  const shown = plain.replace('//', '//shop:[hidden]@')
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  await advance(mock, '1s')
  t.equal(arrivals.length, 1)
  t.match(await listed(mock), [{ url: shown }])
  for (const wanted of [url, shown]) {
    t.equal((await listed(mock, `?url=${encodeURIComponent(wanted)}`)).length, 1, wanted)
  }
  const payment = (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body
  const verdict = (
    await mock.call('POST', '/__admin/verify', {
      expectations: [
        { callback: { url: 'http://elsewhere/' } },
        { callback: { url: shown }, count: 1 }
      ]
    })
  ).body
  t.match(verdict, { failed: [{ index: 0, nearest: { differences: [{ got: shown }] } }] })
  t.notMatch(JSON.stringify([payment, verdict]), /word/)
})

t.test('a callback can be resent as a new one', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: url, clock: 'frozen' })
  await mock.call('POST', '/__admin/scenarios', { name: 'forged', callback: { unsigned: true } })
  await mock.call('POST', '/v2/deposits', deposit())
  await advance(mock, '1s')
  const [first] = await listed(mock)
  t.match(first, { faults: { unsigned: true } })
  const { status, body } = await mock.call('POST', `/__admin/callbacks/${first.id}/resend`)
  t.equal(status, 202)
  t.match(body, { state: 'PENDING', tries: 0, url, body: first.body })
  t.notOk('faults' in body)
  await advance(mock, '1s')
  t.equal(arrivals.length, 2)
  const [{ key }] = await keysOf(mock)
  t.ok(isGood(arrivals[1], key), 'and there is nothing wrong with it')
  t.match(await mock.call('POST', '/__admin/callbacks/999/resend'), {
    status: 404,
    body: { error: { message: /no callback 999/ } }
  })
  t.equal(
    (
      await mock.call('POST', `/__admin/callbacks/${first.id}/resend`, undefined, {
        authorization: 'Bearer sandbox-x'
      })
    ).status,
    404,
    "nor another account's"
  )
})

/** Receivers with wrong behaviour, and the error of the attempt. */
const receivers: Array<
  [
    what: string,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    found: object
  ]
> = [
  ['hangs', () => {}, { error: 'no answer within 0.3 s' }],
  [
    'resets the connection',
    ({ socket }) => socket.resetAndDestroy(),
    { error: /^connection reset by the receiver \(ECONNRESET\)|closed by the receiver/ }
  ],
  [
    'closes the connection',
    ({ socket }) => socket.destroy(),
    { error: /^connection closed by the receiver before it answered \(UND_ERR_SOCKET\)/ }
  ],
  [
    'redirects',
    (_, response) => response.writeHead(301, { location: '/elsewhere' }).end(),
    { status: 301, response: { headers: { location: '/elsewhere' } } }
  ],
  [
    'speaks no HTTP',
    ({ socket }) => socket.end('hello\r\n\r\n'),
    { error: /does not match the HTTP/ }
  ],
  [
    'answers only in part',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('only this')
      setImmediate(() => response.destroy())
    },
    { status: 200, response: { body: 'only this' } }
  ],
  [
    'answers, then says nothing more',
    (_, response) => {
      response.writeHead(200).write('wait')
    },
    { status: 200, response: { body: 'wait' } }
  ]
]

for (const [what, answer, found] of receivers) {
  t.test(`a receiver that ${what} does not delay other receivers`, async (t) => {
    const bad = await server(t, answer)
    const good = await merchant(t)
    const mock = await build(t, {
      callbackTimeout: '300ms',
      accounts: [{ name: 'default', callbacks: { deposits: bad, payouts: good.url } }]
    })
    await mock.call('POST', '/v2/deposits', deposit())
    await mock.call('POST', '/v2/payouts', requests.v2.payout!())
    await arrived(good.arrivals, 1)
    const [callback] = await until(
      () => listed(mock, '?kind=deposit'),
      ([callback]) => callback?.attempts.length > 0
    )
    t.match(callback.attempts[0], found)
  })
}

t.test('connection errors and endless answers are recorded', async (t) => {
  let written = 0
  const chunk = Buffer.alloc(64 * 1024)
  const endless = await server(t, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.writeHead(200).on('drain', more)
    more()
  })
  const closed = await server(t, () => {})
  const port = Number(new URL(closed).port)
  const mock = await build(t, {
    callbackTimeout: '2s',
    accounts: [
      {
        name: 'default',
        callbacks: {
          deposits: endless,
          payouts: `http://127.0.0.2:${port}/`,
          remittances: 'http://nobody.invalid/hooks'
        }
      }
    ]
  })
  for (const kind of ['deposit', 'payout', 'remittance'] as const) {
    await mock.call('POST', `/v2/${kind}s`, requests.v2[kind]!())
  }
  const found = await until(
    () => listed(mock),
    (all) => all.length === 3 && all.every(({ attempts }: any) => attempts.length > 0)
  )
  const of = (kind: string) => found.find((callback: any) => callback.kind === kind).attempts[0]
  t.match(of('deposit'), { status: 200, response: { body: '\u0000'.repeat(2048) } })
  t.ok(written < 16 * 1024 * 1024, 'not all of it was read')
  t.match(of('payout'), { error: /^connection refused \(ECONNREFUSED\)/ })
  t.match(of('remittance'), { error: /^host name (not found|could not be looked up)/ })
})

t.test('attempts for one payment never overlap', async (t) => {
  const open: Record<string, number> = {}
  let overlapped = false
  let most = 0
  let inAll = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { depositId } = JSON.parse(text)
    open[depositId] = (open[depositId] ?? 0) + 1
    most = Math.max(most, ++inAll)
    overlapped ||= open[depositId] > 1
    setTimeout(() => {
      open[depositId]--
      inAll--
      response.end()
    }, 20)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const mock = await build(t, {
    callbackUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    clock: 'frozen'
  })
  await mock.call('POST', '/__admin/scenarios', { name: 'again', callback: { duplicates: 4 } })
  for (let n = 0; n < 3; n++) await mock.call('POST', '/v2/deposits', deposit())
  t.match((await advance(mock, '1s')).body, { callbacks: 15 })
  t.notOk(overlapped)
  t.ok(most > 1, `those of different payments do: ${most} at once`)
  t.equal((await listed(mock, '?state=ACKNOWLEDGED')).length, 15)
})

/** Faults of a callback, and how a merchant who verifies detects them. */
const forgeries: Array<[drill: object, good: boolean, fresh: boolean, also: object]> = [
  [{ delay: '1ms' }, true, true, {}],
  [{ stale: true }, true, false, {}],
  [{ stale: '61s' }, true, false, {}],
  [{ stale: '1s' }, true, true, {}],
  [{ wrongKey: true }, false, true, {}],
  [{ otherHost: true }, false, true, {}],
  [{ tampered: true }, false, true, { amount: '915.00' }],
  [{ unsigned: true }, false, false, {}],
  [{ extraFields: true }, true, true, { momockUnknownField: String }],
  [{ extraFields: { bonus: { points: 3 } } }, true, true, { bonus: { points: 3 } }],
  [{ tampered: false, unsigned: false, stale: false, duplicates: 0 }, true, true, {}]
]

for (const version of ['v1', 'v2'] as const) {
  t.test(`callback faults of ${version} change the callback as documented`, async (t) => {
    const { url, arrivals } = await merchant(t, [], { wrongBecause: 'a fault adds fields' })
    const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
    const [{ key }] = await keysOf(mock)
    for (const [drill, good, fresh, also] of forgeries) {
      arrivals.length = 0
      await mock.call('POST', '/__admin/scenarios', { name: 'drill', callback: drill })
      await mock.call('POST', `${prefix[version]}/deposits`, requests[version].deposit!())
      await advance(mock, '1s')
      const what = JSON.stringify(drill)
      t.equal(arrivals.length, 1, what)
      t.equal(isGood(arrivals[0], key), good, `${what}: the signature fits`)
      t.equal(isFresh(arrivals[0]), fresh, `${what}: of this minute`)
      const { amount, ...rest } = JSON.parse(arrivals[0].body.toString())
      const wanted =
        version === 'v1' && 'amount' in also
          ? { requestedAmount: '915', depositedAmount: '915' }
          : also
      t.match({ amount, ...rest }, wanted, what)
    }
  })
}

t.test('a tester sends wrong callbacks about a payment', async (t) => {
  const { url, arrivals } = await merchant(t, [], { wrongBecause: 'the tester wants it so' })
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const [{ key }] = await keysOf(mock)
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body)
  const send = async (order: object, id: string = body.depositId) =>
    await mock.call('POST', `/__admin/payments/deposit/${id}/callbacks`, order)
  t.match((await send({})).body.callbacks, [{ state: 'PENDING', body: { status: 'ACCEPTED' } }])
  await advance(mock, '1s')
  t.strictSame(
    arrivals.map((arrival) => JSON.parse(arrival.body.toString()).status),
    ['ACCEPTED', 'COMPLETED']
  )
  const before = (await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)).body
  for (const [order, good, fresh, also] of [
    ...forgeries,
    [{ status: 'ACCEPTED' }, true, true, { status: 'ACCEPTED' }],
    [{ status: 'PROCESSING', wrongKey: true }, false, true, { status: 'PROCESSING' }]
  ] as typeof forgeries) {
    arrivals.length = 0
    const what = JSON.stringify(order)
    t.equal((await send(order)).status, 202, what)
    await advance(mock, '1s')
    t.equal(arrivals.length, 1, what)
    t.equal(isGood(arrivals[0], key), good, `${what}: the signature fits`)
    t.equal(isFresh(arrivals[0]), fresh, `${what}: of this minute`)
    t.match(JSON.parse(arrivals[0].body.toString()), also, what)
  }
  arrivals.length = 0
  await send({ duplicates: 2 })
  await advance(mock, '1s')
  t.equal(arrivals.length, 3)
  const { callbacks: _, ...after } = (
    await mock.call('GET', `/__admin/payments/deposit/${body.depositId}`)
  ).body
  t.match(before, after, 'the payment does not change')
  for (const [order, status, message] of [
    [{ status: 'FAILED' }, 409, /was never FAILED; its statuses are ACCEPTED, PROCESSING, COMP/],
    [{ status: 'FAILED', delay: 1 }, 409, /was never FAILED/],
    [{ unsigned: true, stale: true }, 400, /cannot be both/],
    [{ drop: true }, 400, /drop/]
  ] as const) {
    t.match(await send(order), { status, body: { error: { message } } })
  }
  t.equal((await send({}, '4e742c59-0000-4000-8000-000000000000')).status, 404)
  await mock.call('PATCH', '/__admin/account', { callbacks: null })
  t.match(await send({}), { status: 409, body: { error: { message: /no callback URL/ } } })
})

t.test('a tampered callback is tampered at every attempt', async (t) => {
  const { url, arrivals } = await merchant(t, [401, 401])
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const [{ key }] = await keysOf(mock)
  await mock.call('POST', '/__admin/scenarios', {
    name: 'liar',
    when: { kind: 'deposit' },
    script: [
      { after: 0, to: 'PROCESSING' },
      { after: 0, to: 'FAILED', failureCode: 'INSUFFICIENT_BALANCE' }
    ],
    callback: { tampered: true }
  })
  await mock.call('POST', '/v2/deposits', deposit())
  await advance(mock, '10s')
  t.strictSame(
    arrivals.map(({ body }) => JSON.parse(body.toString()).status),
    ['COMPLETED', 'COMPLETED', 'COMPLETED']
  )
  t.notOk(arrivals.some((arrival) => isGood(arrival, key)))
  const [{ body, attempts }] = await listed(mock)
  t.match(body, { status: 'FAILED' }, 'what it should have said')
  t.match(JSON.parse(attempts[0].request.body), { status: 'COMPLETED' }, 'and what it did')
})

for (const clock of ['running', 'frozen'] as const) {
  t.test(`a callback is sent before the answer, on a ${clock} clock`, async (t) => {
    const order: string[] = []
    const url = await server(t, (_, response) => {
      order.push('callback')
      response.end()
    })
    const mock = await build(t, { callbackUrl: url, clock })
    await mock.call('POST', '/__admin/scenarios', {
      name: 'early',
      callback: { beforeAnswer: true }
    })
    for (const version of ['v1', 'v2'] as const) {
      for (const kind of ['deposit', 'payout'] as const) {
        t.match(
          await mock.call('POST', `${prefix[version]}/${kind}s`, requests[version][kind]!()),
          { status: 200, body: { status: 'ACCEPTED' } }
        )
        order.push('answer')
      }
    }
    t.strictSame(order, Array.from({ length: 4 }, () => ['callback', 'answer']).flat())
  })
}

for (const clock of ['running', 'frozen'] as const) {
  t.test(`an answer waits for its own callback only, on a ${clock} clock`, async (t) => {
    const slow = await patient(t)
    const quick = await receiver(t)
    const { call } = await build(t, { clock })
    await call('PATCH', '/__admin/account', {
      callbacks: { deposits: slow.url, payouts: quick.url }
    })
    await call('POST', '/__admin/scenarios', { name: 'early', callback: { beforeAnswer: true } })
    let isAnswered = false
    const first = call('POST', '/v2/deposits', requests.v2.deposit!()).then((answer) => {
      isAnswered = true
      return answer
    })
    const callback = await slow.next()
    const payout = requests.v2.payout!()
    t.match(await call('POST', '/v2/payouts', payout), { body: { status: 'ACCEPTED' } })
    t.match(await quick.next(), { body: { payoutId: payout.payoutId, status: 'COMPLETED' } })
    const { now } = (await call('GET', '/__admin/clock')).body
    if (clock === 'running') {
      const time = async () => (await call('GET', '/__admin/clock')).body.now
      t.ok(await until(time, (later) => later > now), 'the clock goes on')
    }
    t.match(await call('PUT', '/__admin/clock', { mode: clock }), { status: 200 })
    t.notOk(isAnswered, 'the receiver has not answered yet')
    callback.answer(200)
    t.match(await first, { status: 200, body: { status: 'ACCEPTED' } })
  })
}

t.test('a callback is sent after the callback of the next payment', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  await mock.call('POST', '/__admin/scenarios', {
    name: 'late',
    callback: { afterNext: true },
    times: 1
  })
  const [first, second, third] = [deposit(), deposit(), deposit()]
  const ids = () => arrivals.map(({ body }) => JSON.parse(body.toString()).depositId)
  await mock.call('POST', '/v2/deposits', first)
  await advance(mock, '2s')
  t.strictSame(ids(), [], 'it waits')
  t.match(
    (await mock.call('GET', `/v2/deposits/${first.depositId}`)).body,
    { data: { status: 'COMPLETED' } },
    'though its payment is final'
  )
  await mock.call('POST', '/v2/deposits', second)
  await advance(mock, '2s')
  t.strictSame(ids(), [second.depositId, first.depositId])
  await mock.call('POST', '/__admin/scenarios', {
    name: 'late',
    callback: { afterNext: true },
    times: 1
  })
  await mock.call('POST', '/v2/deposits', third)
  await advance(mock, '2m')
  t.strictSame(ids().slice(2), [third.depositId], 'after a minute it goes alone')
})

t.test('a callback that waited and is under way is not sent again', async (t) => {
  const receiver = await patient(t)
  const mock = await openSandbox(t, { callbackUrl: receiver.url, clock: 'frozen' })
  await mock.call('POST', '/__admin/scenarios', { name: 'late', callback: { afterNext: true } })
  const deposits = [deposit(), deposit()]
  for (const one of deposits) await mock.call('POST', '/v2/deposits', one)
  await advance(mock, '2s')
  const advanced = advance(mock, '2m')
  // The result of a later callback ends the wait of earlier ones.
  const underWay = [await receiver.next(), await receiver.next()]
  const [first, second] = (await listed(mock)).map(({ paymentId }: any) =>
    underWay.find(({ body }) => body.depositId === paymentId)
  )
  second.answer(200)
  await until(
    () => listed(mock),
    ([, { state }]) => state === 'ACKNOWLEDGED'
  )
  first.answer(200)
  await advanced
  const attempts = (await listed(mock)).map(({ state, attempts }: any) => [state, attempts.length])
  t.strictSame(attempts, [
    ['ACKNOWLEDGED', 1],
    ['ACKNOWLEDGED', 1]
  ])
})

t.test('callback faults that hide each other are refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const [callback, says] of [
    [{ drop: true, delay: '1s' }, /both 'drop' and 'delay'/],
    [{ beforeAnswer: true, afterNext: true }, /both 'beforeAnswer' and 'afterNext'/],
    [{ unsigned: true, wrongKey: true }, /both 'unsigned' and 'wrongKey'/],
    [{ stale: 'long' }, /stale must be/],
    [{ tamperd: true }, /did you mean callback\.tampered\?|tampered/]
  ] as const) {
    t.match(await call('POST', '/__admin/scenarios', { name: 'a', callback }), {
      status: 400,
      body: { error: { message: says } }
    })
  }
})

t.test('the number of stored attempts is limited per account', async (t) => {
  const database = new Database(new SqliteEngine(':memory:'))
  t.teardown(() => database.close())
  for (const account of [1, 2]) database.setLedger(account, account)
  const log = new CallbackAttempts(database)
  const attempt = { at: 0, durationMs: 1, status: 200, request: { headers: {}, body: '{}' } }
  const delivery = (account: number, seq: number) => ({
    seq,
    account,
    payment: null,
    queue: 16,
    url: '',
    body: '{}',
    firstDue: 0,
    attempts: 0
  })
  const failing = database.write(undefined, async () => {
    for (let seq = 1; seq <= 9000; seq++) await log.addAttempt(delivery(1, seq), attempt)
    throw new Error('rolled back')
  })
  await t.rejects(failing, { message: 'rolled back' })
  await database.write(undefined, async () => {
    for (let seq = 1; seq <= 5000; seq++) await log.addAttempt(delivery(1, seq), attempt)
  })
  t.equal((await log.listAttempts(1, 1, '{}')).length, 1, 'those of a failed transaction are none')
  await database.write(undefined, async () => {
    await log.addAttempt(delivery(2, 1), attempt)
    for (let seq = 5001; seq <= 25_000; seq++) await log.addAttempt(delivery(1, seq), attempt)
  })
  const { connection } = database
  const count = await connection
    .prepare<[], number>('SELECT count(*) FROM attempts WHERE ledger = 1')
    .pluck()
    .get()
  t.ok(count! >= 10_000 && count! <= 11_000, `${count} are kept`)
  t.strictSame(await log.listAttempts(1, 25_000, '{}'), [attempt], 'the newest')
  t.strictSame(await log.listAttempts(1, 1, '{}'), [], 'not the oldest')
  t.strictSame(await log.listAttempts(2, 1, '{}'), [attempt])
})
