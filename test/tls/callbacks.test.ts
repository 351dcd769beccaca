import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { createMomock, type Momock, type MomockOptions } from '../../src/index.ts'
import { CallbackTargets } from '../../src/security/callback-targets.ts'
import { explainTlsError } from '../../src/security/receiver-certificate.ts'
import { createKey, createServerCertificate } from '../../src/tls/certificates.ts'
import { authorityFor, certificateFor } from '../support/certificates.ts'
import { long } from '../support/full.ts'
import { folder, until } from '../support/helper.ts'
import { deposit } from '../support/process.ts'
import { waitFor, waitLimitMs } from '../support/waits.ts'

/** Callbacks to receivers with HTTPS: verified, and explained if that fails. */

const day = 24 * 60 * 60_000

/** A merchant's server with this certificate. Counts the requests that reach it. */
async function receive (
  t: Test,
  credentials: { cert: string; key: string } | undefined
): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const server = credentials === undefined ? createHttpServer() : createServer(credentials)
  server.on('request', (request, response) => {
    received.push(request.url ?? '')
    request.resume()
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/callbacks`,
    received
  }
}

/** Makes a deposit and returns its identifier. */
async function initiate ({ url, token }: Momock): Promise<string> {
  const body = deposit()
  await fetch(`${url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  return body.depositId
}

/** Makes a deposit and returns the first attempt of its callback. */
async function attempt (
  t: Test,
  options: MomockOptions
): Promise<{ status?: number; error?: string }> {
  const mock: Momock = await createMomock(options)
  t.teardown(mock.close)
  await initiate(mock)
  const [callback] = await until(
    () => mock.callbacks(),
    (callbacks) => callbacks[0]?.attempts.length > 0
  )
  return callback.attempts[0]
}

t.test('callbacksCa trusts the authority of a receiver', async (t) => {
  const { server, authority } = await certificateFor(['localhost'])
  const callbacksCa = join(folder(t), 'company-ca.pem')
  writeFileSync(callbacksCa, authority)
  const { url, received } = await receive(t, server)
  t.match(await attempt(t, { callbackUrl: url, callbacksCa }), { status: 200 })
  t.same(received, ['/callbacks'])
})

const expired = await certificateFor(['localhost'], Date.now() - 3660 * day)
const otherName = await certificateFor(['shop.test'])
const unknown = await certificateFor(['localhost'])
const limited = await authorityFor(['shop.test'])
const forged = await createServerCertificate(limited, ['localhost'], Date.now())

/** Receivers that must not get a callback, and the parts of the explanation. */
const refused: Array<
  [what: string, credentials: { cert: string; key: string } | undefined, ca: string, said: RegExp[]]
> = [
  [
    'an unknown authority',
    unknown.server,
    otherName.authority,
    [
      /^the certificate of localhost:\d+ \(subject CN=momock, for DNS:localhost, /,
      /signed by CN=momock certificate authority \w{8}, valid until .* GMT\)/,
      /is refused: it is signed by an authority that is not trusted; set callbacksCa/,
      /\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/
    ]
  ],
  [
    'another name',
    otherName.server,
    otherName.authority,
    [/for DNS:shop\.test/, /it is for other names; use a name of the certificate/]
  ],
  ['an expired certificate', expired.server, expired.authority, [/it has expired; renew it/]],
  [
    'a name that its authority may not sign',
    forged,
    limited.cert,
    [/its chain is not valid \(permitted subtree violation\); check it with openssl verify/]
  ],
  ['no TLS', undefined, otherName.authority, [/^localhost:\d+ does not use TLS; correct the port/]]
]

for (const [what, credentials, ca, said] of refused) {
  t.test(`a callback is not sent to a receiver with ${what}`, async (t) => {
    const callbacksCa = join(folder(t), 'ca.pem')
    writeFileSync(callbacksCa, ca)
    const { url, received } = await receive(t, credentials)
    const { status, error } = await attempt(t, { callbackUrl: url, callbacksCa })
    t.equal(status, undefined)
    for (const part of said) t.match(error, part)
    t.same(received, [], 'nothing was sent')
  })
}

/** A receiver that shows its certificate to the first connections, and says nothing to others. */
async function receiveFew (t: Test, few: number): Promise<{ url: string; silent: Promise<void> }> {
  const secureContext = createSecureContext(unknown.server)
  const { promise: silent, resolve } = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    if (sockets.push(socket) > few) return resolve()
    new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, silent }
}

/** Time for a callback that is longer than the limit of all waits in tests. */
const timeoutMs = 2 * waitLimitMs

t.test('a mock can be closed while it reads a refused certificate', long, async (t) => {
  const { url, silent } = await receiveFew(t, 1)
  const mock = await createMomock({ callbackUrl: url, callbackTimeout: `${timeoutMs / 1000}s` })
  await initiate(mock)
  await waitFor('a second connection', silent)
  await t.resolves(waitFor('the end of the mock', mock.close()))
})

t.test('a refused certificate is not read after the stop', async (t) => {
  const { url } = await receiveFew(t, 0)
  const error = Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' })
  const { lookUp } = new CallbackTargets('any', () => [])
  const limits = { timeoutMs, stop: AbortSignal.abort() }
  const explained = explainTlsError(url, error, lookUp, limits)
  t.match(await waitFor('the explanation', explained), /is refused: it has expired/)
})

t.test('a sink of the same server can be reached by HTTPS', async (t) => {
  const mock = await createMomock({ tls: true })
  t.teardown(mock.close)
  await mock.configure({ callbacks: { deposits: `${mock.tlsUrl}/__admin/sink/shop` } })
  const depositId = await initiate(mock)
  await mock.wait('deposit', depositId, 'acknowledged')
  t.match(await mock.sink('shop'), { received: 1, callbacks: [{ signature: { valid: true } }] })
})

t.test('a file without certificates is refused at the start', async (t) => {
  const callbacksCa = join(folder(t), 'ca.pem')
  await t.rejects(createMomock({ callbacksCa }), /callbacksCa: .* cannot be read/)
  writeFileSync(callbacksCa, await createKey())
  await t.rejects(createMomock({ callbacksCa }), /contains no certificate as PEM/)
  writeFileSync(callbacksCa, unknown.authority.replace(/MII/, 'AAA'))
  await t.rejects(createMomock({ callbacksCa }), /contains a certificate that cannot be read/)
})
