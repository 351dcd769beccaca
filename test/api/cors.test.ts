import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, type Mock } from '../support/helper.ts'

/** Web pages of other origins (CORS), and OPTIONS. */

interface Sent {
  status: number | undefined
  headers: IncomingMessage['headers']
  text: string
}

async function ask (
  { url, config }: Mock,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object
): Promise<Sent> {
  const sent = request(url + path, {
    method,
    headers: {
      authorization: `Bearer ${config.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers
    }
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

const page = 'http://localhost:3000'

t.test('a page of this machine can read the answers', async (t) => {
  const mock = await build(t)
  const calls: Array<[method: string, path: string, status: number, body?: object]> = [
    ['POST', '/v2/deposits', 200, requests.v2.deposit!()],
    ['POST', '/v2/deposits', 400, {}],
    ['POST', '/deposits', 200, requests.v1.deposit!()],
    ['GET', '/v2/active-conf', 200],
    ['GET', '/health', 200],
    ['GET', '/v2/nothing', 404],
    ['GET', '/__admin/clock', 200],
    ['GET', '/__admin/nothing', 404]
  ]
  for (const [method, path, status, body] of calls) {
    const answer = await ask(mock, method, path, { origin: page }, body)
    t.match(answer, {
      status,
      headers: { 'access-control-allow-origin': page, vary: 'Origin' }
    })
    t.ok(answer.text.length > 0, `${method} ${path}`)
  }
})

t.test('a page of another site cannot, unless it is allowed', async (t) => {
  const foreign = { origin: 'https://evil.example' }
  const mock = await build(t)
  const answer = await ask(mock, 'GET', '/v2/active-conf', foreign)
  t.equal(answer.status, 200)
  t.equal(answer.headers['access-control-allow-origin'], undefined)
  t.equal((await ask(mock, 'GET', '/__admin/clock', foreign)).status, 403)
  const open = await build(t, { allowHosts: 'evil.example' })
  t.match((await ask(open, 'GET', '/v2/active-conf', foreign)).headers, {
    'access-control-allow-origin': foreign.origin
  })
})

t.test('a client that is no page gets no such headers', async (t) => {
  const { headers } = await ask(await build(t), 'GET', '/v2/active-conf')
  t.equal(headers['access-control-allow-origin'], undefined)
  t.equal(headers.vary, undefined)
})

t.test('a cache keeps files of pages for each Origin', async (t) => {
  const mock = await build(t)
  for (const headers of [{}, { origin: page }] as Array<Record<string, string>>) {
    const answer = await ask(mock, 'GET', '/static/pages/page.css', headers)
    t.match(answer.headers, { vary: 'Origin', 'cache-control': /public/ })
  }
})

t.test('a preflight request allows what it asks for', async (t) => {
  const mock = await build(t)
  const wishes = {
    origin: page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-momock-scenario'
  }
  const places: Array<[path: string, methods: string]> = [
    ['/v2/deposits', 'POST, OPTIONS'],
    ['/deposits', 'POST, OPTIONS'],
    ['/v2/deposits/f4401bd2-1568-4140-bf2d-eb77d2b2b639', 'GET, HEAD, OPTIONS'],
    ['/__admin/clock', 'GET, PUT, HEAD, OPTIONS']
  ]
  for (const [path, methods] of places) {
    const { status, headers, text } = await ask(mock, 'OPTIONS', path, wishes)
    t.equal(status, 204, path)
    t.equal(text, '')
    t.match(headers, {
      allow: methods,
      'access-control-allow-origin': page,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': wishes['access-control-request-headers'],
      'access-control-max-age': '600'
    })
  }
})

t.test('OPTIONS names the methods of an address, and refuses an unknown one', async (t) => {
  const mock = await build(t)
  const { status, headers } = await ask(mock, 'OPTIONS', '/v2/deposits')
  t.match({ status, headers }, { status: 204, headers: { allow: 'POST, OPTIONS' } })
  t.equal(headers['access-control-allow-methods'], undefined)
  const unknown = await ask(mock, 'OPTIONS', '/v2/nothing')
  t.equal(unknown.status, 404)
})

t.test('a JSON body that is sent as a form is explained', async (t) => {
  const mock = await build(t)
  const form = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded'
  }
  for (const path of [
    '/v2/deposits',
    '/deposits',
    '/__admin/clock/advance',
    '/__admin/phone/260763456789/deposits/f4401bd2-1568-4140-bf2d-eb77d2b2b639'
  ]) {
    const { status, text } = await ask(mock, 'POST', path, form, { by: '1m' })
    t.ok(status === 400 || status === 415, `${path}: ${status}`)
    // A page of a customer has it in HTML, which escapes the quotes after it.
    t.match(text, 'the body is JSON: send it with', path)
  }
})
