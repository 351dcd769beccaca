import {
  constants,
  createHash,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject
} from 'node:crypto'
import { createSigner, httpbis } from 'http-message-signatures'
import pino from 'pino'
import t, { type Test } from 'tap'
import { createApp } from '../../src/app.ts'
import { defaults, type Config } from '../../src/config/config.ts'
import { buildAccounts } from '../../src/config/configured.ts'
import { initiations, prefix, requests } from '../support/examples.ts'
import { build, id, type Answer, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { createMomock } from '../support/momock.ts'

type Maker = (key: KeyObject, base: Buffer) => Buffer

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ec384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pss =
  (saltLength: number): Maker =>
    (key, base) =>
      sign('sha512', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })

/** Ways to sign: the name of the algorithm, the key and its id, and the function that signs. */
const signers = {
  'ecdsa-p256-sha256': {
    keyid: 'p256',
    key: ec.privateKey,
    make: (key, base) => sign('sha256', base, key)
  },
  'ecdsa-p384-sha384': {
    keyid: 'p384',
    key: ec384.privateKey,
    make: (key, base) => sign('sha384', base, key)
  },
  'rsa-v1_5-sha256': {
    keyid: 'rsa',
    key: rsa.privateKey,
    make: (key, base) => sign('sha256', base, key)
  },
  'rsa-pss-sha512': { keyid: 'rsa', key: rsa.privateKey, make: pss(64) }
} satisfies Record<string, { keyid: string; key: KeyObject; make: Maker }>

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string
const publicKeys = [
  { id: 'p256', key: pem(ec.publicKey) },
  { id: 'p384', key: pem(ec384.publicKey) },
  { id: 'rsa', key: pem(rsa.publicKey) }
]
const settings = { name: 'default', signedRequestsOnly: true, publicKeys }
const open = (t: Test, more: object = {}): Promise<Client> =>
  build(t, { accounts: [{ ...settings, ...more }] })

const digestOf = (body: string, name: 'sha256' | 'sha512' = 'sha512'): string =>
  `${name.replace('sha', 'sha-')}=:${createHash(name).update(body).digest('base64')}:`
const seconds = (): number => Math.floor(Date.now() / 1000)
const host = 'momock.test:7070'

interface Wish {
  alg?: keyof typeof signers
  make?: Maker
  keyid?: string
  path?: string
  covered?: string[]
  parameters?: string
  label?: string
  digest?: string
  contentType?: string
  change?: (base: string) => string
}

/** The headers of a signed request, made by hand. */
function signed (
  path: string,
  body: string,
  {
    alg = 'ecdsa-p256-sha256',
    make = signers[alg].make,
    keyid = signers[alg].keyid,
    label = 'sig-pp',
    change = (base) => base,
    ...wish
  }: Wish = {}
): Record<string, string> {
  const headers: Record<string, string> = {
    host,
    'content-type': wish.contentType ?? 'application/json',
    'content-digest': wish.digest ?? digestOf(body),
    'signature-date': new Date().toISOString(),
    'content-length': String(Buffer.byteLength(body))
  }
  const values: Record<string, string> = {
    ...headers,
    '@method': 'POST',
    '@authority': host,
    '@path': wish.path ?? path,
    '@scheme': 'http',
    '@query': '?',
    '@request-target': path,
    '@target-uri': `http://${host}${path}`
  }
  const covered = wish.covered ?? [
    '@method',
    '@authority',
    '@path',
    'signature-date',
    'content-digest',
    'content-type',
    'content-length'
  ]
  const parameters =
    wish.parameters ??
    `;keyid="${keyid}";alg="${alg}";created=${seconds()};expires=${seconds() + 300}`
  const input = `(${covered.map((name) => `"${name}"`).join(' ')})${parameters}`
  const base = [
    ...covered.map((name) => `"${name}": ${values[name]}`),
    `"@signature-params": ${input}`
  ].join('\n')
  return {
    ...headers,
    'signature-input': `${label}=${input}`,
    signature: `${label}=:${make(signers[alg].key, Buffer.from(change(base))).toString('base64')}:`
  }
}

/** Every request that has to be signed. */
const places = initiations.flatMap(({ version, kind: { name }, path, make }) => {
  const place = { version, name, path, make: make as () => any }
  if (name !== 'payout' && name !== 'remittance') return [place]
  return [place, { ...place, path: `${path}/bulk`, make: () => [make()] }]
})

const isRefused = ({ status, body }: Answer, version: string): boolean =>
  status === 401 &&
  (version === 'v1'
    ? body.errorCode === 2
    : body.status === 'REJECTED' && body.failureReason.failureCode === 'HTTP_SIGNATURE_ERROR')

/** Verifies the signature of an answer, independently of our code, by the RFC. */
async function isSigned (
  mock: Client,
  { status, headers }: Answer,
  text: string
): Promise<boolean> {
  const components = '"@status" "signature-date" "content-digest" "content-type" "content-length"'
  const parameters = ';alg="ecdsa-p256-sha256";keyid="HTTP_EC_P256_KEY:1"'
  const [, input] =
    new RegExp(String.raw`^sig-pp=(\(${components}\)${parameters};created=\d+;expires=\d+)$`).exec(
      String(headers['signature-input'])
    ) ?? []
  const base =
    `"@status": ${status}\n"signature-date": ${headers['signature-date']}\n"content-digest": ` +
    `${digestOf(text)}\n"content-type": ${headers['content-type']}\n"content-length": ` +
    `${Buffer.byteLength(text)}\n"@signature-params": ${input}`
  const [{ key }] = (await mock.call('GET', '/public-key/http')).body
  return (
    String(headers['content-length']) === String(Buffer.byteLength(text)) &&
    verify(
      'sha256',
      Buffer.from(base),
      key,
      Buffer.from(String(headers.signature).slice(8, -1), 'base64')
    )
  )
}

t.test('requests of every kind, version and algorithm are verified', async (t) => {
  const mock = await open(t)
  t.equal(places.length, 4 + 7)
  for (const { path, make, version } of places) {
    t.ok(isRefused(await mock.call('POST', path, make()), version), `${path} unsigned`)
    for (const alg of Object.keys(signers) as Array<keyof typeof signers>) {
      const body = JSON.stringify(make())
      const answer = await mock.call('POST', path, body, signed(path, body, { alg }))
      t.equal(answer.status, 200, `${path} ${alg}`)
      t.ok(await isSigned(mock, answer, JSON.stringify(answer.body)), `${path} ${alg}, the answer`)
      const other = await mock.call(
        'POST',
        path,
        body.replace('"15"', '"16"'),
        signed(path, body, { alg })
      )
      t.ok(isRefused(other, version), `${path} ${alg}, another body`)
    }
  }
})

const forward = `;keyid="p256";created=${seconds()}`

const manyComponents = Array.from({ length: 65 }, (_, n) => `"h${n}"`)

/** Problems, the request of each, and its answer. */
const failures: Array<
  [what: string, wish: Wish, message: RegExp, headers?: Record<string, string>, drop?: string]
> = [
  ['another path', { path: '/v2/other' }, /does not match the signature base/],
  [
    'expired',
    { parameters: `;keyid="p256";created=${seconds() - 70};expires=${seconds() - 10}` },
    /expired \d+ s ago/
  ],
  ['unknown key', { keyid: 'nobody' }, /the key nobody is not known; known are p256, p384, rsa/],
  ['no key id', { parameters: `;created=${seconds()}` }, /keyid is missing/],
  [
    'a covered header that is not there',
    {},
    /"signature-date" is covered, but there is no such header/,
    {},
    'signature-date'
  ],
  [
    'content-digest not covered',
    { covered: ['@method', '@authority', '@path'] },
    /"content-digest" is not covered/
  ],
  [
    'no content-digest',
    {},
    /"content-digest" is covered, but there is no such header/,
    {},
    'content-digest'
  ],
  ['a digest nobody knows', { digest: 'md5=:AAAA:' }, /neither sha-256 nor sha-512/],
  [
    'one digest of two is wrong',
    { digest: `${digestOf('{}', 'sha256')}, ${digestOf('{}')}` },
    /the sha-256 of the Content-Digest/
  ],
  ['swapped label', {}, /but not sig-pp/, { signature: 'other=:AAAA:' }],
  [
    'two signatures, none of them ours',
    {},
    /a, b; call one of them sig-pp/,
    { 'signature-input': 'a=();keyid="p256", b=();keyid="p256"' }
  ],
  ['no Signature', {}, /the Signature header is missing/, {}, 'signature'],
  ['no Signature-Input', {}, /the Signature-Input header is missing/, {}, 'signature-input'],
  ['unreadable Signature', {}, /the Signature header cannot be read/, { signature: 'sig-pp=:%:' }],
  [
    'unreadable Signature-Input',
    {},
    /the Signature-Input header cannot be read/,
    { 'signature-input': 'sig-pp=("@method"' }
  ],
  ['no list', {}, /no list of components/, { 'signature-input': 'sig-pp=1' }],
  ['a value that is no bytes', {}, /no value between colons/, { signature: 'sig-pp=1' }],
  [
    'a component without quotes',
    {},
    /not in quotes/,
    { 'signature-input': 'sig-pp=(method);keyid="p256"' }
  ],
  [
    'a component twice',
    {},
    /covers "@method" twice/,
    { 'signature-input': 'sig-pp=("@method" "@method");keyid="p256"' }
  ],
  [
    'far too many components',
    {},
    /at most 64/,
    {
      'signature-input': `sig-pp=(${manyComponents.join(' ')});keyid="p256"`
    }
  ],
  [
    'a component nobody knows',
    { covered: ['@cookie', 'content-digest'] },
    /"@cookie" is not a component/
  ],
  ['itself', { covered: ['@signature-params', 'content-digest'] }, /cannot cover itself/],
  [
    'the status of a request',
    { covered: ['@status', 'content-digest'] },
    /"@status" is covered, but the message has no such thing/
  ],
  [
    'an algorithm that does not fit the key',
    { parameters: `${forward};alg="rsa-v1_5-sha256"` },
    /rsa-v1_5-sha256 does not fit the key p256; use ecdsa-p256-sha256/
  ],
  [
    'an algorithm that is not supported',
    { parameters: `${forward};alg="hmac-sha256"` },
    /hmac-sha256 is not supported/
  ],
  [
    'the value of another algorithm',
    { alg: 'rsa-pss-sha512', make: signers['rsa-v1_5-sha256'].make },
    /made by rsa-v1_5-sha256/
  ],
  [
    'another salt',
    { alg: 'rsa-pss-sha512', make: pss(32) },
    /salt of another length; it must be 64 bytes/
  ],
  [
    'the wrong key',
    {
      make: (_key, base) =>
        sign('sha256', base, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
    },
    /does not match the signature base/
  ],
  [
    'a value that is neither encoding',
    { make: () => Buffer.from('nonsense') },
    /neither ASN.1 DER nor r\|\|s/
  ],
  [
    'a line feed at the end',
    { change: (base) => `${base}\n` },
    /with a line feed after the last line/
  ],
  [
    'the authority without its port',
    { change: (base) => base.replace(':7070', '') },
    /@authority without its port/
  ],
  [
    'the method in lower case',
    { change: (base) => base.replace('POST', 'post') },
    /@method in lower case/
  ],
  [
    'not canonical, signed as sent',
    { parameters: '; keyid="p256"' },
    /over the Signature-Input header as sent/
  ],
  ['expires is a word', { parameters: `${forward};expires=soon` }, /expires is not a number/]
]

for (const version of ['v1', 'v2'] as const) {
  t.test(`${version}: a wrong signature is refused with a reason`, async (t) => {
    const mock = await open(t)
    const path = `${prefix[version]}/deposits`
    for (const [what, wish, message, headers = {}, drop] of failures) {
      const deposit = requests[version].deposit!()
      const body = JSON.stringify(deposit)
      const sent = { ...signed(path, body, wish), ...headers }
      if (drop !== undefined) delete sent[drop]
      const answer = await mock.call('POST', path, body, sent)
      t.ok(isRefused(answer, version), `${what}: ${JSON.stringify(answer.body)}`)
      t.match(
        version === 'v1' ? answer.body.errorMessage : answer.body.failureReason.failureMessage,
        message,
        what
      )
      if (version === 'v2') t.equal(answer.body.depositId, deposit.depositId)
      t.notOk(
        'signature' in answer.headers,
        'who is not known to be the merchant gets no signed answer'
      )
      t.match((await mock.call('GET', `/v2/deposits/${deposit.depositId}`)).body, {
        status: 'NOT_FOUND'
      })
    }
    const body = JSON.stringify(requests[version].deposit!())
    const forged = body.replace('"15"', '"1500"')
    t.ok(
      isRefused(
        await mock.call('POST', path, forged, {
          ...signed(path, body),
          'content-length': String(forged.length)
        }),
        version
      ),
      'changed body'
    )
    t.ok(
      isRefused(
        await mock.call('POST', path, forged, {
          ...signed(path, body),
          'content-length': String(forged.length),
          'content-digest': digestOf(forged)
        }),
        version
      ),
      'changed body with its digest'
    )
    t.ok(
      isRefused(
        await mock.call('POST', path, body, { ...signed(path, body), host: 'elsewhere.test' }),
        version
      ),
      'another host'
    )
  })
}

t.test('unusual but valid signatures are accepted', async (t) => {
  const mock = await open(t)
  const path = '/v2/deposits'
  const rows: Array<[string, Wish, Record<string, string>?]> = [
    ['another label', { label: 'sig1' }],
    ['no algorithm, EC', { parameters: forward }],
    ['no algorithm, RSA PSS', { alg: 'rsa-pss-sha512', parameters: ';keyid="rsa"' }],
    ['no algorithm, RSA', { alg: 'rsa-v1_5-sha256', parameters: ';keyid="rsa"' }],
    ['r||s', { make: (key, base) => sign('sha256', base, { key, dsaEncoding: 'ieee-p1363' }) }],
    [
      'r||s of P-384',
      {
        alg: 'ecdsa-p384-sha384',
        make: (key, base) => sign('sha384', base, { key, dsaEncoding: 'ieee-p1363' })
      }
    ],
    ['expires far ahead', { parameters: `${forward};expires=${seconds() + 60_000}` }],
    ['created ahead', { parameters: `;keyid="p256";created=${seconds() + 30}` }],
    ['other parameters in another order', { parameters: ';nonce="x y";tag="shop";keyid="p256"' }],
    [
      'every derived component',
      {
        covered: [
          '@method',
          '@target-uri',
          '@request-target',
          '@scheme',
          '@path',
          '@query',
          '@authority',
          'content-digest'
        ]
      }
    ],
    ['a charset', { contentType: 'application/json; charset=UTF-8' }],
    [
      'a second signature, of a proxy',
      {},
      { 'signature-input': ', proxy=();keyid="x"', signature: ', proxy=:AAAA:' }
    ]
  ]
  for (const [what, wish, more = {}] of rows) {
    const body = JSON.stringify(requests.v2.deposit!())
    const headers = signed(path, body, wish)
    for (const [name, value] of Object.entries(more)) headers[name] += value
    t.match(
      await mock.call('POST', path, body, headers),
      { status: 200, body: { status: 'ACCEPTED' } },
      what
    )
  }
  for (const digest of ['sha256', 'sha512'] as const) {
    const body = JSON.stringify(requests.v2.deposit!())
    t.match(
      await mock.call(
        'POST',
        path,
        body,
        signed(path, body, { digest: `md5=:AAAA:, ${digestOf(body, digest)}` })
      ),
      { status: 200, body: { status: 'ACCEPTED' } },
      digest
    )
  }
})

t.test('an account can require DER', async (t) => {
  const mock = await open(t, { acceptedSignatureEncoding: 'der', signatureEncoding: 'p1363' })
  const body = JSON.stringify(requests.v2.deposit!())
  const raw = await mock.call(
    'POST',
    '/v2/deposits',
    body,
    signed('/v2/deposits', body, {
      make: (key, base) => sign('sha256', base, { key, dsaEncoding: 'ieee-p1363' })
    })
  )
  t.match(raw, {
    status: 401,
    body: { failureReason: { failureMessage: /r\|\|s; this account takes ASN.1 DER only/ } }
  })
  const { status, headers } = await mock.call(
    'POST',
    '/v2/deposits',
    body,
    signed('/v2/deposits', body)
  )
  t.equal(status, 200)
  t.equal(
    Buffer.from(String(headers.signature).slice(8, -1), 'base64').length,
    64,
    'and have r||s itself'
  )
})

t.test('the checks run in the order token, permission, signature, parse, schema', async (t) => {
  const mock = await open(t)
  const path = '/v2/deposits'
  const code = ({ status, body }: Answer) => [status, body.failureReason?.failureCode]
  const other = (body: string) => body.replace(/^./, ' ')
  const bad = '{"depositId": '
  const wrong = JSON.stringify({ ...requests.v2.deposit!(), amount: 'x' })
  t.strictSame(
    code(
      await mock.call('POST', path, bad, {
        ...signed(path, other(bad)),
        authorization: 'Bearer nobody'
      })
    ),
    [401, 'AUTHENTICATION_ERROR']
  )
  t.strictSame(
    code(
      await mock.call('POST', path, bad, {
        ...signed(path, other(bad)),
        authorization: 'Bearer test-token-readonly'
      })
    ),
    [403, 'AUTHORISATION_ERROR']
  )
  t.strictSame(code(await mock.call('POST', path, bad, signed(path, other(bad)))), [
    401,
    'HTTP_SIGNATURE_ERROR'
  ])
  t.strictSame(code(await mock.call('POST', path, wrong, signed(path, other(wrong)))), [
    401,
    'HTTP_SIGNATURE_ERROR'
  ])
  t.strictSame(code(await mock.call('POST', path)), [401, 'HTTP_SIGNATURE_ERROR'], 'no body at all')
  for (const [body, wanted] of [
    [bad, 'INVALID_INPUT'],
    [wrong, 'INVALID_PARAMETER']
  ]) {
    const answer = await mock.call('POST', path, body, signed(path, body))
    t.strictSame(code(answer), [400, wanted])
    t.ok(await isSigned(mock, answer, JSON.stringify(answer.body)), 'and the answer is signed')
  }
  const empty = await mock.call(
    'POST',
    path,
    undefined,
    signed(path, '', { covered: ['@method', '@authority', '@path'] })
  )
  t.strictSame(code(empty), [400, 'INVALID_INPUT'], 'without a body there is nothing to digest')
  const rejected = JSON.stringify({ ...requests.v2.deposit!(), currency: 'KES' })
  const answer = await mock.call('POST', path, rejected, signed(path, rejected))
  t.match(answer, { status: 200, body: { status: 'REJECTED' } })
  t.ok(await isSigned(mock, answer, JSON.stringify(answer.body)))
})

t.test('status checks and admin calls need no signature', async (t) => {
  const mock = await open(t)
  t.equal((await mock.call('GET', `/v2/deposits/${id()}`)).status, 200)
  t.equal((await mock.call('POST', `/v2/deposits/resend-callback/${id()}`)).status, 200)
  t.equal(
    (
      await mock.call('POST', '/v2/checkouts', {
        checkoutId: id(),
        returnUrl: 'https://shop.example/'
      })
    ).status,
    200
  )
  const free = await openSandbox(t)
  const plain = await free.call('POST', '/v2/deposits', requests.v2.deposit!(), {
    'signature-input': 'nonsense',
    signature: 'nonsense'
  })
  t.match(
    plain,
    { status: 200, body: { status: 'ACCEPTED' } },
    'ignored where the account does not ask for it'
  )
  t.notOk('signature' in plain.headers)
})

t.test('a sandbox account checks signatures from its first request', async (t) => {
  const mock = await open(t)
  const body = JSON.stringify(requests.v2.deposit!())
  t.equal(
    (await mock.call('POST', '/v2/deposits', body, { authorization: 'Bearer sandbox-unsigned' }))
      .status,
    401
  )
  t.match(
    await mock.call('POST', '/v2/deposits', body, {
      ...signed('/v2/deposits', body),
      authorization: 'Bearer sandbox-signed'
    }),
    { status: 200, body: { status: 'ACCEPTED' } }
  )
})

t.test('a changed answer of a scenario is signed', async (t) => {
  const mock = await open(t)
  await mock.call('POST', '/__admin/scenarios', {
    name: 'late',
    when: { kind: 'deposit' },
    latency: '10ms'
  })
  const body = JSON.stringify(requests.v2.deposit!())
  const answer = await mock.call('POST', '/v2/deposits', body, signed('/v2/deposits', body))
  t.ok(await isSigned(mock, answer, JSON.stringify(answer.body)))
})

t.test('the log explains refused and ignored signatures', async (t) => {
  const lines: any[] = []
  const config = {
    ...defaults(),
    db: ':memory:',
    accounts: [settings, { name: 'free', tokens: [{ token: 'free' }] }]
  } as unknown as Config
  const app = await createApp(
    config,
    { now: () => Date.now() },
    pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) })
  )
  t.teardown(() => app.close())
  const payload = JSON.stringify(requests.v2.deposit!())
  const post = (token: string) =>
    app.http.inject({
      method: 'POST',
      url: '/v2/deposits',
      payload,
      headers: {
        ...signed('/v2/deposits', payload, { path: '/v2/other' }),
        authorization: `Bearer ${token}`
      }
    })
  t.equal((await post('test-token')).statusCode, 401)
  t.match(
    lines.find(({ msg }) => msg === 'signature refused'),
    {
      level: 40,
      account: 'default',
      method: 'POST',
      url: '/v2/deposits',
      valid: false,
      problems: [/does not match the signature base/],
      label: 'sig-pp',
      components: [
        '"@method"',
        '"@authority"',
        '"@path"',
        '"signature-date"',
        '"content-digest"',
        '"content-type"',
        '"content-length"'
      ],
      parameters: { keyid: 'p256', alg: 'ecdsa-p256-sha256', created: Number, expires: Number },
      base: /^"@method": POST\n"@authority": momock.test:7070\n"@path": \/v2\/deposits\n/,
      encoding: 'der'
    }
  )
  t.equal((await post('free')).statusCode, 200)
  t.ok(
    lines.some(
      ({ level, msg }) =>
        level === 20 && /ignored: this account does not have signedRequestsOnly/.test(msg)
    )
  )
})

t.test('explain describes the signature of a given request', async (t) => {
  const mock = await open(t)
  const body = JSON.stringify(requests.v2.deposit!())
  const url = `http://${host}/v2/deposits`
  const ask = (pasted: object) =>
    mock.call('POST', '/__admin/signatures/explain', {
      method: 'POST',
      url,
      headers: signed('/v2/deposits', body),
      body,
      ...pasted
    })
  t.match((await ask({})).body, {
    valid: true,
    problems: { length: 0 },
    hints: { length: 0 },
    encoding: 'der',
    base: /^"@method": POST\n/
  })
  t.match((await ask({ url: '/v2/deposits' })).body, { valid: true }, 'a path, and a Host header')
  t.match((await ask({ body: `${body} ` })).body, { valid: false, problems: [/Content-Digest/] })
  t.match((await ask({ url: `http://${host}/v2/payouts` })).body, {
    valid: false,
    problems: [/does not match the signature base/]
  })
  const Shouted = Object.fromEntries(
    Object.entries(signed('/v2/deposits', body, { keyid: 'mine' })).map(([name, value]) => [
      name.toUpperCase(),
      value
    ])
  )
  t.match((await ask({ headers: Shouted })).body, {
    valid: false,
    problems: [/the key mine is not known; known are p256, p384, rsa, HTTP_EC_P256_KEY:1/]
  })
  t.match((await ask({ headers: Shouted, publicKey: pem(ec.publicKey) })).body, { valid: true })
  t.match(await ask({ publicKey: 'nonsense' }), {
    status: 400,
    body: { error: { message: 'publicKey cannot be read as a PEM public key' } }
  })
  t.match(await ask({ url: 'ftp://x/' }), { status: 400 })
  t.match(
    (await mock.call('POST', '/__admin/signatures/explain', { method: 'POST', url, headers: {} }))
      .body,
    { valid: false, problems: [/the Signature-Input and the Signature header are missing/] }
  )
})

t.test('a wrong public key stops the start', async (t) => {
  const config = (keys: object[]) =>
    ({ ...defaults(), accounts: [{ name: 'shop', publicKeys: keys }] }) as unknown as Config
  t.throws(
    () => buildAccounts(config([{ id: 'a', key: 'nonsense' }])),
    new RegExp(
      String.raw`the public key 'a' of 'shop' must be an RSA, EC P-256 or EC P-384 public key ` +
        String.raw`as PEM; it cannot be read`
    )
  )
  t.throws(
    () => buildAccounts(config([publicKeys[0], publicKeys[0]])),
    /the public key 'p256' of 'shop' is given twice/
  )
})

t.test('requests of another library are verified over a real connection', async (t) => {
  const mock = await createMomock({ accounts: [settings] })
  t.teardown(mock.close)
  const [{ id: keyid, key }] = (await (await fetch(`${mock.url}/public-key/http`)).json()) as any
  const der = {
    id: 'p256',
    alg: 'ecdsa-p256-sha256',
    sign: async (data: Buffer) => sign('sha256', data, ec.privateKey)
  }
  for (const [signer, field] of [
    [der, '@query'],
    [createSigner(ec.privateKey, 'ecdsa-p256-sha256', 'p256'), '@target-uri'],
    [createSigner(rsa.privateKey, 'rsa-v1_5-sha256', 'rsa'), '@scheme']
  ] as const) {
    const body = JSON.stringify(requests.v2.payout!())
    const request = await httpbis.signMessage(
      {
        key: signer,
        name: 'sig-pp',
        fields: [
          '@method',
          '@authority',
          '@path',
          field,
          'signature-date',
          'content-digest',
          'content-type',
          'content-length'
        ]
      },
      {
        method: 'POST',
        url: `${mock.url}/v2/payouts?x=1`,
        headers: {
          'content-type': 'application/json',
          'content-digest': digestOf(body),
          'signature-date': new Date().toISOString(),
          'content-length': String(body.length)
        }
      }
    )
    const response = await fetch(`${mock.url}/v2/payouts?x=1`, {
      method: 'POST',
      body,
      headers: {
        ...(request.headers as Record<string, string>),
        authorization: 'Bearer test-token'
      }
    })
    t.equal(response.status, 200, await response.clone().text())
    const text = await response.text()
    t.equal(response.headers.get('content-digest'), digestOf(text))
    const good = await httpbis.verifyMessage(
      {
        requiredFields: ['@status', 'content-digest'],
        keyLookup: async (found) =>
          found.keyid !== keyid
            ? null
            : {
                id: keyid,
                algs: ['ecdsa-p256-sha256'],
                verify: async (data, value) => verify('sha256', data, key, value)
              }
      },
      { status: response.status, headers: Object.fromEntries(response.headers) }
    )
    t.equal(good, true)
  }
})
