import type { Shot } from './operations.ts'

/** Bodies that are deep or large or take long to match, and what makes the server read them. */

const brackets = (depth: number, core: string): string => {
  return '['.repeat(depth) + core + ']'.repeat(depth)
}
const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

/** The limit of a body is 1 MiB. */
const nearlyTooLarge = 1024 * 1024 - 1000

const wideObject = (fields: number): string => {
  return `{${Array.from({ length: fields }, (_, n) => `"k${n}":1`).join(',')}}`
}
const deepBodies: ReadonlyArray<[what: string, body: string]> = [
  ['60 lists', brackets(60, '1')],
  ['4,600 lists', brackets(4600, '1')],
  ['400,000 lists', brackets(400_000, '1')],
  ['1,000,000 lists that are not closed', '['.repeat(1_000_000)],
  ['4,600 objects', objects(4600)],
  ['100,000 objects', objects(100_000)],
  ['4,900 fields', wideObject(4900)],
  ['60,000 fields', wideObject(60_000)],
  ['300,000 elements', `[${'1,'.repeat(300_000)}1]`],
  ['a string of 1 MiB', JSON.stringify('x'.repeat(nearlyTooLarge))],
  ['a string of escapes', `"${'\\u0041'.repeat((nearlyTooLarge / 6) | 0)}"`],
  ['a number of 1 MiB', '9'.repeat(nearlyTooLarge)],
  ['spaces', ' '.repeat(nearlyTooLarge) + '{}'],
  ['2 MiB', JSON.stringify('x'.repeat(2 * 1024 * 1024))]
]

const targets = [
  '/v2/deposits',
  '/deposits',
  '/v2/payouts/bulk',
  '/v2/statements',
  '/v2/checkouts',
  '/__admin/requests/count',
  '/__admin/requests/find',
  '/__admin/verify',
  '/__admin/scenarios',
  '/__admin/accounts',
  '/__admin/sink/hostile',
  '/__admin/signatures/explain',
  '/__admin/wait'
]

const post = (path: string, body: string, token = 'sandbox-hostile'): Shot => ({
  operation: `POST ${path}`,
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...(token !== '' && bearer(token)) },
  body
})

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const get = (path: string): Shot => ({
  operation: `GET ${path}`,
  method: 'GET',
  path,
  headers: bearer('sandbox-hostile')
})

const stars = '*a'.repeat(40) + 'b'

/** Matchers that take long if they go back on themselves, or compare everything with everything. */
const matchers: readonly unknown[] = [
  { path: stars },
  { path: '/*'.repeat(500) },
  { headers: { 'x-long': stars } },
  { query: { q: stars } },
  { body: { list: Array.from({ length: 900 }, (_, n) => ({ n: n + 1 })) } },
  { body: { list: Array.from({ length: 3000 }, (_, n) => ({ n: n + 1 })) } },
  { body: JSON.parse(wideObject(1900)) },
  { body: JSON.parse(wideObject(4900)) },
  { body: Array.from({ length: 150_000 }, (_, n) => n) },
  { body: { list: Array.from({ length: 30_000 }, () => [[]]) } },
  { body: JSON.parse(brackets(60, '2')) },
  { body: JSON.parse(brackets(60, '[2,[3]]')) }
]

const deposit = (n: number): string =>
  JSON.stringify({
    depositId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    }
  })

/** Times that are none, or that no clock can show. */
const oddTimes = [
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:00:00.000000001Z'
]

/** Each odd time wherever one is taken; a payment on the account shows what it has done. */
function shotsWithOddTimes (): Shot[] {
  const token = 'sandbox-times'
  const put = (body: object): Shot => ({
    ...post('/__admin/clock', JSON.stringify(body), token),
    operation: 'PUT clock',
    method: 'PUT'
  })
  const read = (path: string): Shot => ({ ...get(path), headers: bearer(token) })
  return oddTimes.flatMap((now, n) => [
    put({ mode: 'running', now }),
    post('/v2/deposits', deposit(2 * n), token),
    put({ mode: 'frozen', now }),
    post('/v2/deposits', deposit(2 * n + 1), token),
    post('/__admin/clock/advance', JSON.stringify({ to: now }), token),
    post('/__admin/clock/advance', '{"by":"1s"}', token),
    read(`/__admin/requests?since=${now}`),
    read(`/__admin/payments?since=${now}`),
    post('/__admin/reset', '{}', token)
  ])
}

/** What was found once, and is easily missed. */
const remembered: readonly Shot[] = [
  post('/__admin/scenarios', '{"name":"text","http":{"status":"500"}}'),
  post('/__admin/scenarios', '{"name":"fault","fault":["reset"]}')
]

/** Hostile requests in groups; each group finds what others have left. */
export function hostileShots (): Shot[] {
  const list = `{"list":[${'{"n":0},'.repeat(3000)}{"n":-1}]}`
  const longText = 'a'.repeat(7000)
  const left: Shot[] = [
    post('/v2/deposits', brackets(60, '1')),
    post('/v2/deposits', list),
    post('/v2/deposits', `{"list":[${'[[]],'.repeat(12_000)}[]]}`),
    post('/v2/deposits', wideObject(4900)),
    { ...post(`/v2/deposits?q=${longText}`, '{}'), operation: 'POST /v2/deposits, a long query' },
    {
      ...post('/v2/deposits', '{}'),
      operation: 'POST /v2/deposits, a long header',
      headers: { ...bearer('sandbox-hostile'), 'x-long': longText }
    }
  ]
  const searches = matchers.flatMap((matcher) => [
    post('/__admin/requests/count', JSON.stringify(matcher)),
    post('/__admin/requests/find', JSON.stringify(matcher)),
    post('/__admin/verify', JSON.stringify({ expectations: [{ request: matcher, count: 1 }] }))
  ])
  const deep = deepBodies.flatMap(([what, body]) =>
    targets.map((target) => {
      return { ...post(target, body), operation: `POST ${target}, ${what}` }
    })
  )
  const unknownCallers = deepBodies.map(([what, body]) => {
    return { ...post('/v2/deposits', body, ''), operation: `POST /v2/deposits, no token, ${what}` }
  })
  const embedded = ['when', 'callback', 'script', 'metadata'].map((field) => {
    return post('/__admin/scenarios', `{"name":"deep","${field}":${brackets(4600, '1')}}`)
  })
  const patterns = ['*'.repeat(500), '[0-9]'.repeat(500), '*?'.repeat(200)].flatMap((pattern) => [
    post(
      '/__admin/scenarios',
      JSON.stringify({
        name: 'glob',
        when: { phoneNumber: pattern },
        reject: 'INVALID_AMOUNT'
      })
    ),
    post('/v2/deposits', deposit(1))
  ])
  const looks = [
    '/__admin/requests?limit=1000',
    '/__admin/requests/unmatched',
    '/__admin/sink/hostile',
    '/__admin/scenarios',
    '/__admin/accounts',
    '/__admin/coverage',
    '/__admin/payments?limit=1000'
  ].map(get)
  const asDefault = { ...get('/__admin/requests?limit=1000'), headers: bearer('test-token') }
  return [
    ...shotsWithOddTimes(),
    ...remembered,
    ...left,
    ...searches,
    ...embedded,
    ...patterns,
    ...looks,
    ...unknownCallers,
    asDefault,
    ...deep,
    ...looks
  ]
}
