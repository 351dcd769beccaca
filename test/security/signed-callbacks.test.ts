import { createHash, verify } from 'node:crypto'
import { httpbis } from 'http-message-signatures'
import t from 'tap'
import { prefix, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, id, until } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import {
  arrived,
  input,
  isGood,
  keysOf,
  merchant,
  text,
  type Arrival
} from '../support/merchant.ts'

t.test('a callback is signed as documented', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks/in?shop=1` })
  const before = Math.floor(Date.now() / 1000)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await arrived(arrivals, 1)
  const [{ headers, url: target }] = arrivals
  const [key] = await keysOf(mock)
  t.equal(target, '/hooks/in?shop=1')
  t.match(headers, {
    'content-type': 'application/json; charset=UTF-8',
    'content-digest': /^sha-512=:[A-Za-z0-9+/]{86}==:$/,
    'signature-date': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    'accept-signature': 'rsa-pss-sha512,ecdsa-p256-sha256,rsa-v1_5-sha256,ecdsa-p384-sha384',
    'accept-digest': 'sha-256,sha-512',
    host: url.slice('http://'.length)
  })
  const [, , keyid, created, expires] = input.exec(text(headers['signature-input'])) ?? []
  t.equal(keyid, 'HTTP_EC_P256_KEY:1')
  t.equal(keyid, key.id)
  t.ok(
    Number(created) >= before && Number(created) * 1000 <= Date.now(),
    'made now, and never in the future'
  )
  t.equal(Number(created), Math.floor(Date.parse(text(headers['signature-date'])) / 1000))
  t.equal(Number(expires), Number(created) + 60)
  t.equal(Buffer.from(text(headers.signature).slice(8, -1), 'base64')[0], 0x30, 'DER')
  t.ok(isGood(arrivals[0], key.key))
})

t.test('a changed callback is not valid', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks` })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await arrived(arrivals, 1)
  const [arrival] = arrivals
  const [{ key }] = await keysOf(mock)
  const [{ key: strange }] = await keysOf(await openSandbox(t))
  t.ok(isGood(arrival, key))
  t.notOk(isGood(arrival, strange), 'another key')
  const { headers } = arrival
  const body = Buffer.from(arrival.body.toString().replace('"15.00"', '"1500.00"'))
  const forged: Array<[string, Partial<Arrival>]> = [
    ['another body', { body }],
    [
      'another body and its digest',
      {
        body,
        headers: {
          ...headers,
          'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
        }
      }
    ],
    ['another path', { url: '/other' }],
    ['another method', { method: 'PUT' }],
    ['another host', { headers: { ...headers, host: 'shop.example' } }],
    ['another content type', { headers: { ...headers, 'content-type': 'application/json' } }],
    ['another date', { headers: { ...headers, 'signature-date': '2026-01-01T00:00:00.000Z' } }],
    [
      'a longer life',
      {
        headers: {
          ...headers,
          'signature-input': text(headers['signature-input']).replace(
            /expires=\d+/,
            'expires=9999999999'
          )
        }
      }
    ]
  ]
  for (const [what, change] of forged) t.notOk(isGood({ ...arrival, ...change }, key), what)
})

t.test('callbacks of every kind and version are signed', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks` })
  const [{ key }] = await keysOf(mock)
  for (const version of ['v1', 'v2'] as const) {
    const deposit = requests[version].deposit!()
    await mock.call('POST', `${prefix[version]}/deposits`, deposit)
    await until(
      async () => arrivals.some(({ body }) => body.includes(deposit.depositId)),
      (there) => there
    )
    await mock.call('POST', `${prefix[version]}/refunds`, {
      ...requests[version].refund!(),
      depositId: deposit.depositId
    })
    await mock.call('POST', `${prefix[version]}/payouts`, requests[version].payout!())
  }
  await mock.call('POST', '/v2/remittances', requests.v2.remittance!())
  await mock.call('POST', '/v2/split-payments', requests.v2.splitPayment!())
  const { checkoutId } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back'
    })
  ).body
  await mock.call('POST', `/v2/checkouts/${checkoutId}/expire`)
  const statement = {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: `${url}/statements`,
    startDate: '2026-01-01T00:00:00Z',
    endDate: '2026-01-31T00:00:00Z'
  }
  t.equal((await mock.call('POST', '/v2/statements', statement)).body.status, 'ACCEPTED')
  const wanted = [
    'depositId',
    'refundId',
    'payoutId',
    'remittanceId',
    'splitPaymentId',
    'checkoutId',
    'statementId'
  ]
  await until(
    async () => wanted.filter((name) => !arrivals.some(({ body }) => body.includes(`"${name}"`))),
    (missing) => missing.length === 0
  )
  t.ok(arrivals.length >= 9)
  for (const arrival of arrivals) t.ok(isGood(arrival, key), arrival.body.toString().slice(0, 60))
})

t.test('every attempt and resend has a new signature with the current key', long, async (t) => {
  const { url, arrivals } = await merchant(t, [500])
  const mock = await build(t, { callbackUrl: `${url}/hooks` })
  const deposit = requests.v2.deposit!()
  await mock.call('POST', '/v2/deposits', deposit)
  await arrived(arrivals, 2)
  await mock.call('POST', `/v2/deposits/resend-callback/${deposit.depositId}`)
  await arrived(arrivals, 3)
  const [{ key, id: first }] = await keysOf(mock)
  for (const arrival of arrivals) t.ok(isGood(arrival, key))
  t.equal(new Set(arrivals.map(({ headers }) => headers.signature)).size, 3)
  t.equal(new Set(arrivals.map(({ body }) => body.toString())).size, 1)

  const rotated = (await mock.call('POST', '/__admin/keys/rotate')).body
  t.match(rotated, {
    signing: 'HTTP_EC_P256_KEY:2',
    keys: [{ id: 'HTTP_EC_P256_KEY:2' }, { id: first, key }]
  })
  t.strictSame(await keysOf(mock), rotated.keys)
  await mock.call('POST', `/v2/deposits/resend-callback/${deposit.depositId}`)
  await arrived(arrivals, 4)
  t.ok(isGood(arrivals[3], rotated.keys[0].key))
  t.notOk(isGood(arrivals[3], key))
})

t.test('signatures use the system clock', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks`, clock: 'frozen' })
  await mock.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2030-01-01T00:00:00Z' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  await arrived(arrivals, 1)
  t.match(arrivals[0].body.toString(), '2030-01-01T00:00:00Z')
  t.ok(Math.abs(Date.parse(text(arrivals[0].headers['signature-date'])) - Date.now()) < 60_000)
})

t.test('an account can choose r||s or no signatures', async (t) => {
  const { url, arrivals } = await merchant(t)
  const account = (name: string, settings: object) => ({
    name,
    tokens: [{ token: name }],
    callbacks: { deposits: `${url}/${name}` },
    ...settings
  })
  const mock = await build(t, {
    accounts: [
      account('raw', { signatureEncoding: 'p1363' }),
      account('plain', { signedCallbacks: false })
    ]
  })
  for (const name of ['raw', 'plain']) {
    await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), {
      authorization: `Bearer ${name}`
    })
  }
  await arrived(arrivals, 2)
  const [{ key }] = await keysOf(mock)
  const [raw, plain] = ['/raw', '/plain'].map((path) => arrivals.find(({ url }) => url === path)!)
  t.equal(Buffer.from(text(raw.headers.signature).slice(8, -1), 'base64').length, 64)
  t.ok(isGood(raw, key, 'ieee-p1363'))
  t.strictSame(
    Object.keys(plain.headers).filter((name) => /sign|digest/.test(name)),
    []
  )
  t.equal(plain.headers['content-type'], 'application/json; charset=UTF-8')
})

t.test('another library verifies our callbacks', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks?x=1` })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await arrived(arrivals, 1)
  const [{ method, url: target, headers }] = arrivals
  const [{ id: keyid, key }] = await keysOf(mock)
  const check = async (target: string) =>
    await httpbis.verifyMessage(
      {
        requiredFields: ['@method', '@authority', '@path', 'content-digest'],
        keyLookup: async (found) =>
          found.keyid !== keyid
            ? null
            : {
                id: keyid,
                algs: ['ecdsa-p256-sha256'],
                verify: async (data, signature) => verify('sha256', data, key, signature)
              }
      },
      {
        method,
        url: `http://${text(headers.host)}${target}`,
        headers: headers as Record<string, string>
      }
    )
  t.equal(await check(target), true)
  t.equal(await check('/elsewhere'), false)
})

t.test('the server verifies its own callbacks, also after a key rotation', async (t) => {
  const { url, arrivals } = await merchant(t)
  const mock = await build(t, { callbackUrl: `${url}/hooks?x=1` })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await arrived(arrivals, 1)
  await mock.call('POST', '/__admin/keys/rotate')
  const [{ body, ...request }] = arrivals
  const explained = await mock.call('POST', '/__admin/signatures/explain', {
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: body.toString()
  })
  t.match(explained.body, { valid: true, hints: { length: 0 } })
})
