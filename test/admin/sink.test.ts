import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { CallbackTargets } from '../../src/security/callback-targets.ts'
import { maxBytesOfAccount } from '../../src/services/callback-sinks.ts'
import { but, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, until } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { serve } from '../support/process.ts'

const deposit = () =>
  but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', '260763459993')

t.test("the whole flow without a server of one's own", async (t) => {
  const {
    ready: { url },
    call
  } = await serve(t, ['--clock', 'frozen'])
  const sink = '/__admin/sink/shop'
  t.match((await call('GET', sink)).body, {
    url: `${url}${sink}`,
    received: 0,
    callbacks: { length: 0 }
  })
  const account = await serve(t, ['--clock', 'frozen', '--callback-url', `${url}${sink}`])
  const body = deposit()
  await account.call('POST', '/v2/deposits', body)
  await account.call('POST', '/__admin/clock/advance', { by: '1s' })
  const {
    received,
    callbacks: [foreign]
  } = (await call('GET', sink)).body
  t.equal(received, 1)
  t.match(
    foreign,
    {
      method: 'POST',
      path: sink,
      answered: 200,
      body: { depositId: body.depositId },
      signature: { valid: false, because: /does not fit|key/ }
    },
    'signed by somebody else'
  )
})

t.test('a sink shows whether a signature is valid, with the reason', long, async (t) => {
  const running = await serve(t)
  const {
    ready: { url },
    call
  } = running
  const own = await serve(t, [
    '--port',
    new URL(url).port,
    '--host',
    '127.0.0.2',
    '--callback-url',
    `http://127.0.0.2:${new URL(url).port}/__admin/sink/shop`
  ])
  const inbox = async () => (await own.call('GET', '/__admin/sink/shop')).body
  t.equal((await call('GET', '/__admin/sink/shop')).status, 200)
  /** Faults of a callback by a scenario, and the verdict about its signature. */
  const cases: Array<[callback: object | undefined, valid: boolean, because: RegExp]> = [
    [
      undefined,
      true,
      new RegExp(
        String.raw`^the digest fits the body, and the ecdsa-p256-sha256 signature fits the key ` +
          String.raw`HTTP_EC_P256_KEY:1$`
      )
    ],
    [{ tampered: true }, false, /content-digest/i],
    [{ wrongKey: true }, false, /signature/],
    [
      { otherHost: true },
      false,
      /^the signature is for host other-shop\.example, the request came to 127\.0\.0\.2:\d+$/
    ],
    [{ stale: true }, false, /expire/],
    [{ unsigned: true }, false, /not signed/]
  ]
  let n = 0
  for (const [callback, valid, because] of cases) {
    if (callback !== undefined) {
      await own.call('POST', '/__admin/scenarios', { name: 'drill', callback })
    }
    await own.call('POST', '/v2/deposits', deposit())
    n++
    const { callbacks } = await until(inbox, ({ received }) => received === n)
    t.match(callbacks.at(-1).signature, { valid, because }, JSON.stringify(callback))
  }
  t.equal((await own.call('DELETE', '/__admin/sink/shop')).status, 204)
  t.match(await inbox(), { received: 0, callbacks: { length: 0 } })
})

t.test('a sink sends the configured answers', async (t) => {
  const { call } = await build(t, { adminToken: 'secret' })
  const admin = { 'x-momock-admin-token': 'secret' }
  const put = (body: unknown) => call('PUT', '/__admin/sink/shop', body, admin)
  const post = async () =>
    (await call('POST', '/__admin/sink/shop', { any: 'thing' }, { authorization: '' })).status
  t.equal(await post(), 200, 'who sends callbacks has no token')
  t.match(await put([500, 302, 204]), {
    status: 200,
    body: {
      answers: [{ status: 500, delayMs: 0 }, { status: 302 }, { status: 204 }],
      then: { status: 200 }
    }
  })
  t.strictSame([await post(), await post(), await post(), await post()], [500, 302, 204, 200])
  t.match(await put({ answers: [{ status: 503, delay: '5ms' }, 500], delay: '1ms', then: 404 }), {
    body: {
      answers: [
        { status: 503, delayMs: 5 },
        { status: 500, delayMs: 1 }
      ],
      then: { status: 404, delayMs: 1 }
    }
  })
  t.strictSame([await post(), await post(), await post(), await post()], [503, 500, 404, 404])
  t.match(await put({ delay: '2ms' }), {
    body: { answers: { length: 0 }, then: { status: 200, delayMs: 2 } }
  })
  t.equal(await post(), 200)
  for (const [body, says] of [
    [[99], /0 must be|must be/],
    [{ delay: '2h' }, /at most 60s/],
    [{}, /must be/],
    [{ delai: 1 }, /must be|did you mean/]
  ] as const) {
    t.match(
      await put(body),
      { status: 400, body: { error: { message: says } } },
      JSON.stringify(body)
    )
  }
  t.equal((await call('GET', '/__admin/sink/shop')).status, 401, 'who looks needs one')
  t.equal((await call('PUT', '/__admin/sink/a%20b', [200], admin)).status, 400)
})

t.test('a sink accepts any body and keeps the last 1,000', long, async (t) => {
  const { call } = await openSandbox(t)
  const post = (body: string | Buffer, type: string) =>
    call('POST', '/__admin/sink/bin', body, { 'content-type': type })
  for (const [body, type] of [
    ['not json', 'application/json'],
    ['a=b', 'application/x-www-form-urlencoded'],
    [Buffer.from([0xff, 0xfe]), 'application/octet-stream']
  ] as const) {
    t.equal((await post(body, type)).status, 200, type)
  }
  t.match((await call('GET', '/__admin/sink/bin')).body.callbacks, [
    { body: 'not json' },
    { body: 'a=b' },
    { body: String }
  ])
  for (let n = 0; n < 1000; n++) await post(`{"n":${n}}`, 'application/json')
  const { received, callbacks } = (await call('GET', '/__admin/sink/bin')).body
  t.equal(received, 1003)
  t.equal(callbacks.length, 1000)
  t.match([callbacks[0].body, callbacks.at(-1).body], [{ n: 0 }, { n: 999 }])
  t.equal((await call('GET', '/__admin/sink/bin?limit=2')).body.callbacks.length, 2)
})

t.test('each account has its own sinks under the same name', async (t) => {
  const { call, url } = await build(t, { clock: 'frozen' })
  const sink = '/__admin/sink/shop'
  const tokens = ['sandbox-one', 'sandbox-two', 'test-token']
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  const inbox = async (token: string) => (await call('GET', sink, undefined, as(token))).body
  await call('PUT', sink, [503], as('sandbox-two'))
  const made = new Map<string, string>()
  for (const token of tokens) {
    await call('PATCH', '/__admin/account', { callbacks: { deposits: `${url}${sink}` } }, as(token))
    const body = deposit()
    made.set(token, body.depositId)
    await call('POST', '/v2/deposits', body, as(token))
    await call('POST', '/__admin/clock/advance', { by: '600ms' }, as(token))
  }
  for (const token of tokens) {
    const { callbacks } = await inbox(token)
    t.match(
      callbacks,
      [
        {
          body: { depositId: made.get(token) },
          signature: { valid: true },
          answered: token === 'sandbox-two' ? 503 : 200
        }
      ],
      token
    )
    t.equal(callbacks.length, 1, 'and no other')
    t.notOk('x-momock-account' in callbacks[0].headers)
  }
  await call('DELETE', sink, undefined, as('sandbox-one'))
  t.strictSame(
    await Promise.all(tokens.map(async (token) => (await inbox(token)).received)),
    [0, 1, 1]
  )
  // Other requests are matched by their token. An invented marker header has no effect.
  await call('POST', sink, { hello: 1 }, as('sandbox-one'))
  await call('POST', sink, { hello: 2 }, { authorization: '', 'x-momock-account': '2.0' })
  t.strictSame(
    await Promise.all(tokens.map(async (token) => (await inbox(token)).received)),
    [1, 1, 2]
  )
  // A reset empties the sinks of its account, unless callbacks are kept.
  await call('POST', '/__admin/reset?keep=payments,callbacks', undefined, as('sandbox-one'))
  await call('POST', '/__admin/reset', undefined, as('sandbox-two'))
  t.strictSame(
    await Promise.all(tokens.map(async (token) => (await inbox(token)).received)),
    [1, 0, 2]
  )
})

t.test('sinks keep a limited number of bytes', long, async (t) => {
  const { call } = await openSandbox(t)
  const body = 'x'.repeat(1024 * 1024)
  const text = { 'content-type': 'text/plain' }
  for (const name of ['first', 'second']) {
    for (let n = 0; n < 6; n++) await call('POST', `/__admin/sink/${name}`, body, text)
  }
  const shown = await Promise.all(
    ['first', 'second'].map(async (name) => (await call('GET', `/__admin/sink/${name}`)).body)
  )
  t.strictSame(
    shown.map(({ received }) => received),
    [6, 6]
  )
  const kept = shown.flatMap(({ callbacks }) => callbacks)
  t.ok(kept.length * body.length <= maxBytesOfAccount, `${kept.length} are kept`)
  t.strictSame(
    shown[1].callbacks.map(({ n }: { n: number }) => n),
    [1, 2, 3, 4, 5, 6],
    'the sink that was not used for longest loses its callbacks first'
  )
  t.match(await call('POST', '/__admin/sink/first', body + 'x', text), { status: 413 })
  await call('DELETE', '/__admin/sink/second')
  for (let n = 0; n < 7; n++) await call('POST', '/__admin/sink/first', body, text)
  t.equal((await call('GET', '/__admin/sink/first')).body.callbacks.length, 7)
})

t.test('small callbacks keep little memory besides their bytes', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const measure = (): number => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const { call, callAs } = await build(t)
  const others = callAs(t, 'sandbox-ordinary-traffic')
  const callback = Buffer.from('{"n":1}')
  const before = measure()
  for (let n = 0; n < 300; n++) {
    await call('POST', '/__admin/sink/shop', callback)
    await others('POST', '/v2/deposits', requests.v2.deposit!())
    // As the bodies of other requests do, it takes another part of the block of this moment.
    Buffer.from('x'.repeat(8000))
  }
  const kept = measure() - before
  t.equal((await call('GET', '/__admin/sink/shop')).body.received, 300)
  t.ok(kept < 2 * 1024 * 1024, `${kept} bytes are kept`)
})

t.test('only callbacks to our own sinks carry the header of their account', async (t) => {
  const own = ['https://mock.example/base', 'http://127.0.0.1:7070']
  for (const [url, isOwn] of [
    ['https://mock.example/base/__admin/sink/shop', true],
    ['http://127.0.0.1:7070/__admin/sink/shop', true],
    ['http://localhost:7070/__admin/sink/shop', true],
    ['http://[::1]:7070/__admin/sink/shop', true],
    ['http://localhost:7071/__admin/sink/shop', false],
    ['https://localhost:7070/__admin/sink/shop', false],
    ['https://mock.example/__admin/sink/shop', false],
    ['https://shop.example/__admin/sink/shop', false],
    ['https://shop.example/?next=http://127.0.0.1:7070/__admin/sink/shop', false],
    ['http://127.0.0.1:7070/callbacks?next=/__admin/sink/shop', false]
  ] as const) {
    t.equal(new CallbackTargets('any', () => own).readTarget(url).isSink, isOwn, url)
  }
})
