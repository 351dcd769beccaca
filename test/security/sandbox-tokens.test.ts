import pino from 'pino'
import { Writable } from 'node:stream'
import t from 'tap'
import { createApp } from '../../src/app.ts'
import { defaults, type Config } from '../../src/config/config.ts'
import { build, receiver, until } from '../support/helper.ts'
import { requests } from '../support/examples.ts'

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

t.test('sandbox accounts are limited in number', async (t) => {
  const { call } = await build(t, { sandboxLimit: 2 })
  const statuses = []
  for (const token of ['sandbox-a', 'sandbox-b', 'sandbox-c', 'sandbox-a']) {
    statuses.push((await call('GET', '/v2/active-conf', undefined, as(token))).status)
  }
  t.same(statuses, [200, 200, 401, 200])
  const refused = await call('GET', '/v2/active-conf', undefined, as('sandbox-c'))
  t.match(JSON.stringify(refused.body), /there are 2 sandbox accounts already/)
  t.equal((await call('DELETE', '/__admin/accounts/sandbox-a')).status, 204)
  t.equal((await call('GET', '/v2/active-conf', undefined, as('sandbox-c'))).status, 200)
})

t.test('sandbox accounts can be switched off', async (t) => {
  const { call } = await build(t, { sandboxLimit: 0 })
  for (const path of ['/v2/active-conf', '/__admin/payments']) {
    const { status, body } = await call('GET', path, undefined, as('sandbox-a'))
    t.equal(status, 401)
    t.notMatch(JSON.stringify(body), /sandbox-/, 'no sandbox token is suggested')
  }
  t.equal((await call('GET', '/v2/active-conf')).status, 200)
})

t.test('no sandbox token appears in the log', async (t) => {
  const merchant = await receiver(t, [500])
  let log = ''
  const stream = new Writable({
    write (chunk, _, done) {
      log += String(chunk)
      done()
    }
  })
  const config = { ...defaults(), db: ':memory:', callbackUrl: merchant.url } as Config
  const app = await createApp(config, { now: () => Date.now() }, pino({ level: 'trace' }, stream))
  t.teardown(() => app.close())
  await app.start()
  const headers = { ...as('sandbox-top-secret'), 'content-type': 'application/json' }
  await app.http.inject({
    method: 'POST',
    url: '/v2/deposits',
    headers,
    payload: JSON.stringify(requests.v2.deposit!())
  })
  await app.http.inject({ url: '/__admin/accounts?name=sandbox-top-secret', headers })
  await until(
    async () => log,
    (text) => text.includes('callback not acknowledged')
  )
  t.match(log, /sandbox account \d+/)
  t.notMatch(log, 'top-secret')
})
