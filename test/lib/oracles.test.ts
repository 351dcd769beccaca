import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, receiver } from '../support/helper.ts'
import { checkSecrets, watch } from '../support/oracles.ts'
import { compareViews } from '../support/views.ts'

/** What is checked when a test ends finds what it is there for. */

const token = 'a-token-of-a-merchant'

t.test('each view that differs from the others is found', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/__admin/clock/advance', { by: '1m' })
  const { depositId } = deposit
  const lies: Array<[path: string, lie: (body: any) => void]> = [
    ['/__admin/invariants', (body) => body.invariants.push({ rule: 'x', broken: 1 })],
    ['/__admin/payments/counts', (body) => (body.total = 2)],
    ['/__admin/payments/counts', (body) => (body.counts[0].status = 'FAILED')],
    [`/__admin/payments/deposit/${depositId}`, (body) => (body.amount = '16')],
    [`/__admin/payments/deposit/${depositId}`, (body) => body.history.pop()],
    [`/__admin/payments/deposit/${depositId}`, (body) => (body.records.v1.country = 'KEN')],
    [`/v2/deposits/${depositId}`, (body) => (body.data.status = 'PROCESSING')],
    [`/v2/deposits/${depositId}`, (body) => (body.data = undefined)],
    [`/deposits/${depositId}`, (body) => body.pop()],
    ['/v2/wallet-balances', (body) => (body.balances[0].balance = '0.00')]
  ]
  for (const [place, lie] of [['nowhere', () => {}] as const, ...lies]) {
    const problems = await compareViews(async (path) => {
      const { body } = await call('GET', path)
      if (path.split('?')[0] === place) lie(body)
      return body
    })
    t.equal(problems.length > 0, place !== 'nowhere', `${place} ${lie}`)
  }
})

t.test('a secret in the log is found', async (t) => {
  const { config } = await build(t, { adminToken: 'a-token-of-an-admin' })
  for (const [line, says] of [
    ['a request came', undefined],
    ['a callback to https://***@shop.example/', undefined],
    [`a request with ${token}`, /the secret a-token-of-a-merchant stands in the log/],
    ['an admin with a-token-of-an-admin', /the secret a-token-of-an-admin stands in the log/],
    ['-----BEGIN PRIVATE KEY-----', /a private key/],
    ['a callback to https://shop:hidden@shop.example/', /a password/]
  ] as const) {
    const watched = watch()
    watched.tokens.add(token)
    watched.log.info(line)
    if (says === undefined) t.doesNotThrow(() => checkSecrets(config, watched), line)
    else t.throws(() => checkSecrets(config, watched), says, line)
  }
})

t.test('a token that a server sends to another host is found', async (t) => {
  const { url, next } = await receiver(t)
  const mock = await build(t, { clock: 'frozen', callbackUrl: `${url}?key=${token}` })
  const watched = watch()
  watched.tokens.add(token)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  t.doesNotThrow(() => checkSecrets(mock.config, watched), 'the server itself is no other host')
  await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
  await next()
  const { origin } = new URL(url)
  t.throws(() => checkSecrets(mock.config, watched), { message: `was sent to ${origin}` })
})
