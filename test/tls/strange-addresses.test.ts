import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import t, { type Test } from 'tap'
import { catchThrown } from '../../routes/http/server.ts'
import { createMomock, type TlsMomock } from '../../src/index.ts'
import { waitFor } from '../support/waits.ts'
import { openSocket } from './connections.ts'

/** Paths and hosts that are no URLs, on every listener and in every area of the addresses. */

type Area = 'v1' | 'v2' | 'admin' | 'page'

/** Fields of an error in each area. */
const errors: Record<Area, object> = {
  v1: { errorId: String, errorCode: Number, errorMessage: String },
  v2: { failureReason: { failureCode: String, failureMessage: String } },
  admin: { error: { code: String, message: String, hint: String } },
  page: { error: { code: String, message: String, hint: String } }
}

const areas: ReadonlyArray<[path: string, area: Area]> = [
  ['/v2/deposits', 'v2'],
  ['/v2/nowhere', 'v2'],
  ['/deposits', 'v1'],
  ['/nowhere', 'v1'],
  ['/__admin/payments/deposit', 'admin'],
  ['/__admin/ui', 'admin'],
  ['/checkout', 'page'],
  ['/pay', 'page'],
  ['/authorise', 'page']
]

/** Paths that no URL has, below each area. */
const below = ['/%', '/%zz/x', '/x%ff/', '/[', '/..%', '/%00%', '/%?token=%', '/a%20%']

/** Paths that name no area. */
const nowhere = [
  '//[',
  '//[/?token=x',
  '/?token=%',
  '/?token=%zz',
  '/\\[',
  '//:/',
  '///',
  '/%',
  '*',
  'http://[',
  'http://[/?token=x',
  'http://host:99999/',
  '?token=x',
  '[',
  '%'
]

const hosts = [
  'localhost',
  'sandbox.paywith.pawapay.io',
  'checkout.sandbox.pawapay.io',
  'api.sandbox.pawapay.io',
  '[',
  '[::1',
  ']:',
  ':',
  '%zz',
  'a b\\c',
  'http://x',
  '127.0.0.1:99999',
  '__proto__',
  '.'
]

const json = 'application/json'

/** Answer to what is no HTTP: it has no path, and so no area. */
const noHttp = '{"error":"Bad Request","message":"Client Error","statusCode":400}'

interface Shot {
  method: string
  path: string
  host: string
}

interface Reply {
  status: number
  text: string
}

type Listener = [name: string, send: (mock: TlsMomock, shot: Shot) => Promise<Reply>]

/** Writes a request as it is: the clients of Node refuse such paths. */
async function sendRaw (socket: Socket, { method, path, host }: Shot): Promise<Reply> {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Accept: ${json}`]
  socket.write([...head, 'Connection: close', '', ''].join('\r\n'))
  const [status, ...body] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(status.split(' ')[1]), text: body.join('\r\n\r\n') }
}

async function sendHttp2 (mock: TlsMomock, { method, path, host }: Shot): Promise<Reply> {
  const createConnection = (): Socket => openSocket(mock, 'localhost', 'h2')
  const session = connectHttp2('https://localhost', { createConnection })
  try {
    const address = { ':method': method, ':path': path, ':authority': host }
    const stream = session.request({ ...address, accept: json })
    stream.end()
    let status = 0
    stream.on('response', ({ ':status': sent = 0 }) => {
      status = sent
    })
    return await new Promise((resolve, reject) => {
      // The protocol itself refuses some names of hosts.
      const refused = { status: 400, text: noHttp }
      stream.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_HTTP2_STREAM_ERROR' ? resolve(refused) : reject(error)
      )
      session.on('error', reject)
      text(stream).then((body) => resolve({ status, text: body }), reject)
    })
  } finally {
    session.destroy()
  }
}

const listeners: Listener[] = [
  [
    'plain',
    async ({ url }, shot) => {
      const { hostname, port } = new URL(url)
      return await sendRaw(connect(Number(port), hostname), shot)
    }
  ],
  ['TLS', async (mock, shot) => await sendRaw(openSocket(mock, 'localhost'), shot)],
  ['HTTP/2', sendHttp2]
]

/** Sends a request. The answer is no server error, and an error has the form of its area. */
async function check (
  t: Test,
  mock: TlsMomock,
  [name, send]: Listener,
  shot: Shot,
  area?: Area
): Promise<void> {
  const what = `${name}: ${shot.method} ${shot.path} of ${shot.host}`
  const { status, text } = await waitFor(what, send(mock, shot))
  if (status < 200 || status >= 500) t.fail(`${what}: status ${status} ${text}`)
  if (status < 400 || (area === undefined && text === noHttp)) return
  const body: object = JSON.parse(text)
  if (area !== undefined) t.match(body, errors[area], what)
  const known = Object.values(errors).some((fields) =>
    Object.keys(fields).every((field) => field in body)
  )
  if (!known || 'statusCode' in body) t.fail(`${what}: ${text}`)
}

for (const listener of listeners) {
  t.test(`${listener[0]}: paths and hosts that are no URLs are answered`, async (t) => {
    const mock = await createMomock({ tls: true })
    t.teardown(mock.close)
    for (const [path, area] of areas) {
      for (const end of below) {
        for (const method of area === 'page' ? ['GET'] : ['GET', 'POST']) {
          await check(t, mock, listener, { method, path: path + end, host: 'localhost' }, area)
        }
      }
      for (const host of hosts) await check(t, mock, listener, { method: 'GET', path, host })
    }
    for (const path of nowhere) {
      for (const host of hosts) await check(t, mock, listener, { method: 'GET', path, host })
    }
    t.equal((await fetch(`${mock.url}/health`)).status, 200)
  })
}

t.test('a request whose handling throws is answered, and ends nothing else', async (t) => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const server = createServer((request, response) => {
    if (request.url === '/thrown') throw new Error('thrown on purpose')
    response.end('answered')
  })
  catchThrown(server, { describe: () => ({ status: 500, body: { area: 'any' } }), log })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const thrown = await fetch(`${url}/thrown`)
  t.equal(thrown.status, 500)
  t.strictSame(await thrown.json(), { area: 'any' })
  t.match(JSON.parse(lines[0]), { url: '/thrown', err: { message: 'thrown on purpose' } })
  t.equal(await (await fetch(url)).text(), 'answered')
})
