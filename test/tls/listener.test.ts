import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { createSigner, httpbis } from 'http-message-signatures'
import t, { type Test } from 'tap'
import { createMomock, type MomockOptions, type TlsMomock } from '../../src/index.ts'
import { id, until } from '../support/helper.ts'
import { deposit, serve } from '../support/process.ts'
import { openSocket, protocols, type Send } from './connections.ts'

const json = {
  authorization: 'Bearer test-token',
  'content-type': 'application/json',
  accept: 'application/json'
}
const html = { accept: 'text/html' }

async function start (t: Test, options: MomockOptions = {}): Promise<TlsMomock> {
  const mock = await createMomock({ ...options, tls: true })
  t.teardown(mock.close)
  return mock
}

async function post (send: Send, mock: TlsMomock, path: string, body: object): Promise<any> {
  const { text } = await send(mock, 'api.sandbox.pawapay.io', path, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body)
  })
  return JSON.parse(text)
}

for (const [protocol, send] of protocols) {
  t.test(`${protocol}: the host selects what is served`, async (t) => {
    const mock = await start(t)
    const checkout = await post(send, mock, '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/',
      countries: ['ZMB']
    })
    const page = await post(send, mock, '/v2/paymentpage', {
      depositId: id(),
      returnUrl: 'https://shop.example/'
    })
    t.ok(page.redirectUrl.startsWith(`${mock.url}/pay/`), 'links begin with the public URL')
    const token = page.redirectUrl.split('/').pop()
    const code = checkout.checkoutCode
    const rows: Array<[host: string, path: string, status: number, shows: RegExp]> = [
      ['api.sandbox.pawapay.io', '/v2/active-conf', 200, /"companyName"/],
      ['api.pawapay.io', '/active-conf', 200, /"merchantId"/],
      ['api.sandbox.pawapay.cloud', '/active-conf', 200, /"merchantId"/],
      ['localhost', `/checkout/${code}`, 200, /"checkoutCode"/],
      ['checkout.sandbox.pawapay.io', `/${code}`, 200, /"checkoutCode"/],
      ['checkout.pawapay.io', `/${code}?lang=fr`, 200, /"checkoutCode"/],
      ['checkout.pawapay.io', `/checkout/${code}`, 200, /"checkoutCode"/],
      ['checkout.pawapay.io', '/v2/active-conf', 404, /does not exist/],
      ['checkout.pawapay.io', '/', 404, /./],
      ['sandbox.paywith.pawapay.io', `/?token=${token}`, 200, /"companyName"/],
      ['paywith.pawapay.io', `/?lang=fr&token=${token}`, 200, /"companyName"/],
      ['paywith.pawapay.io', `/${token}`, 200, /"companyName"/],
      ['paywith.pawapay.io', '/?token=%2Fv2%2Factive-conf', 404, /./],
      ['paywith.pawapay.io', '/active-conf', 404, /./],
      ['paywith.pawapay.io', '/__admin/clock', 200, /"mode"/]
    ]
    for (const [host, path, status, shows] of rows) {
      const answer = await send(mock, host, path, { headers: json })
      t.equal(answer.status, status, `${host}${path}`)
      t.match(answer.text, shows)
    }
  })

  t.test(`${protocol}: links to pages can use the hosts of the service`, async (t) => {
    const mock = await start(t, {
      checkoutUrl: 'https://checkout.sandbox.pawapay.io/',
      paymentPageUrl: 'https://sandbox.paywith.pawapay.io'
    })
    const checkout = await post(send, mock, '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/',
      countries: ['ZMB']
    })
    const page = await post(send, mock, '/v2/paymentpage', {
      depositId: id(),
      returnUrl: 'https://shop.example/'
    })
    t.equal(checkout.redirectUrl, `https://checkout.sandbox.pawapay.io/${checkout.checkoutCode}`)
    t.match(page.redirectUrl, /^https:\/\/sandbox\.paywith\.pawapay\.io\/\?token=\w+$/)
    for (const { redirectUrl } of [checkout, page]) {
      const { hostname, pathname, search } = new URL(redirectUrl)
      const shown = await send(mock, hostname, pathname + search, { headers: html })
      t.match(shown, { status: 200, text: /<title>Pay / }, redirectUrl)
      const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(shown.text) ?? []
      const sent = await send(
        mock,
        hostname,
        new URL(action || redirectUrl, redirectUrl).pathname,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            origin: `https://${hostname}`,
            'sec-fetch-site': 'same-origin',
            ...html
          },
          body: 'country=ZMB&phoneNumber=260763456789&provider=MTN_MOMO_ZMB&amount=15'
        }
      )
      t.equal(sent.status, 303, 'its form is accepted')
    }
  })

  t.test(`${protocol}: a request is recorded as it was sent`, async (t) => {
    const mock = await start(t)
    await post(send, mock, '/v2/deposits', deposit())
    const [{ request }] = await mock.requests()
    t.match(request, { method: 'POST', url: '/v2/deposits' })
    // Node's client for HTTP/2 always names the port.
    t.match(request.headers?.host, /^api\.sandbox\.pawapay\.io(:443)?$/)
    t.equal(request.headers?.['content-type'], json['content-type'])
    t.same(
      Object.keys(request.headers ?? {}).filter((name) => name.startsWith(':')),
      []
    )
  })

  t.test(`${protocol}: faults break the answer`, async (t) => {
    const mock = await start(t)
    for (const fault of ['reset', 'lost', 'truncated'] as const) {
      await mock.scenario({ name: fault, fault, when: { kind: 'deposit' }, times: 1 })
      await t.rejects(post(send, mock, '/v2/deposits', deposit()), fault)
    }
    t.match(await post(send, mock, '/v2/deposits', deposit()), { status: 'ACCEPTED' })
    t.equal((await mock.payments()).length, 3, 'a reset stores nothing')
  })

  t.test(`${protocol}: the cookie of the dashboard stays with HTTPS`, async (t) => {
    const mock = await start(t, { adminToken: 'secret' })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const login = { method: 'POST', headers: form, body: 'token=secret' }
    const { status, headers } = await send(mock, 'localhost', '/__admin/ui/login', login)
    t.equal(status, 303)
    const cookie = String(headers['set-cookie'])
    t.match(cookie, /^__Secure-momock-dashboard=\w+; .*; Secure$/)
    const [sent = ''] = cookie.split(';')
    const page = await send(mock, 'localhost', '/__admin/ui/payments', {
      headers: { ...html, cookie: sent }
    })
    t.equal(page.status, 200)
  })

  t.test(`${protocol}: the origin check knows the hosts of the service`, async (t) => {
    const mock = await start(t, { tlsHosts: 'mock.example,*.example.net' })
    const rows: Array<[host: string, header: string, origin: string | undefined, status: number]> =
      [
        ['api.sandbox.pawapay.io', 'api.sandbox.pawapay.io', undefined, 200],
        ['localhost', 'checkout.pawapay.io', 'https://checkout.pawapay.io', 200],
        ['localhost', 'mock.example', undefined, 200],
        ['localhost', 'a.example.net', undefined, 200],
        ['localhost', 'localhost', 'https://paywith.pawapay.io', 200],
        ['localhost', 'evil.example', undefined, 403],
        ['localhost', 'localhost', 'https://evil.example', 403]
      ]
    for (const [host, header, origin, status] of rows) {
      const answer = await send(mock, host, '/__admin/clock', {
        headers: {
          [protocol === 'HTTP/2' ? ':authority' : 'host']: header,
          ...(origin !== undefined && { origin })
        }
      })
      t.equal(answer.status, status, `${header} from ${origin ?? 'no page'}`)
    }
  })
}

t.test('a signature can cover the scheme and the host that the client used', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const publicKeys = [{ id: 'shop', key }]
  const mock = await start(t, {
    accounts: [{ name: 'default', signedRequestsOnly: true, publicKeys }]
  })
  for (const [protocol, send] of protocols) {
    const body = JSON.stringify(deposit())
    const host = 'api.sandbox.pawapay.io'
    const digest = createHash('sha512').update(body).digest('base64')
    const { headers } = await httpbis.signMessage(
      {
        key: createSigner(privateKey, 'ecdsa-p256-sha256', 'shop'),
        fields: ['@method', '@scheme', '@authority', '@path', 'content-digest', 'content-type'],
        paramValues: { created: new Date() }
      },
      {
        method: 'POST',
        url: `https://${host}/v2/deposits`,
        headers: { ...json, 'content-digest': `sha-512=:${digest}:` }
      }
    )
    const signed = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    )
    const { text } = await send(mock, host, '/v2/deposits', {
      method: 'POST',
      headers: signed,
      body
    })
    t.equal(JSON.parse(text).status, 'ACCEPTED', protocol)
  }
})

t.test('the plain listener does not accept the hosts of the service', async (t) => {
  const mock = await start(t)
  const headers = { origin: 'https://checkout.sandbox.pawapay.io' }
  t.equal((await fetch(`${mock.url}/__admin/clock`, { headers })).status, 403)
})

t.test('without a Host header, the handshake names the host', async (t) => {
  const mock = await start(t)
  const shown: string[] = []
  for (const host of ['api.pawapay.io', 'checkout.pawapay.io']) {
    const socket = openSocket(mock, host)
    socket.write('GET /v2/availability HTTP/1.0\r\n\r\n')
    shown.push((await text(socket)).split('\r\n')[0])
  }
  t.same(shown, ['HTTP/1.1 401 Unauthorized', 'HTTP/1.1 404 Not Found'])
})

t.test('old versions of TLS are refused', async (t) => {
  const mock = await start(t)
  const { port } = new URL(mock.tlsUrl)
  const { connect } = await import('node:tls')
  const socket = connect({
    port: Number(port),
    host: '127.0.0.1',
    ca: mock.ca,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0'
  })
  const [error] = await once(socket, 'error')
  t.match(error.code, /PROTOCOL_VERSION|UNSUPPORTED/)
})

t.test(
  'a stop ends streams, sessions and idle connections, and answers open requests',
  async (t) => {
    const { ready, stop, call } = await serve(t, ['--tls-port', '0'])
    t.match(ready, { tlsUrl: /^https:\/\/127\.0\.0\.1:\d+$/, ca: /tls\/ca\.pem$/ })
    const ca = await (await fetch(`${ready.url}/__admin/ca.pem`)).text()
    const mock = { tlsUrl: ready.tlsUrl ?? '', ca } as TlsMomock
    const checkout = await call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/'
    })
    await call('POST', '/__admin/scenarios', { name: 'late', when: {}, latency: '300ms' })
    const idle = openSocket(mock, 'localhost')
    await once(idle, 'secureConnect')
    const streams = protocols.map(([, send]) =>
      send(mock, 'checkout.pawapay.io', `/${checkout.body.checkoutCode}/events`)
    )
    const open = protocols.map(([, send]) => post(send, mock, '/v2/deposits', deposit()))
    await until(
      () => call('GET', '/__admin/payments?kind=deposit'),
      ({ body }) => body.payments.length === open.length
    )
    await until(
      async () => await (await fetch(`${ready.url}/__admin/metrics`)).text(),
      (metrics) => metrics.includes(`momock_change_listeners ${streams.length}`)
    )
    const [{ code }, answers] = await Promise.all([stop(), Promise.all(open)])
    t.equal(code, 0)
    t.match(answers, [{ status: 'ACCEPTED' }, { status: 'ACCEPTED' }])
    const ended = await Promise.all(streams)
    for (const { text } of ended) t.match(text, /event: state/, 'a stream ends, it is not cut')
  }
)
