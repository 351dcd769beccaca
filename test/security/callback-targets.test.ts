import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { isPrivateAddress } from '../../src/lib/hosts.ts'
import { CallbackTargets } from '../../src/security/callback-targets.ts'
import { sinkOwnerHeader } from '../../src/security/sink-links.ts'
import { build, receiver, until, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { requests } from '../support/examples.ts'
import { createMomock } from '../support/momock.ts'

t.test('private and public addresses', async (t) => {
  const rows: Array<[address: string, isPrivate: boolean]> = [
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.31.255.255', true],
    ['172.32.0.1', false],
    ['192.168.0.1', true],
    ['169.254.169.254', true],
    ['100.100.100.200', true],
    ['0.0.0.0', true],
    ['255.255.255.255', true],
    ['8.8.8.8', false],
    ['::1', true],
    ['::', true],
    ['fd00:ec2::254', true],
    ['fe80::1', true],
    ['::ffff:169.254.169.254', true],
    ['::ffff:8.8.8.8', false],
    ['::ffff:7f00:1', true],
    ['2002:7f00:1::1', true],
    ['127.evil.example', false],
    ['2001:4860:4860::8888', false]
  ]
  for (const [address, expected] of rows) t.equal(isPrivateAddress(address), expected, address)
})

t.test('the setting callbacksAllow', async (t) => {
  const own = (): string[] => ['http://127.0.0.1:7070']
  const rows: Array<[allow: string, url: string, refused: boolean]> = [
    ['any', 'http://10.0.0.1/', false],
    ['any', 'http://169.254.169.254/latest/meta-data', false],
    ['public', 'http://169.254.169.254/latest/meta-data', true],
    ['public', 'http://[::1]:3000/', true],
    ['public', 'http://127.1/', true],
    ['public', 'http://8.8.8.8/', false],
    ['shop.example, 127.0.0.1:3000', 'https://shop.example/callbacks', false],
    ['shop.example, 127.0.0.1:3000', 'http://127.0.0.1:3000/', false],
    ['shop.example, 127.0.0.1:3000', 'http://127.0.0.1:3001/', true],
    ['shop.example, 127.0.0.1:3000', 'http://other.example/', true],
    ['any', 'http://localhost:7070/__admin/callbacks/1/resend', true],
    ['any', 'http://127.0.0.1:7070/__admin/sink/a', false],
    ['any', 'http://127.0.0.1:7070//__admin/callbacks/1/resend', true],
    ['any', 'http://127.0.0.1:7070/%5F_admin/callbacks/1/resend', true],
    ['any', 'http://127.0.0.1:7070/x/..//%5f%5fadmin//callbacks/1/resend', true],
    ['any', 'http://[::ffff:127.0.0.1]:7070/__admin/callbacks/1/resend', true],
    ['any', 'http://127.9.9.9:7070/__admin/callbacks/1/resend', true],
    ['any', 'http://LOCALHOST.:7070/__admin/callbacks/1/resend', true],
    ['any', 'http://127.0.0.1:7070//__admin/sink/a', false],
    ['any', 'http://127.0.0.1:7070/%2F__admin/callbacks', false],
    ['any', 'http://127.evil.example:7070/__admin/callbacks', false]
  ]
  for (const [allow, url, refused] of rows) {
    const targets = new CallbackTargets(allow, own)
    const check = (): unknown => targets.readTarget(url)
    for (const time of ['first', 'second']) {
      const name = `${allow}: ${url}, ${time} time`
      if (refused) t.throws(check, { name: 'ForbiddenTarget' }, name)
      else t.doesNotThrow(check, name)
    }
  }
})

t.test('a receiver is judged again when the server has another address', async (t) => {
  const own = ['http://127.0.0.1:7070']
  const targets = new CallbackTargets('any', () => own)
  const url = 'http://127.0.0.1:7071/__admin/reset'
  t.doesNotThrow(() => targets.readTarget(url))
  own.push('http://127.0.0.1:7071')
  t.throws(() => targets.readTarget(url), { name: 'ForbiddenTarget' })
})

/** Errors of the first attempts at the callbacks of an account. */
async function errorsOf ({ call }: Pick<Client, 'call'>): Promise<string[]> {
  const { body } = await call('GET', '/__admin/callbacks')
  return body.callbacks.map(({ attempts }: any) => attempts[0]?.error)
}

t.test('a host name that leads to a private address gets no callback', async (t) => {
  const merchant = await receiver(t)
  const url = merchant.url.replace('127.0.0.1', 'localhost')
  const mock = await build(t, { callbackUrl: url, callbacksAllow: 'public' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  const [error] = await until(
    () => errorsOf(mock),
    ([error]) => error !== undefined
  )
  t.match(error, /callbacks to (127\.0\.0\.1|::1) are not allowed; change the setting/)
  t.equal(merchant.received.length, 0)
})

t.test('a callback to a call of this server is not sent', async (t) => {
  const { url, close } = await createMomock()
  t.teardown(close)
  const call: Client['call'] = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: response.status, headers: {}, body: await response.json() }
  }
  const loop = `${url.replace('127.0.0.1', 'localhost')}/__admin/callbacks/1/resend`
  await call('PATCH', '/__admin/account', { callbacks: { deposits: loop } })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const errors = await until(
    () => errorsOf({ call }),
    ([error]) => error !== undefined
  )
  t.match(errors, [/the URL is an admin call of this server/])
})

t.test('a callback to a call of this server by an unknown name is refused', async (t) => {
  const { url, call } = await build(t)
  const { port } = new URL(url)
  // A name that this server does not know: a proxy in front of it.
  const proxy = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      body: request,
      duplex: 'half'
    } as RequestInit).then(
      async (answer) => response.writeHead(answer.status).end(await answer.text()),
      () => response.destroy()
    )
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => proxy.close())
  const loop = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await call('PATCH', '/__admin/account', {
    callbacks: {
      deposits: `${loop}//%5F_admin/callbacks/1/resend`,
      payouts: `${loop}/__admin/sink/a`
    }
  })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await call('POST', '/v2/payouts', requests.v2.payout!())
  const { body } = await until(
    () => call('GET', '/__admin/callbacks'),
    ({ body }) => body.callbacks.length === 2 && body.callbacks.every((one: any) => one.attempts[0])
  )
  const [refused] = body.callbacks.filter(({ kind }: any) => kind === 'deposit')
  t.match(refused.attempts[0], { status: 403, response: { body: /came to an admin call/ } })
  const [taken] = body.callbacks.filter(({ kind }: any) => kind === 'payout')
  t.match(taken, { state: 'ACKNOWLEDGED' })
})

t.test('the header of sinks goes to sinks of this server only', async (t) => {
  const headers: object[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers)
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const { call } = await build(t, { callbackUrl: `http://127.0.0.1:${port}/__admin/sink/a` })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await until(
    async () => headers.length,
    (count) => count > 0
  )
  t.notOk(sinkOwnerHeader in headers[0])
})

t.test('an account can name the source address of its callbacks', async (t) => {
  const merchant = await receiver(t)
  const { call } = await openSandbox(t, { callbackUrl: merchant.url })
  t.equal((await call('PATCH', '/__admin/account', { callbackSource: 'here' })).status, 400)
  await call('PATCH', '/__admin/account', { callbackSource: '3.64.89.224' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const { headers } = await merchant.next()
  t.equal(headers['x-forwarded-for'], '3.64.89.224')
})
