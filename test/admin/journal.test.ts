import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import {
  differencesOfRequest,
  matches,
  matchesPath,
  type RequestMatcher
} from '../../src/verification/matching.ts'
import { readExchange } from '../../src/monitoring/journal-reading.ts'
import {
  HeaderTexts,
  Journal,
  clipText,
  longestText,
  type JournalExchange
} from '../../src/monitoring/request-journal.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build, id, testMachine, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { oneServerOptions } from '../support/servers.ts'

const versions = ['v1', 'v2'] as const
const other = { authorization: 'Bearer sandbox-other' }

/** The entries of a journal, oldest first. */
async function entriesOf ({ call }: Client, headers?: Record<string, string>): Promise<any[]> {
  return (
    await call('GET', '/__admin/requests?limit=1000', undefined, headers)
  ).body.requests.reverse()
}

/** Returns an exchange whose answer has a length. */
const exchange = (length: number): JournalExchange => ({
  id: 0,
  at: 0,
  received: 0,
  durationMs: 0,
  method: 'GET',
  status: 200,
  url: '/',
  headers: '',
  body: '',
  answer: 'x'.repeat(length),
  matched: true
})

t.test('the journal contains every request with its answer, for each kind', async (t) => {
  const systemClock = testMachine()
  const mock = await build(t, {}, systemClock)
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-01T08:00:00Z' })
  for (const version of versions) {
    for (const [name, make] of Object.entries(requests[version])) {
      const kind = kinds[name as KindName]
      const body = make!() as Record<string, string>
      const own = body[kind.idField]
      const path = `${prefix[version]}/${kind.path}`
      const initiated = await mock.call('POST', path, body)
      const found = await mock.call('GET', `${path}/${own}?why=curious`)
      const [first, second] = (await entriesOf(mock)).slice(-2)
      const noun = name[0].toUpperCase() + name.slice(1)
      t.match(
        first,
        {
          request: {
            method: 'POST',
            url: path,
            path,
            query: {},
            body,
            loggedDate: systemClock.time,
            loggedDateString: '2026-01-31T12:00:00.250Z'
          },
          response: { status: initiated.status, body: initiated.body },
          at: '2026-03-01T08:00:00.000Z',
          durationMs: 0,
          matched: true,
          version,
          operation: `${version}Initiate${noun}`,
          payments: [{ kind: name, id: own }]
        },
        `${version} ${name}`
      )
      t.match(second, {
        id: first.id + 1,
        request: {
          method: 'GET',
          url: `${path}/${own}?why=curious`,
          path: `${path}/${own}`,
          query: { why: 'curious' }
        },
        response: { status: 200, body: found.body },
        operation: `${version}Find${noun}`,
        payments: [{ kind: name, id: own }]
      })
      t.notOk('body' in second.request)
    }
  }
  const payouts = [requests.v2.payout!(), requests.v2.payout!()] as any[]
  await mock.call('POST', '/v2/payouts/bulk', payouts)
  t.strictSame(
    (await entriesOf(mock)).at(-1).payments,
    payouts.map(({ payoutId }) => ({ kind: 'payout', id: payoutId })),
    'many at once'
  )
})

t.test('the journal contains refused requests with their account', async (t) => {
  const mock = await build(t, {})
  const deposit = requests.v2.deposit!()
  const own = mock.config.token
  const rows: Array<
    [
      what: string,
      method: string,
      path: string,
      body: unknown,
      authorization: string,
      status: number,
      matched: boolean
    ]
  > = [
    [
      'a field is wrong',
      'POST',
      '/v2/deposits',
      but(deposit, 'amount', '-1'),
      `Bearer ${own}`,
      400,
      true
    ],
    ['not JSON', 'POST', '/deposits', '{', `Bearer ${own}`, 400, true],
    [
      'too large',
      'POST',
      '/v2/deposits',
      `"${'x'.repeat(1024 * 1024)}"`,
      `Bearer ${own}`,
      413,
      true
    ],
    ['may not', 'POST', '/v2/deposits', deposit, 'Bearer test-token-readonly', 403, true],
    ['nobody', 'POST', '/v2/deposits', deposit, 'Bearer nobody', 401, false],
    ['no such path', 'GET', '/v2/deposit', undefined, `Bearer ${own}`, 404, false],
    ['no such path, earlier', 'POST', '/nothing?a=1', { a: 1 }, 'Bearer nobody', 404, false],
    ['no such path, and not JSON', 'POST', '/nothing', '{', `Bearer ${own}`, 404, false],
    [
      'no such path, and not JSON, current',
      'POST',
      '/v2/nothing',
      '{',
      `Bearer ${own}`,
      404,
      false
    ],
    ['no such method', 'DELETE', '/v2/deposits', undefined, `Bearer ${own}`, 404, false],
    ['open to anybody', 'GET', '/public-key/http', undefined, 'Bearer nobody', 200, true]
  ]
  for (const [what, method, path, body, authorization, status, matched] of rows) {
    const answer = await mock.call(method, path, body, { authorization })
    t.equal(answer.status, status, what)
    const entry = (await entriesOf(mock)).at(-1)
    t.match(
      entry,
      { request: { method, url: path }, response: { status, body: answer.body }, matched },
      what
    )
  }
  t.equal((await entriesOf(mock)).length, rows.length)
  const { body } = await mock.call('GET', '/__admin/requests/unmatched')
  t.strictSame(
    body.requests.map(({ request }: any) => request.url),
    ['/v2/deposits', '/v2/nothing', '/nothing', '/nothing?a=1', '/v2/deposit', '/v2/deposits']
  )
  t.equal(body.meta.total, 6)

  t.equal((await mock.call('GET', '/v2/deposit', undefined, other)).status, 404)
  t.match(
    await entriesOf(mock, other),
    [{ id: 1, request: { url: '/v2/deposit' }, matched: false }],
    'a token that opens an account has its own'
  )
  t.equal((await entriesOf(mock)).length, rows.length, 'and nobody else sees it')
})

// One of several servers answers it before it can pass it on.
t.test('a path that cannot be read is in the journal', oneServerOptions, async (t) => {
  const mock = await build(t)
  t.equal((await mock.call('GET', '/v2/%zz')).status, 400)
  const entries = await entriesOf(mock)
  t.match(entries, [{ request: { url: '/v2/%zz' }, response: { status: 400 }, matched: false }])
})

t.test('the journal does not contain calls outside of the API', async (t) => {
  const mock = await build(t)
  for (const path of [
    '/health',
    '/__admin/health',
    '/ready',
    '/__admin/ready',
    '/__admin/clock',
    '/__admin/nothing',
    '/__admin/docs',
    '/static/flags/zmb.svg',
    '/checkout/NOPE',
    '/pay/nope'
  ]) {
    await mock.app.http.inject(path)
  }
  t.strictSame(await entriesOf(mock), [])
})

t.test('the journal hides secrets', async (t) => {
  const mock = await build(t, { adminToken: 'admin-secret', token: 'token-secret' })
  const headers = {
    authorization: 'Bearer token-secret',
    cookie: 'session=cookie-secret',
    'proxy-authorization': 'Basic c2VjcmV0',
    'x-momock-admin-token': 'admin-secret',
    'x-api-key': 'key-secret',
    'x-other': 'seen'
  }
  await mock.call('GET', '/v2/availability', undefined, headers)
  for (const path of ['/v2/availability', '/v2/nowhere']) {
    await mock.call(
      'GET',
      `${path}?token=a-secret&country=ZMB&API_Key=b-secret&%74oken=c-secret&token`,
      undefined,
      headers
    )
  }
  const { body } = await mock.call('GET', '/__admin/requests', undefined, headers)
  t.match(body.requests[1].request, {
    url: '/v2/availability?token=[hidden]&country=ZMB&API_Key=[hidden]&%74oken=[hidden]&token',
    query: { country: 'ZMB', API_Key: '[hidden]' }
  })
  t.match(body.requests[2].request.headers, {
    authorization: 'Bearer [hidden]',
    cookie: '[hidden]',
    'proxy-authorization': 'Basic [hidden]',
    'x-momock-admin-token': '[hidden]',
    'x-api-key': '[hidden]',
    'x-other': 'seen'
  })
  t.notMatch(JSON.stringify(body), /secret|c2VjcmV0/)
  t.equal(
    (await mock.call('GET', '/__admin/requests')).status,
    401,
    'and who has no admin token sees none of it'
  )
})

t.test('a matcher compares only the named fields', async (t) => {
  const seen = {
    method: 'POST',
    path: '/v2/deposits/0b5c/resend',
    query: { a: '1', b: ['2', '3'] },
    headers: { 'content-type': 'application/json', 'x-momock-scenario': 'slow-approval' },
    body: {
      amount: '15',
      payer: { type: 'MMO' },
      metadata: [{ orderId: '1' }, { customerId: 'c', isPII: true }],
      gone: null
    },
    operation: 'v2ResendDepositCallback',
    status: 200
  }
  const rows: Array<[matcher: RequestMatcher, differs: string[]]> = [
    [{}, []],
    [{ method: 'post' }, ['method']],
    [{ method: 'GET' }, ['method']],
    [{ path: '/v2/deposits/*/resend' }, []],
    [{ path: '/v2/deposits/{depositId}/resend/' }, []],
    [{ path: '/v2/deposits/0*c/resend' }, []],
    [{ path: '/v2/*' }, ['path']],
    [{ query: { a: '1', b: '3', c: null } }, []],
    [{ query: { a: null, b: '4' } }, ['query.a', 'query.b']],
    [{ headers: { 'X-Momock-Scenario': 'slow-*', 'X-Nothing': null } }, []],
    [
      { headers: { 'Content-Type': 'text/*', 'X-Nothing': '*' } },
      ['headers.content-type', 'headers.x-nothing']
    ],
    [{ body: { amount: '15', payer: {}, gone: null, missing: null } }, []],
    [
      { body: { amount: 16, payer: { type: 'BANK', more: 1 } } },
      ['body.amount', 'body.payer.type', 'body.payer.more']
    ],
    [{ body: { amount: '15.00' } }, []],
    [{ body: { amount: '15.01' } }, ['body.amount']],
    [{ body: { metadata: [{ isPII: true }, { orderId: '1' }] } }, []],
    [{ body: { metadata: [{ orderId: '1.0' }] } }, ['body.metadata.0.orderId']],
    [{ body: { metadata: [{ orderId: '2' }] } }, ['body.metadata.0.orderId']],
    [{ body: { metadata: [{}, {}, { orderId: '3' }] } }, ['body.metadata.2']],
    [{ body: { metadata: [{ isPII: true }, { isPII: true }] } }, ['body.metadata.1.isPII']],
    [{ body: { metadata: [{}, { isPII: true }] } }, []],
    [{ body: { metadata: [{}, { orderId: '1' }, {}] } }, ['body.metadata.2']],
    [{ body: [] }, ['body']],
    [{ body: { amount: null, toString: null } }, ['body.amount']],
    [{ operation: 'v2ResendDepositCallback', status: 200 }, []],
    [{ operation: 'v2FindDeposit', status: 404 }, ['operation', 'status']]
  ]
  for (const [matcher, differs] of rows) {
    t.strictSame(
      differencesOfRequest(matcher, seen).map(({ field }) => field),
      differs,
      JSON.stringify(matcher)
    )
  }
  for (const [wanted, text, fit] of [
    ['a*c*e', 'abcde', true],
    ['a*c*e', 'ace', true],
    ['*', '', true],
    ['a*a', 'a', false],
    ['*ab*b', 'ab', false],
    ['a**b', 'ab', true],
    ['a', 'ab', false]
  ] as const) {
    t.equal(matches(wanted, text), fit, `${wanted} ${text}`)
  }
  t.equal(matchesPath('/a/{id}', '/a/'), false)
})

t.test('matching of nested lists is fast and its depth is limited', async (t) => {
  const nest = (depth: number, value: unknown): unknown =>
    Array.from({ length: depth }).reduce((inner) => [inner], value)
  const mock = await openSandbox(t)
  await mock.call('POST', '/v2/deposits', nest(60, 1))
  t.match(await mock.call('POST', '/__admin/requests/count', { body: nest(40, 2) }), {
    status: 400,
    body: { error: { message: /^body must have at most 32 levels/ } }
  })
  t.match(
    await mock.call('POST', '/__admin/verify', {
      expectations: [{ inOrder: [{ request: {} }, { request: { body: nest(40, 2) } }] }]
    }),
    { status: 400, body: { error: { message: /^body must have at most 32 levels/ } } }
  )
  // With an exponential search, 32 levels would never end.
  for (const [value, count] of [
    [1, 1],
    [2, 0]
  ]) {
    await mock.call('POST', '/v2/deposits', nest(32, 1))
    t.match(await mock.call('POST', '/__admin/requests/count', { body: nest(32, value) }), {
      status: 200,
      body: { count }
    })
    await mock.call('DELETE', '/__admin/requests')
  }
  const pairs = (length: number, value: number) => Array.from({ length }, () => [[value]])
  await mock.call('POST', '/v2/deposits', pairs(1000, 1))
  t.match(
    await mock.call('POST', '/__admin/requests/count', { body: pairs(600, 2) }),
    { status: 200, body: { count: 0 } },
    'the first missing element ends a comparison'
  )
  const mixed = [...pairs(600, 1), [[3]]]
  await mock.call('POST', '/v2/deposits', [...pairs(1000, 2), ...pairs(1000, 1)])
  t.match(await mock.call('POST', '/__admin/requests/count', { body: mixed }), {
    status: 400,
    body: { error: { message: /more than 50000 comparisons .* name fewer elements/ } }
  })
})

t.test('requests can be found and counted', async (t) => {
  const mock = await build(t)
  const deposits = Array.from({ length: 3 }, () => requests.v2.deposit!() as any)
  for (const deposit of deposits) await mock.call('POST', '/v2/deposits', deposit)
  const matcher = {
    method: 'POST',
    path: '/v2/deposits',
    body: { depositId: deposits[1].depositId }
  }
  t.match((await mock.call('POST', '/__admin/requests/find', matcher)).body, {
    requests: [{ id: 2, request: { body: deposits[1] } }],
    meta: { total: 1 },
    requestJournalDisabled: false
  })
  for (const [wanted, count] of [
    [matcher, 1],
    [{ ...matcher, method: 'PUT' }, 0],
    [{ path: '/v2/*' }, 3],
    [{ headers: { Authorization: 'Bearer *' } }, 3],
    [{ headers: { Authorization: 'Bearer test-token' } }, 0]
  ] as const) {
    t.match(
      (await mock.call('POST', '/__admin/requests/count', wanted)).body,
      { count },
      JSON.stringify(wanted)
    )
  }
  t.match(
    (await mock.call('POST', '/__admin/requests/count', {}, other)).body,
    { count: 0 },
    'of another account'
  )
  for (const [wrong, message] of [
    [{ methd: 'GET' }, /methd is not supported here; did you mean method/],
    [{ status: 'ok' }, /status must be the HTTP status/],
    [[], /the body must be \{ method/],
    [{ headers: { a: 1 } }, /headers.a must be/]
  ] as const) {
    for (const path of ['find', 'count']) {
      t.match(await mock.call('POST', `/__admin/requests/${path}`, wrong), {
        status: 400,
        body: { error: { code: 'BAD_REQUEST', message } }
      })
    }
  }
})

t.test('the journal has pages, a start time, and can be cleared', async (t) => {
  const systemClock = testMachine()
  const mock = await build(t, {}, systemClock)
  const times = [0, 1, 2, 3, 4].map((n) => new Date(systemClock.time + n * 1000).toISOString())
  for (const n of [1, 2, 3, 4, 5]) {
    await mock.call('GET', `/v2/availability?country=ZM${n}`)
    systemClock.time += 1000
  }
  const ids = async (query: string) => {
    const { requests, meta } = (await mock.call('GET', `/__admin/requests${query}`)).body
    return { ids: requests.map((entry: any) => entry.id), ...meta }
  }
  t.strictSame(await ids(''), { ids: [5, 4, 3, 2, 1], total: 5 })
  t.strictSame(await ids('?limit=2'), { ids: [5, 4], total: 5 })
  t.strictSame(await ids('?limit=2&before=4'), { ids: [3, 2], total: 3 })
  t.strictSame(await ids(`?since=${times[3]}`), { ids: [5, 4], total: 2 })
  for (const query of ['limit=0', 'limit=1001', 'since=today', 'before=x', 'after=1']) {
    t.equal((await mock.call('GET', `/__admin/requests?${query}`)).status, 400, query)
  }
  await mock.call('GET', '/v2/availability', undefined, other)
  t.equal((await mock.call('DELETE', '/__admin/requests')).status, 204)
  t.strictSame(await ids(''), { ids: [], total: 0 })
  t.equal((await entriesOf(mock, other)).length, 1, 'of another account it is still there')
  await mock.call('GET', '/v2/availability')
  t.strictSame(await ids(''), { ids: [6], total: 1 }, 'numbers are not used again')
})

t.test('a reset clears the journal, unless it is kept', async (t) => {
  const mock = await openSandbox(t)
  for (const [query, sizes] of [
    ['?keep=journal', 1],
    ['', 0]
  ] as const) {
    await mock.call('DELETE', '/__admin/requests')
    for (const headers of [{}, other]) {
      await mock.call('GET', '/v2/availability', undefined, headers)
    }
    t.equal((await mock.call('POST', `/__admin/reset${query}`)).status, 200)
    t.equal((await entriesOf(mock)).length, sizes, query)
    t.ok((await entriesOf(mock, other)).length > 0, 'of another account it is still there')
    t.equal(
      (await mock.call('GET', '/__admin/coverage?groups=operations')).body.covered,
      1,
      'the coverage stays'
    )
  }
})

t.test('the journal has a limited size', async (t) => {
  const mock = await build(t, { journal: 3 })
  for (let n = 0; n < 8; n++) await mock.call('GET', `/v2/availability?country=A${n}`)
  t.strictSame(
    (await entriesOf(mock)).map((entry) => [entry.id, entry.request.query.country]),
    [
      [6, 'A5'],
      [7, 'A6'],
      [8, 'A7']
    ]
  )

  const long = JSON.stringify(
    but(requests.v2.deposit!(), 'metadata', [{ orderId: 'x'.repeat(2 * longestText) }])
  )
  await mock.call('POST', '/v2/deposits', long)
  const { request } = (await entriesOf(mock)).at(-1)
  t.strictSame([request.body, request.bodyTruncated], [`${long.slice(0, longestText)}…`, true])

  const journal = new Journal(100_000)
  for (let n = 0; n < 1000; n++) journal.record(1, exchange(32 * 1024))
  const sizeOf = (account: number): number => journal.readPart(account).exchanges.length
  const most = sizeOf(1)
  t.ok(most > 200 && most < 300, `${most} of one account`)
  t.strictSame(
    journal.readPart(1).exchanges.map(({ id }) => id),
    Array.from({ length: most }, (_, n) => 1000 - n),
    'the newest'
  )
  for (let account = 2; account < 50; account++) {
    for (let n = 0; n < 100; n++) journal.record(account, exchange(32 * 1024))
  }
  const sizes = Array.from({ length: 49 }, (_, n) => sizeOf(n + 1))
  t.ok(sizes.reduce((a, b) => a + b) < (64 * 1024) / 32, `${sizes.join()} of all`)
  t.equal(sizes[0], 0, 'who has been quiet for longest has lost them')
  t.equal(sizes.at(-1), 100)
})

t.test('entries that were read stay as they are, and new ones are not mixed up', async (t) => {
  const journal = new Journal(2)
  journal.record(1, { ...exchange(1), fault: 'lost', status: 503 })
  journal.record(1, exchange(2))
  const before = journal.readPart(1)
  const texts = JSON.stringify(before)
  journal.record(1, exchange(3))
  journal.record(1, exchange(4))
  t.equal(JSON.stringify(before), texts)
  t.match(journal.readPart(1), {
    exchanges: [
      { id: 4, answer: 'xxxx' },
      { id: 3, answer: 'xxx', status: 200, fault: undefined }
    ],
    dropped: 2
  })
})

t.test('the journal returns bodies and headers unchanged', async (t) => {
  const exchange = (
    texts: Pick<JournalExchange, 'url' | 'headers' | 'body' | 'answer'>
  ): JournalExchange => ({
    id: 1,
    at: 0,
    received: 0,
    durationMs: 0,
    method: 'POST',
    status: 200,
    ...texts,
    matched: true
  })
  const headlines = new HeaderTexts()
  const headers = ['X-Empty', '', 'Accept', 'a', 'accept', 'b', '__proto__', 'x']
  const texts = {
    url: '/a?b=%00&c=\u00fc',
    headers: headlines.joinHeaders(headers),
    body: '{"a":"\\u0000"}\0\n\0',
    answer: '{"\ud83d\ude00":1}'
  }
  const seen = readExchange(exchange(texts))
  t.match(seen, {
    url: texts.url,
    path: '/a',
    body: texts.body,
    answer: { '\ud83d\ude00': 1 },
    truncated: { body: false, answer: false }
  })
  t.strictSame(
    { ...seen.headers },
    { 'x-empty': '', accept: 'a, b' },
    'and a name that is none is left out'
  )
  t.notOk('body' in readExchange(exchange({ url: '/', headers: '', body: '', answer: '' })))
  t.equal(headlines.joinHeaders([...headers]), texts.headers)
  t.strictSame(
    {
      ...readExchange(exchange({ ...texts, headers: headlines.joinHeaders(headers.with(3, 'c')) }))
        .headers
    },
    { 'x-empty': '', accept: 'c, b' },
    'headers that have changed'
  )
  t.strictSame(readExchange(exchange({ ...texts, headers: headlines.joinHeaders([]) })).headers, {})
})

t.test('the journal can be disabled', async (t) => {
  const mock = await build(t, { journal: 0 })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('GET', '/nothing')
  t.strictSame((await mock.call('GET', '/__admin/requests')).body, {
    requests: [],
    meta: { total: 0 },
    requestJournalDisabled: true
  })
  t.strictSame((await mock.call('POST', '/__admin/requests/count', {})).body, {
    count: 0,
    requestJournalDisabled: true
  })
})

t.test('the journal explains a signature', async (t) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKeys = [
    { id: 'shop', key: publicKey.export({ type: 'spki', format: 'pem' }) as string }
  ]
  const mock = await build(t, {
    accounts: [
      { name: 'default', signedRequestsOnly: true, publicKeys },
      { name: 'lax', tokens: [{ token: 'lax' }] }
    ]
  })
  const headers = {
    host: 'shop.test',
    'signature-input': 'sig-pp=("@method" "@authority" "content-digest");keyid="shop";created=1',
    signature: 'sig-pp=:MEUCIQ==:'
  }
  for (const version of versions) {
    t.equal(
      (
        await mock.call(
          'POST',
          `${prefix[version]}/deposits`,
          requests[version].deposit!(),
          headers
        )
      ).status,
      401
    )
    const { signature, response } = (await entriesOf(mock)).at(-1)
    t.match(
      signature,
      {
        valid: false,
        problems: [/content-digest/],
        label: 'sig-pp',
        components: ['"@method"', '"@authority"', '"content-digest"'],
        parameters: { keyid: 'shop', created: 1 }
      },
      version
    )
    t.match(JSON.stringify(response.body), /the journal and the log say all about it/)
  }
  t.equal(
    (
      await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), {
        ...headers,
        authorization: 'Bearer lax'
      })
    ).status,
    200
  )
  const [entry] = await entriesOf(mock, { authorization: 'Bearer lax' })
  t.match(entry.notes, [/the signature was ignored/])
})

t.test('the journal contains answers that a fault changed', async (t) => {
  const { call, url } = await build(t)
  for (const fault of ['reset', 'lost', 'truncated'] as const) {
    await call('POST', '/__admin/scenarios', { name: 'faulty', when: { kind: 'deposit' }, fault })
    const depositId = id()
    const sent = fetch(`${url}/v2/deposits`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
      body: JSON.stringify({ ...requests.v2.deposit!(), depositId })
    }).then((response) => response.text())
    await t.rejects(sent, fault)
    const { body } = await call('POST', '/__admin/requests/find', { body: { depositId } })
    t.match(
      body.requests,
      [
        {
          response: { fault, status: fault === 'reset' ? 500 : 200 },
          payments: [{ id: depositId }]
        }
      ],
      fault
    )
  }
})

t.test('the journal keeps one letter more than it shows of a long text', async (t) => {
  for (const [length, kept] of [
    [0, 0],
    [longestText, longestText],
    [longestText + 1, longestText + 1],
    [2 * longestText, longestText + 1]
  ]) {
    t.equal(clipText('x'.repeat(length)).length, kept)
  }
})
