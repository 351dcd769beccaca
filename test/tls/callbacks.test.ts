import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createMomock, type Momock, type MomockOptions } from '../../src/index.ts'
import { createKey, createServerCertificate } from '../../src/tls/certificates.ts'
import { authorityFor, certificateFor } from '../support/certificates.ts'
import { folder, until } from '../support/helper.ts'
import { deposit } from '../support/process.ts'

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

/** Makes a deposit and returns the first attempt of its callback. */
async function attempt (
  t: Test,
  options: MomockOptions
): Promise<{ status?: number; error?: string }> {
  const mock: Momock = await createMomock(options)
  t.teardown(mock.close)
  await fetch(`${mock.url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(deposit())
  })
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

t.test('a sink of the same server can be reached by HTTPS', async (t) => {
  const mock = await createMomock({ tls: true })
  t.teardown(mock.close)
  await mock.configure({ callbacks: { deposits: `${mock.tlsUrl}/__admin/sink/shop` } })
  const { depositId, ...rest } = deposit()
  await fetch(`${mock.url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mock.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ depositId, ...rest })
  })
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
