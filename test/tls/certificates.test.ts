import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { connect, rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { addressBytes } from '../../src/tls/addresses.ts'
import { createServerCertificate, type KeyedCertificate } from '../../src/tls/certificates.ts'
import { openCredentials } from '../../src/tls/credentials.ts'
import { authorityFor, certificateFor } from '../support/certificates.ts'
import { folder } from '../support/helper.ts'

const day = 24 * 60 * 60_000
const now = Date.now()
const openssl = promisify(execFile)

/** Connects with verification on. Returns 'trusted', or the code or the text of the error. */
async function verify (
  t: Test,
  { cert, key }: KeyedCertificate,
  ca: string,
  servername: string
): Promise<string> {
  const server = createServer({ cert, key })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername, ca }, () => {
      socket.destroy()
      resolve('trusted')
    })
    socket.on('error', ({ code = '', message }: NodeJS.ErrnoException) =>
      resolve(code === 'UNSPECIFIED' ? message : code)
    )
  })
}

t.test('a certificate is trusted for the names of the service, by openssl too', async (t) => {
  const tlsDir = folder(t)
  const { cert, authority } = await openCredentials(
    { tlsDir, db: ':memory:', tlsHosts: 'mock.test, *.shop.test,10.1.2.3,2001:db8::7' },
    now
  )
  const file = join(tlsDir, 'server.pem')
  writeFileSync(file, cert)
  const hosts = [...serviceHosts, 'localhost', 'mock.test', 'a.shop.test']
  const addresses = ['127.0.0.1', '::1', '10.1.2.3', '2001:db8::7']
  for (const [option, name] of [
    ...hosts.map((name) => ['-verify_hostname', name]),
    ...addresses.map((name) => ['-verify_ip', name])
  ]) {
    const ca = authority?.files.ca ?? ''
    const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', ca]
    const { stdout } = await openssl('openssl', [...args, option, name, file])
    t.match(stdout, /: OK/, name)
  }
  const { stdout } = await openssl('openssl', ['x509', '-in', file, '-noout', '-text'])
  t.match(stdout, /ecdsa-with-SHA256/)
  t.match(stdout, /NIST CURVE: P-256/)
  const { validFrom, validTo } = new X509Certificate(cert)
  const lifetime = Date.parse(validTo) - Date.parse(validFrom)
  t.ok(lifetime <= 398 * day, 'Apple accepts its lifetime')
})

t.test('clients refuse another name, even if the authority signs it', async (t) => {
  const path = folder(t)
  const authority = await authorityFor(['api.sandbox.pawapay.io', '127.0.0.1'])
  writeFileSync(join(path, 'ca.pem'), authority.cert)
  for (const name of ['evil.example', 'pawapay.io', 'xapi.sandbox.pawapay.io', '127.0.0.2']) {
    const forged = await createServerCertificate(authority, [name], now)
    writeFileSync(join(path, 'forged.pem'), forged.cert)
    await t.rejects(
      openssl('openssl', ['verify', '-CAfile', join(path, 'ca.pem'), join(path, 'forged.pem')]),
      /permitted subtree violation/,
      name
    )
    t.match(
      await verify(t, forged, authority.cert, 'api.sandbox.pawapay.io'),
      /permitted subtree violation/,
      name
    )
  }
})

t.test('a foreign or expired authority is refused', async (t) => {
  const host = 'api.sandbox.pawapay.io'
  const own = await certificateFor([host])
  const foreign = await certificateFor([host])
  const expired = await certificateFor([host], now - 3660 * day)
  t.equal(await verify(t, own.server, own.authority, host), 'trusted')
  t.equal(await verify(t, own.server, foreign.authority, host), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  t.equal(await verify(t, expired.server, expired.authority, host), 'CERT_HAS_EXPIRED')
  t.equal(
    await verify(t, own.server, own.authority, 'api.example.test'),
    'ERR_TLS_CERT_ALTNAME_INVALID'
  )
})

t.test('the authority is created once, the certificate at each start', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await openCredentials({ db }, now)
  const second = await openCredentials({ db }, now + day)
  const files = first.authority?.files
  t.same(second.authority, first.authority)
  t.not(second.cert, first.cert)
  t.not(second.key, first.key)
  t.equal(files?.ca, join(db, '../tls/ca.pem'), 'beside the ledger')
  t.equal(statSync(files?.key ?? '').mode & 0o777, 0o600, 'only its owner can read the key')
  const bundle = readFileSync(files?.bundle ?? '', 'utf8')
  t.equal(bundle.match(/BEGIN CERTIFICATE/g)?.length, rootCertificates.length + 1)
  t.ok(bundle.includes(readFileSync(files?.ca ?? '', 'utf8').trim()))
})

t.test('a lost certificate of the authority is made again from its key', async (t) => {
  const tlsDir = folder(t)
  const first = await openCredentials({ tlsDir, db: ':memory:' }, now)
  rmSync(join(tlsDir, 'ca.pem'))
  const second = await openCredentials({ tlsDir, db: ':memory:' }, now)
  const [old, made] = [first, second].map(({ authority }) => authority?.cert ?? '')
  t.not(made, old)
  t.equal(await verify(t, second, old, 'localhost'), 'trusted', 'clients keep their trust')
})

t.test('two starts at once use one authority', async (t) => {
  const tlsDir = folder(t)
  const starts = await Promise.all(
    [1, 2, 3].map(() => openCredentials({ tlsDir, db: ':memory:' }, now))
  )
  t.equal(new Set(starts.map(({ authority }) => authority?.cert)).size, 1)
})

/** What can be wrong with the folder, and what the message says. */
const broken: Array<[what: string, change: (path: string) => Promise<void>, said: RegExp]> = [
  ['no key', async (path) => rmSync(join(path, 'ca.key')), /ca\.key'.*delete ca\.pem and ca\.key/],
  [
    'a key that is no key',
    async (path) => writeFileSync(join(path, 'ca.key'), 'secret'),
    /ca\.key is not an EC P-256 private key/
  ],
  [
    'a certificate that is none',
    async (path) => writeFileSync(join(path, 'ca.pem'), 'certificate'),
    /ca\.pem is not a certificate/
  ],
  [
    'the key of another authority',
    async (path) => writeFileSync(join(path, 'ca.key'), (await authorityFor(['a.test'])).key),
    /ca\.key does not belong to ca\.pem/
  ],
  [
    'an expired authority',
    async (path) => {
      const { cert, key } = await authorityFor(serviceHosts, now - 3660 * day)
      writeFileSync(join(path, 'ca.pem'), cert)
      writeFileSync(join(path, 'ca.key'), key)
    },
    /it expired on .*create a new one/
  ],
  [
    'an authority for other names',
    async (path) => {
      const { cert, key } = await authorityFor(['localhost'])
      writeFileSync(join(path, 'ca.pem'), cert)
      writeFileSync(join(path, 'ca.key'), key)
    },
    /cannot sign api\.sandbox\.pawapay\.io/
  ]
]

for (const [what, change, said] of broken) {
  t.test(`an authority is refused: ${what}`, async (t) => {
    const tlsDir = folder(t)
    await openCredentials({ tlsDir, db: ':memory:' }, now)
    await change(tlsDir)
    await t.rejects(openCredentials({ tlsDir, db: ':memory:' }, now), {
      name: 'ConfigError',
      message: said
    })
  })
}

t.test('addresses are written as bytes', async (t) => {
  for (const [address, hex] of [
    ['127.0.0.1', '7f000001'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::7', '20010db8000000000000000000000007'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
    ['fe80::', 'fe800000000000000000000000000000']
  ]) {
    t.equal(addressBytes(address).toString('hex'), hex, address)
  }
})
