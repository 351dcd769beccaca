import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { launch, hasBrowser } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { build, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Web pages of other sites cannot use a local mock. */

/** Sends a raw request, because fetch sets some of these headers itself. */
async function send (
  { url }: Client,
  method: string,
  path: string,
  headers: Record<string, string>
): Promise<{ status: number; headers: IncomingHttpHeaders; body: any }> {
  const sent = request(url + path, { method, headers: { host: new URL(url).host, ...headers } })
  sent.end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text
  }
}

const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

const rows: Array<[name: string, headers: Record<string, string>, isAllowed: boolean]> = [
  ['a client that is no browser', {}, true],
  ['a Host of another port', { host: '127.0.0.1:1' }, true],
  ['localhost', { host: 'localhost:7070' }, true],
  ['localhost in capitals with a dot', { host: 'LOCALHOST.:7070' }, true],
  ['a name below localhost', { host: 'mock.localhost:7070' }, true],
  ['an address of IPv6', { host: '[::1]:7070' }, true],
  ['an address in a network', { host: '192.168.1.5:7070' }, true],
  ['a service of Docker Compose', { host: 'momock:7070' }, true],
  ['the host of a container', { host: 'host.docker.internal:7070' }, true],
  ['the public URL', { host: 'mock.example.com' }, true],
  ['an allowed host', { host: 'ci.example.net:7070' }, true],
  ['a host below an allowed one', { host: 'a.b.example.org' }, true],
  ['a rebound name', { host: 'evil.example:7070' }, false],
  ['a rebound name of an address', { host: '127.0.0.1.evil.example:7070' }, false],
  ['a name that ends like an allowed one', { host: 'evilexample.org' }, false],
  ['a name that begins with localhost', { host: 'localhost.evil.example' }, false],
  ['a name that any machine of a network can claim', { host: 'mock.local:7070' }, false],
  ['a name that begins like an address of this machine', { host: '127.evil.example' }, false],
  ['an Origin on this machine', { origin: 'http://localhost:3000' }, true],
  ['an Origin in IPv6', { origin: 'http://[::1]:3000' }, true],
  [
    'an Origin on this machine by another name',
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
    true
  ],
  ['the Origin of the public URL', { origin: 'https://mock.example.com' }, true],
  ['an allowed Origin', { origin: 'https://ci.example.net' }, true],
  ['an Origin below localhost', { origin: 'http://shop.localhost:3000' }, true],
  ['an Origin whose name begins like this machine', { origin: 'http://127.evil.example' }, false],
  ['an Origin whose name begins like IPv6', { origin: 'http://1.evil.example' }, false],
  ['a page of a file', { origin: 'file://' }, false],
  ['another Origin', { origin: 'https://evil.example' }, false],
  [
    'another Origin that calls itself the same site',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    false
  ],
  ['no Origin', { origin: 'null' }, false],
  ['an Origin that is none', { origin: 'localhost' }, false],
  ['a private name as another Origin', { origin: 'http://intranet' }, false],
  [
    'the Origin of a rebound name',
    { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    false
  ],
  ['the same site', { 'sec-fetch-site': 'same-origin' }, true],
  ['an address that was typed', { 'sec-fetch-site': 'none', ...navigation }, true],
  [
    'an image of another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    false
  ]
]

t.test('the Host, Origin and Sec-Fetch-Site headers decide about admin calls', async (t) => {
  const mock = await build(t, {
    publicUrl: 'https://mock.example.com/',
    allowHosts: 'ci.example.net,*.example.org,'
  })
  for (const [method, path] of [
    ['GET', '/__admin/accounts'],
    ['POST', '/__admin/reset'],
    ['GET', '/__admin/openapi.json'],
    ['GET', '/__admin/docs']
  ] as const) {
    for (const [name, headers, isAllowed] of rows) {
      const { status, body } = await send(mock, method, path, headers)
      t.equal(status, isAllowed ? 200 : 403, `${name}: ${method} ${path}`)
      if (!isAllowed) t.match(body.error, { code: 'FORBIDDEN', hint: /--allow-hosts/ })
    }
  }
})

t.test('a link of another site can be followed, and nothing else', async (t) => {
  const mock = await openSandbox(t)
  const link = { 'sec-fetch-site': 'cross-site', ...navigation }
  t.equal((await send(mock, 'GET', '/__admin/docs', link)).status, 200)
  t.equal((await send(mock, 'POST', '/__admin/reset', link)).status, 403)
  const frame = { ...link, 'sec-fetch-dest': 'iframe' }
  t.equal((await send(mock, 'GET', '/__admin/docs', frame)).status, 403)
})

t.test('a refused admin call changes nothing', async (t) => {
  const mock = await openSandbox(t)
  await mock.call('POST', '/__admin/scenarios', { name: 'kept', when: {}, fault: 'reset' })
  await send(mock, 'POST', '/__admin/reset', { origin: 'https://evil.example' })
  const { body } = await mock.call('GET', '/__admin/scenarios')
  t.match(body.scenarios, [{ name: 'kept' }])
})

t.test('pages can be seen under any name, and used under known names', async (t) => {
  const mock = await build(t, { publicUrl: 'https://mock.example.com' })
  for (const [host, isKnown] of [
    ['localhost', true],
    ['mock.example.com', true],
    ['evil.example', false]
  ] as const) {
    for (const path of ['/checkout/none', '/pay/none', '/authorise/none']) {
      t.equal((await send(mock, 'GET', path, { host })).status, 404, `GET ${path} of ${host}`)
    }
    for (const path of ['/checkout/none/cancel', '/checkout/none/attempts', '/authorise/none']) {
      const { status } = await send(mock, 'POST', path, { host })
      t.equal(status === 403, !isKnown, `POST ${path} of ${host}: ${status}`)
    }
  }
})

t.test('in a container, the dashboard takes the hosts that the admin API takes', async (t) => {
  const mock = await build(t, { host: '0.0.0.0' })
  const hosts: Array<[host: string, isAllowed: boolean]> = [
    ['127.0.0.1:7070', true],
    ['localhost:7070', true],
    ['momock:7070', true],
    ['192.168.1.5:7070', true],
    ['[::1]:7070', true],
    ['host.docker.internal:7070', true],
    ['evil.example:7070', false],
    ['127.0.0.1.evil.example:7070', false],
    ['momock.local:7070', false]
  ]
  for (const [host, isAllowed] of hosts) {
    const page = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    const call = await send(mock, 'POST', '/__admin/reset', page)
    const action = await send(mock, 'POST', '/__admin/ui/actions/reset-account', page)
    t.equal(call.status, isAllowed ? 200 : 403, `call to ${host}`)
    t.equal(action.status, isAllowed ? 303 : 403, `action of the dashboard at ${host}`)
    const other = { ...page, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/__admin/reset', '/__admin/ui/actions/reset-account']) {
      t.equal((await send(mock, 'POST', path, other)).status, 403, `${path} by another site`)
    }
  }
})

t.test('the API itself takes a token from everywhere', async (t) => {
  const mock = await build(t)
  const headers = { host: 'evil.example', authorization: `Bearer ${mock.config.token}` }
  t.equal((await send(mock, 'GET', '/v2/availability', headers)).status, 200)
})

t.test('--allow-hosts * allows every name', async (t) => {
  const mock = await build(t, { allowHosts: '*' })
  const headers = { host: 'any.example', origin: 'https://other.example' }
  t.equal((await send(mock, 'GET', '/__admin/accounts', headers)).status, 200)
})

t.test('a page in a browser', makeLong({ skip: !hasBrowser && 'no browser' }), async (t) => {
  const mock = await build(t)
  const { port } = new URL(mock.url)
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>another site</title>')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => site.close().closeAllConnections())
  const sitePort = (site.address() as AddressInfo).port
  const browser = await launch(['--host-resolver-rules=MAP evil.example 127.0.0.1'])
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  await mock.call('POST', '/__admin/scenarios', { name: 'kept', when: {}, fault: 'reset' })

  await page.goto(`http://evil.example:${sitePort}/`)
  await page.evaluate(
    (url) => fetch(url, { method: 'POST', mode: 'no-cors' }).then(() => {}),
    `${mock.url}/__admin/reset`
  )
  const { body } = await mock.call('GET', '/__admin/scenarios')
  t.match(body.scenarios, [{ name: 'kept' }], 'another site cannot reset the mock')

  await page.goto(`http://evil.example:${port}/health`)
  const status = await page.evaluate(() => fetch('/__admin/accounts').then(({ status }) => status))
  t.equal(status, 403, 'a rebound name cannot read the accounts')

  await page.goto(`${mock.url}/__admin/docs`)
  t.match(await page.title(), /momock/, 'a person can read the reference')
})
