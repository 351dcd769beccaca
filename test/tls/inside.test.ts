import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import https from 'node:https'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { getGlobalDispatcher, request } from 'undici'
import { createMomock, type TlsMomock } from '../../src/index.ts'
import { deposit } from '../support/process.ts'

/** A mock inside a test, for clients with hard-coded hosts. */

const url = 'https://api.sandbox.pawapay.io/v2/deposits'
const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }

async function start (t: Test): Promise<TlsMomock> {
  const mock = await createMomock({ tls: true })
  t.teardown(mock.close)
  return mock
}

/** Makes a deposit with node:https. */
async function postWithHttps (options: https.RequestOptions = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const call = https.request(url, { method: 'POST', headers, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve(text))
    })
    call.on('error', reject)
    call.end(JSON.stringify(deposit()))
  })
}

async function postWithFetch (): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(deposit()) })
  return await response.text()
}

t.test('a mock with TLS has a URL, a certificate and a dispatcher', async (t) => {
  const mock = await start(t)
  t.match(mock.tlsUrl, /^https:\/\/127\.0\.0\.1:\d+$/)
  t.match(mock.ca, /^-----BEGIN CERTIFICATE-----/)
  const own = await request(`${mock.tlsUrl}/health`, { dispatcher: mock.dispatcher })
  t.match(await own.body.json(), { status: 'healthy' })
  const hardCoded = await request(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(deposit()),
    dispatcher: mock.dispatcher
  })
  t.match(await hardCoded.body.json(), { status: 'ACCEPTED' })
  const plain = await request(`${mock.url}/health`, { dispatcher: mock.dispatcher })
  t.equal(plain.statusCode, 200, 'other hosts are not redirected')
  const ca = await fetch(`${mock.url}/__admin/ca.pem`)
  t.equal(await ca.text(), mock.ca)
})

t.test('a mock without TLS has none of it', async (t) => {
  const mock = await createMomock()
  t.teardown(mock.close)
  t.notOk('tlsUrl' in mock)
  t.equal((await fetch(`${mock.url}/__admin/ca.pem`)).status, 404)
})

t.test('the environment lets a child process trust the mock', async (t) => {
  const mock = await start(t)
  const program = `fetch('${mock.tlsUrl}/health').then((r) => r.text()).then(console.log)`
  const run = async (env: Record<string, string>): Promise<{ stdout: string }> => {
    // Through `env`, because tap adds its own loader to Node processes.
    const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    return await promisify(execFile)('env', ['-i', ...pairs, process.execPath, '-e', program])
  }
  t.match((await run(mock.env)).stdout, /"healthy"/)
  await t.rejects(run({}), /UNABLE_TO_VERIFY_LEAF_SIGNATURE/)
})

t.test('intercept() redirects fetch and node:https until close()', async (t) => {
  const before = getGlobalDispatcher()
  const { createConnection } = https.Agent.prototype
  const mock = await createMomock({ tls: true })
  mock.intercept()
  mock.intercept()
  t.match(await postWithFetch(), /"ACCEPTED"/)
  t.match(await postWithHttps(), /"ACCEPTED"/, 'with the global agent')
  t.match(await postWithHttps({ agent: new https.Agent({ keepAlive: true }) }), /"ACCEPTED"/)
  t.match(await postWithHttps({ agent: false }), /"ACCEPTED"/)
  t.equal((await mock.payments()).length, 4, 'the client of the mock still works')
  const [newest] = await mock.requests()
  t.match(newest.request.headers, { host: 'api.sandbox.pawapay.io' })
  await mock.close()
  t.equal(getGlobalDispatcher(), before)
  t.equal(https.Agent.prototype.createConnection, createConnection)
})

t.test('verification stays on while a mock intercepts', async (t) => {
  const mock = await start(t)
  const other = await start(t)
  mock.intercept()
  await t.rejects(
    postWithHttps({ servername: 'api.example.test' }),
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'another name is refused'
  )
  await t.rejects(fetch(`${other.tlsUrl}/health`), 'another authority is refused')
})

t.test('of two mocks that intercept, the newer one is asked', async (t) => {
  const before = getGlobalDispatcher()
  const first = await createMomock({ tls: true })
  const second = await createMomock({ tls: true })
  first.intercept()
  second.intercept()
  await postWithFetch()
  t.same([(await first.payments()).length, (await second.payments()).length], [0, 1])
  await second.close()
  await postWithFetch()
  await postWithHttps()
  t.equal((await first.payments()).length, 2)
  await first.close()
  t.equal(getGlobalDispatcher(), before)
})

t.test('close() removes the files of the certificate', async (t) => {
  const mock = await createMomock({ tls: true })
  const file = mock.env.NODE_EXTRA_CA_CERTS
  t.ok(existsSync(file))
  await mock.close()
  t.notOk(existsSync(file))
  const wrong = createMomock({ tls: true, tlsHosts: 'not a name' })
  await t.rejects(wrong, /tlsHosts: 'not a name' is not a host name/)
})
