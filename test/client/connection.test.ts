import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { connectMomock, MomockError } from '../../src/index.ts'
import { command } from '../support/process.ts'
import { freePort } from '../support/ports.ts'
import { createMomock } from '../support/momock.ts'

t.test('a block with `await using` stops its mock', async (t) => {
  let url: string
  {
    await using mock = await createMomock()
    url = mock.url
    t.equal((await fetch(`${url}/health`)).status, 200)
  }
  await t.rejects(fetch(`${url}/health`), 'nothing listens there now')
})

t.test('call() takes paths with and without the prefix', async (t) => {
  await using mock = await createMomock()
  const { now, ...clock } = await mock.clock()
  for (const path of ['/clock', 'clock', '/__admin/clock', '__admin/clock']) {
    t.match(await mock.call('GET', path), clock, path)
  }
  t.match(await mock.call('GET', '/__admin/payments?limit=1'), { payments: { length: 0 } })
  await t.rejects(mock.call('GET', '/__administrators'), {
    message: /^GET \/__admin\/__administrators: /
  })
})

t.test('a text that is no token is refused at once', async (t) => {
  await using mock = await createMomock()
  for (const [token, hint] of [
    ['sandbox-a customer pays', 'use "sandbox-a-customer-pays"'],
    ['sandbox-caf\u00e9', 'use "sandbox-caf-"'],
    ['sandbox-a\n', 'use "sandbox-a-"'],
    ['', undefined]
  ] as const) {
    const wanted = { code: 'BAD_REQUEST', status: 0, hint, message: /: this is no token/ }
    t.throws(() => mock.as(token), wanted, JSON.stringify(token))
    t.throws(() => connectMomock(mock.url, token), wanted, JSON.stringify(token))
  }
  const fitting = mock.as('sandbox-' + 'a customer pays'.replace(/\W+/g, '-'))
  t.match(await fitting.payments(), { length: 0 })
})

t.test('a mock that is not reachable is named', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`
  const error = await connectMomock(url)
    .clock()
    .catch((error: unknown) => error)
  t.ok(error instanceof MomockError)
  t.match(error, {
    code: 'UNREACHABLE',
    status: 0,
    message:
      `GET /__admin/clock: there is no answer from ${url}: no server listens there ` +
      '(start the mock, or correct the URL)',
    cause: TypeError
  })
})

t.test('the environment points a child process to the mock and the account', async (t) => {
  await using mock = await createMomock()
  const account = mock.as('sandbox-child')
  t.same(account.env, {
    PAWAPAY_BASE_URL: mock.url,
    PAWAPAY_API_URL: mock.url,
    PAWAPAY_API_TOKEN: 'sandbox-child',
    PAWAPAY_API_KEY: 'sandbox-child',
    PAWAPAY_PUBLIC_KEY_URL: `${mock.url}/v2/public-key/http`,
    PAWAPAY_SIGNED_CALLBACKS: 'true'
  })
  const headers = { authorization: `Bearer ${account.env.PAWAPAY_API_TOKEN}` }
  t.equal((await fetch(account.env.PAWAPAY_PUBLIC_KEY_URL, { headers })).status, 200)
  const [program, ...args] = command(['env', '--url', mock.url])
  const { stdout } = await promisify(execFile)(program, args)
  const printed = Object.fromEntries(
    [...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value])
  )
  const { PAWAPAY_SIGNED_CALLBACKS, ...shared } = mock.env
  t.same(printed, shared, 'momock env prints the same variables')
  const accounts = [{ name: 'default', signedCallbacks: false }]
  await using unsigned = await createMomock({ accounts })
  t.equal(unsigned.env.PAWAPAY_SIGNED_CALLBACKS, 'false')
})
