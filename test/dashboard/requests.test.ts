import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { actAndSee, see, visit } from '../support/dashboard.ts'
import { requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'

/** The requests page: refused requests first, their nearest valid request, curl and replay. */

const deposit = requests.v2.deposit!
const markup = '<img src=x onerror=alert(1)>'

t.test('refused and unmatched requests come first, however old they are', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  await mock.call('POST', '/v2/deposits', { ...deposit(), amount: 'much' })
  await mock.call('GET', '/nowhere')
  for (let n = 0; n < 60; n++) await mock.call('POST', '/v2/deposits', deposit())
  const text = await see(mock, '/requests')
  const order = [
    'Refused or unmatched',
    'GET /nowhere',
    'amount is "15.00" in place of "much"',
    'Accepted'
  ]
  const places = order.map((part) => text.indexOf(part))
  t.ok(
    places.every((place) => place > 0),
    String(places)
  )
  t.strictSame(
    places,
    places.toSorted((a, b) => a - b)
  )
  const [, older = ''] = /href="([^"]+)">Older requests/.exec(text) ?? []
  t.match((await visit(mock, older.replaceAll('&amp;', '&'))).text, 'nowhere', 'also in its place')
})

t.test('the first page leads to all refused requests', async (t) => {
  const mock = await build(t)
  for (let n = 0; n < 30; n++) await mock.call('GET', `/nowhere/${n}/`)
  const text = await see(mock, '/requests')
  const [, older = ''] = /href="([^"]+)">Older refused requests \(10\)/.exec(text) ?? []
  const rest = (await visit(mock, older.replaceAll('&amp;', '&'))).text
  for (let n = 0; n < 30; n++) t.match(n < 10 ? rest : text, `GET /nowhere/${n}/<`)
})

t.test('accepted requests are shown after more refused ones than a page has', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  for (let n = 0; n < 60; n++) await mock.call('POST', '/v2/deposits', {})
  const text = await see(mock, '/requests')
  t.match(text, '<code>POST /v2/payouts</code>')
  t.notMatch(text, 'No requests yet')
  t.match(text, 'Older refused requests (40)')
})

t.test('a filter shows only refused or only accepted requests', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '/v2/deposits', {})
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  const summary = (path: string): string => `<code>POST ${path}</code>`
  const refused = await see(mock, '/requests?outcome=refused')
  t.match(refused, summary('/v2/deposits'))
  t.notMatch(refused, summary('/v2/payouts'))
  const accepted = await see(mock, '/requests?outcome=accepted')
  t.notMatch(accepted, summary('/v2/deposits'))
  t.match(accepted, summary('/v2/payouts'))
})

t.test('the nearest valid request is shown as curl and can be sent', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '/v2/deposit', { ...deposit(), clientReferenceId: markup })
  const text = await see(mock, '/requests')
  t.match(text, '/v2/deposits in place of /v2/deposit')
  t.match(text, /curl -s -X POST \S+\/v2\/deposits/)
  t.notMatch(text, markup)
  const [, path = ''] = /name="path" value="([^"]+)"/.exec(text) ?? []
  const [, body = ''] = /name="body" value="([^>]+)">/.exec(text) ?? []
  const page = await actAndSee(mock, 'send-request', {
    method: 'POST',
    path,
    body: body.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
  })
  t.match(page, 'The request was sent.')
  t.equal((await mock.call('GET', '/__admin/payments')).body.payments.length, 1)
})

t.test('a request is replayed as it was, or with a new identifier', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body, { 'x-momock-scenario': 'slow-approval' })
  const replay = (fields: object) =>
    actAndSee(mock, 'replay-request', { back: '/requests', request: '1', ...fields })
  const curl = await replay({})
  t.match(curl, 'The request was sent again.')
  t.match(curl, /x-momock-scenario: slow-approval/)
  t.match(curl, /Authorization: Bearer test-token/)
  await replay({ fresh: 'true' })
  const entries = (await mock.call('GET', '/__admin/requests')).body.requests
  t.strictSame(
    entries.map(({ response }: any) => response.body.status),
    ['ACCEPTED', 'DUPLICATE_IGNORED', 'ACCEPTED']
  )
  const { payments } = (await mock.call('GET', '/__admin/payments')).body
  t.strictSame(
    payments.map(({ scenario }: any) => scenario),
    ['slow-approval', 'slow-approval']
  )
  t.match(await replay({ request: '99' }), /dropped this request/)
})

/** Paths of strangers that a URL would take for another host, or for an admin call. */
const foreign: Array<(host: string) => string> = [
  (host) => `//${host}/x`,
  (host) => `http://${host}/x`,
  (host) => `/\\${host}/x`,
  (host) => `//shop@${host}/x`,
  () => '/v2/../__admin/reset'
]

t.test('a replay and a sent request go to this server only, with the same path', async (t) => {
  const received: string[] = []
  const stranger = createServer(({ url, headers }, response) => {
    received.push(`${url} ${headers.authorization}`)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.teardown(() => stranger.close())
  const { port } = stranger.address() as AddressInfo
  const mock = await build(t)
  const { hostname, port: ownPort } = new URL(mock.url)
  await mock.call('POST', '/v2/deposits', deposit())
  const listUrls = async (): Promise<string[]> =>
    (await mock.call('GET', '/__admin/requests?limit=100')).body.requests.map(
      ({ request }: any) => request.url
    )
  for (const write of foreign) {
    const path = write(`127.0.0.1:${port}`)
    const socket = connect(Number(ownPort), hostname)
    socket.end(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`)
    await text(socket)
    const [{ id, request }] = (await mock.call('GET', '/__admin/requests?limit=1')).body.requests
    const before = await listUrls()
    await actAndSee(mock, 'replay-request', { back: '/requests', request: String(id) })
    await actAndSee(mock, 'send-request', { back: '/requests', method: 'POST', path })
    t.same(await listUrls(), [request.url, request.url, ...before], `${path} came to this server`)
  }
  t.same(received, [], 'and to no other')
  t.equal((await mock.call('GET', '/__admin/payments')).body.payments.length, 1, 'nothing is reset')
})

t.test('a request with a doubled slash is replayed as it was', async (t) => {
  const mock = await build(t)
  await mock.call('POST', '//v2/deposits', deposit())
  await actAndSee(mock, 'replay-request', { back: '/requests', request: '1' })
  const { requests } = (await mock.call('GET', '/__admin/requests')).body
  t.match(requests, [
    { request: { url: '//v2/deposits' }, response: { body: { status: 'DUPLICATE_IGNORED' } } },
    { request: { url: '//v2/deposits' }, response: { body: { status: 'ACCEPTED' } } }
  ])
})

t.test('a request that never gets an answer can be replayed', async (t) => {
  const mock = await build(t)
  for (const scenario of ['reset', 'lost', 'truncated']) {
    await mock.call('POST', '/__admin/scenarios', { name: scenario, fault: scenario })
    await mock
      .call('POST', '/v2/deposits', deposit(), { 'x-momock-scenario': scenario })
      .catch(() => {})
    const [{ id }] = (await mock.call('GET', '/__admin/requests?limit=1')).body.requests
    const page = await actAndSee(mock, 'replay-request', { back: '/requests', request: String(id) })
    t.match(page, /x-momock-scenario/, scenario)
  }
})
