import { chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { findLedgerProblem, openEngine } from '../../db/open-engine.ts'
import { writeDriverUrl } from '../../db/postgres/connection-url.ts'
import { createAuthority, createKey, createServerCertificate } from '../../src/tls/certificates.ts'
import { makeLong } from '../support/full.ts'
import { build } from '../support/helper.ts'
import { deposit } from '../support/process.ts'
import {
  createCluster,
  createSchema,
  findDatabaseUser,
  openCluster,
  postgresOptions,
  runSql
} from '../support/postgres.ts'

/** Encrypted connections to PostgreSQL. The modes mean what they mean for psql. */

/** Name in the certificate of the database. Its address is not in there. */
const [certifiedName, otherName] = ['localhost', '127.0.0.1']

/** Starts a database with encryption. Returns its URL and the file of its authority. */
async function startEncrypted (t: Test): Promise<{ url: string; authority: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'momock-encryption-'))
  const key = await createKey()
  const cert = await createAuthority(key, [certifiedName], Date.now())
  const server = await createServerCertificate({ key, cert }, [certifiedName], Date.now())
  const [authority, certFile, keyFile] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) =>
    join(folder, name)
  )
  writeFileSync(authority, cert)
  writeFileSync(certFile, server.cert)
  writeFileSync(keyFile, server.key, { mode: 0o600 })
  for (const path of [folder, certFile, keyFile]) chownSync(path, findDatabaseUser(), -1)
  const cluster = await createCluster([
    'ssl = on',
    `ssl_cert_file = '${certFile}'`,
    `ssl_key_file = '${keyFile}'`
  ])
  t.teardown(cluster.remove)
  return { url: cluster.url, authority }
}

/** What a mode leads to: an encrypted connection or a plain one, or the reason why none. */
type Row = [host: string, parameters: string, result: 'encrypted' | 'plain' | RegExp]

const rows: Row[] = [
  [otherName, '', 'plain'],
  [otherName, 'sslmode=disable', 'plain'],
  [otherName, 'sslmode=require', 'encrypted'],
  [otherName, 'sslmode=no-verify', 'encrypted'],
  [otherName, 'sslmode=verify-ca&sslrootcert=AUTHORITY', 'encrypted'],
  [certifiedName, 'sslmode=verify-full&sslrootcert=AUTHORITY', 'encrypted'],
  [otherName, 'sslmode=verify-full&sslrootcert=AUTHORITY', /is for another host .*; write/],
  [certifiedName, 'sslmode=verify-full', /the authority of .* is not known .*sslrootcert=FILE/]
]

t.test('modes of encryption', makeLong(postgresOptions), async (t) => {
  const { url, authority } = await startEncrypted(t)
  for (const [host, parameters, result] of rows) {
    const name = `${host} ${parameters}`
    const query = parameters.replace('AUTHORITY', encodeURIComponent(authority))
    const db = `${url.replace(otherName, host)}?${query}`
    const engine = await openEngine(db).catch((error: Error) => error)
    if (engine instanceof Error) {
      t.ok(result instanceof RegExp && result.test(engine.message), `${name}: ${engine.message}`)
      continue
    }
    const read = `
      SELECT CASE WHEN ssl THEN 'encrypted' ELSE 'plain' END
      FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    t.equal(await engine.connection.prepare(read).pluck().get(), result, name)
    await engine.close()
  }
})

t.test('all connections of a server are encrypted', makeLong(postgresOptions), async (t) => {
  const { url } = await startEncrypted(t)
  const db = await createSchema(t, url)
  const { call } = await build(t, { db: `${db}&sslmode=require` })
  for (let i = 0; i < 2; i++) {
    t.match(await call('POST', '/v2/deposits', deposit()), { body: { status: 'ACCEPTED' } })
  }
  const sessions = await runSql(
    url,
    `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
    WHERE application_name LIKE 'momock%'`
  )
  t.strictSame(sessions, [{ ssl: true }])
})

t.test('a database without encryption says so', makeLong(postgresOptions), async (t) => {
  const { url } = await openCluster()
  const problem = await findLedgerProblem(`${url}?sslmode=require`)
  t.match(problem, { message: /PostgreSQL has no encryption at .*; set ssl = on in PostgreSQL/ })
})

t.test('PGSSLMODE is the mode of URLs without one', async (t) => {
  const url = 'postgres://momock@host/momock'
  process.env.PGSSLMODE = 'require'
  t.teardown(() => {
    delete process.env.PGSSLMODE
  })
  const modeOf = (url: string) => new URL(writeDriverUrl(url)).searchParams.get('sslmode')
  t.equal(modeOf(url), 'require')
  t.equal(modeOf(`${url}?sslmode=disable`), 'disable')
  process.env.PGSSLMODE = 'prefer'
  const error = await openEngine(url).catch((error: Error) => error)
  t.match(error, { message: /^PGSSLMODE must be disable, .*, got 'prefer'; correct the env/ })
})

/** Parameters of a URL that are refused before a connection is made. */
const wrongParameters: Array<[parameters: string, says: RegExp]> = [
  ['sslmod=require', /has the parameter sslmod, which is not known; .*correct its name: host,/],
  ['sslmode=prefer', /sslmode of .* must be disable, require, verify-ca or verify-full, got 'pre/],
  ['sslmode=verify-ca', /sslmode=verify-ca of .* needs sslrootcert, a file with certificates/],
  ['sslrootcert=nowhere.pem', /sslrootcert of .* must be a file that can be read, got 'nowhere/],
  ['sslrootcert=package.json', /sslrootcert of .* needs a mode, for example sslmode=verify-full/],
  ['sslnegotiation=fast', /sslnegotiation of .* must be postgres or direct, got 'fast'/],
  ['statement_timeout=0', /statement_timeout of .* must be a number of milliseconds from 1/],
  ['constructor=x', /has the parameter constructor, which is not known/]
]

t.test('wrong parameters of a URL', async (t) => {
  for (const [parameters, message] of wrongParameters) {
    const db = `postgres://momock:secret@127.0.0.1:1/momock?${parameters}`
    const error = await openEngine(db).catch((error: Error) => error)
    t.ok(error instanceof LedgerUnusableError, parameters)
    t.match(error, { message })
    t.notMatch(error, { message: /secret/ })
  }
})
