import { constants, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { algorithmsFor, encodingOf, signText, verifies } from '../../src/security/algorithms.ts'
import { valueOf, type Message } from '../../src/security/components.ts'
import { contentDigest, digestProblem } from '../../src/security/digest.ts'
import { explainSignature } from '../../src/security/explanation.ts'
import { publicKeyProblem } from '../../src/security/keys.ts'
import { signResponse, signRequest } from '../../src/security/signature.ts'

/** The keys and messages of RFC 9421, Appendix B. */
const rsaPss = createPublicKey(`-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----`)
const p256 = createPublicKey(`-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----`)
const keys = [
  { id: 'test-key-rsa-pss', key: rsaPss },
  { id: 'test-key-ecc-p256', key: p256 }
]
const requestBody = Buffer.from('{"hello": "world"}')
const answerBody = Buffer.from('{"message": "good dog"}')
const requestDigest =
  'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEm' +
    'THWXvJwew==:'
const answerDigest =
  'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq' +
    '4l5aGgfLQ==:'
const request: Message = {
  method: 'POST',
  scheme: 'https',
  authority: 'example.com',
  target: '/foo?param=Value&Pet=dog',
  headers: {
    host: 'example.com',
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-digest': requestDigest,
    'content-length': '18'
  }
}
const answer: Message = {
  status: 200,
  headers: {
    date: 'Tue, 20 Apr 2021 02:07:56 GMT',
    'content-type': 'application/json',
    'content-digest': answerDigest,
    'content-length': '23'
  }
}

interface Vector {
  name: string
  message: Message
  body: Buffer
  input: string
  value: string
  base: string
  problems?: RegExp[]
}

const vectors: Vector[] = [
  {
    name: 'B.2.1 minimal, rsa-pss-sha512',
    message: request,
    body: requestBody,
    input: 'sig-b21=();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
    value:
      'd2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++w' +
        'gGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGd' +
        'CbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh' +
        '8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt' +
        '8C8ssinQ98Xw9Q==',
    base:
      '"@signature-params": ' +
      '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
    problems: [/"content-digest" is not covered/]
  },
  {
    name: 'B.2.2 selective, rsa-pss-sha512',
    message: request,
    body: requestBody,
    input:
      'sig-b22=("@authority" "content-digest" ' +
      '"@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
    value:
      'LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKt' +
        'jvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzR' +
        'w1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2' +
        'U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/X' +
        'aVe4bXTugEjHSw==',
    base:
      '"@authority": example.com\n"content-digest": ' +
      `${requestDigest}\n"@query-param";name="Pet": dog\n"@signature-params": ("@authority" ` +
      '"content-digest" ' +
      '"@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"'
  },
  {
    name: 'B.2.3 full, rsa-pss-sha512',
    message: request,
    body: requestBody,
    input:
      'sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" ' +
      '"content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
    value:
      'bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt6' +
        '83+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV' +
        '7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6' +
        'A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fT' +
        'IztsDZKEgM4cUA==',
    base:
      '"date": Tue, 20 Apr 2021 02:07:55 GMT\n"@method": POST\n"@path": /foo\n"@query": ' +
      '?param=Value&Pet=dog\n"@authority": example.com\n"content-type": ' +
      `application/json\n"content-digest": ${requestDigest}\n"content-length": ` +
      '18\n"@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" ' +
      '"content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"'
  },
  {
    name: 'B.2.4 answer, ecdsa-p256-sha256',
    message: answer,
    body: answerBody,
    input:
      'sig-b24=("@status" "content-type" "content-digest" ' +
      '"content-length");created=1618884473;keyid="test-key-ecc-p256"',
    value:
      'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==',
    base:
      '"@status": 200\n"content-type": application/json\n"content-digest": ' +
      `${answerDigest}\n"content-length": 23\n"@signature-params": ("@status" "content-type" ` +
      '"content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"'
  }
]

const withSignature = (message: Message, input: string, value: string): Message => ({
  ...message,
  headers: {
    ...message.headers,
    'signature-input': input,
    signature: `${input.split('=', 1)[0]}=:${value}:`
  }
})

t.test('the examples of RFC 9421, Appendix B.2, are verified', async (t) => {
  for (const { name, message, body, input, value, base, problems = [] } of vectors) {
    const judge = (change: Partial<Message> = {}) =>
      explainSignature(withSignature({ ...message, ...change }, input, value), body, {
        keys,
        now: 1618884473_000,
        encoding: 'both'
      })
    const explanation = judge()
    t.equal(explanation.base, base, name)
    t.match(explanation.problems, problems, name)
    t.equal(explanation.problems.length, problems.length, name)
    if (problems.length === 0) {
      t.equal(
        judge(message.status === undefined ? { authority: 'example.org' } : { status: 201 }).valid,
        false,
        `${name}, changed`
      )
    }
  }
  const { encoding } = explainSignature(
    withSignature(answer, vectors[3].input, vectors[3].value),
    answerBody,
    { keys, now: 0, encoding: 'both' }
  )
  t.equal(encoding, 'p1363')
  const strict = explainSignature(
    withSignature(answer, vectors[3].input, vectors[3].value),
    answerBody,
    {
      keys,
      now: 0,
      encoding: 'der'
    }
  )
  t.match(strict, { valid: false, problems: [/r\|\|s; this account takes ASN.1 DER only/] })
})

t.test('components have the values of RFC 9421, sections 2.1 and 2.2', async (t) => {
  const message: Message = {
    method: 'POST',
    scheme: 'http',
    authority: 'WWW.Example.com:80',
    target:
      '/path?param=value&foo=bar&baz=batman&qux=&var=this%20is%20a%20big%0Amultiline%20value' +
      '&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something&twice=1&twice=2',
    headers: {
      'x-list': [' a', 'b '],
      'example-dict': 'a=1,    b=2;x=1;y=2,   c=(a   b   c), d',
      'content-digest': 'sha-256=:AA==:,sha-512=:AAA=:'
    }
  }
  const rows: Array<
    [component: string, parameters: Record<string, string | boolean>, value: string | RegExp]
  > = [
    ['@method', {}, 'POST'],
    ['@scheme', {}, 'http'],
    ['@authority', {}, 'www.example.com'],
    ['@target-uri', {}, `http://www.example.com${message.target}`],
    ['@request-target', {}, message.target!],
    ['@path', {}, '/path'],
    ['@query', {}, `?${message.target!.slice(6)}`],
    ['@query-param', { name: 'baz' }, 'batman'],
    ['@query-param', { name: 'qux' }, ''],
    ['@query-param', { name: 'var' }, 'this%20is%20a%20big%0Amultiline%20value'],
    ['@query-param', { name: 'bar' }, 'with%20plus%20whitespace'],
    ['@query-param', { name: 'fa%C3%A7ade%22%3A%20' }, 'something'],
    ['@query-param', { name: 'twice' }, /more than once/],
    ['@query-param', { name: 'none' }, /no such thing/],
    ['x-list', {}, 'a, b'],
    ['x-list', { bs: true }, ':YQ==:, :Yg==:'],
    ['example-dict', {}, 'a=1,    b=2;x=1;y=2,   c=(a   b   c), d'],
    ['example-dict', { key: 'a' }, '1'],
    ['example-dict', { key: 'b' }, '2;x=1;y=2'],
    ['example-dict', { key: 'c' }, '(a b c)'],
    ['example-dict', { key: 'd' }, '?1'],
    ['example-dict', { key: 'e' }, /no member "e"/],
    ['example-dict', { sf: true }, /structure of this header is not known/],
    ['content-digest', { sf: true }, 'sha-256=:AA==:, sha-512=:AAA=:'],
    ['@status', {}, /no such thing/],
    ['@nonsense', {}, /not a component that can be derived/],
    ['X-List', {}, /lower case/],
    ['constructor', {}, /no such header/],
    ['x-none', {}, /no such header/],
    ['@method', { req: true }, /not supported/]
  ]
  for (const [name, parameters, wanted] of rows) {
    const found = valueOf({ name, parameters: new Map(Object.entries(parameters)) }, message)
    if (typeof wanted === 'string') t.strictSame(found, { value: wanted }, name)
    else t.match(found, { problem: wanted }, name)
  }
  t.strictSame(valueOf({ name: '@path', parameters: new Map() }, { target: '', headers: {} }), {
    value: '/'
  })
  t.strictSame(
    valueOf({ name: '@query', parameters: new Map() }, { target: '/path', headers: {} }),
    { value: '?' }
  )
  t.strictSame(
    valueOf(
      { name: '@authority', parameters: new Map() },
      { scheme: 'http', authority: 'a.example:443', headers: {} }
    ),
    { value: 'a.example:443' }
  )
  t.strictSame(
    valueOf(
      { name: '@authority', parameters: new Map() },
      { scheme: 'https', authority: 'a.example:443', headers: {} }
    ),
    { value: 'a.example' }
  )
})

t.test('digests follow RFC 9530', async (t) => {
  const sha256 = 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'
  t.equal(contentDigest(requestBody, 'sha-256'), sha256)
  t.equal(contentDigest(requestBody), requestDigest)
  t.equal(contentDigest(answerBody), answerDigest)
  const rows: Array<[header: string, problem: RegExp | undefined]> = [
    [sha256, undefined],
    [requestDigest, undefined],
    [`${sha256}, ${requestDigest}`, undefined],
    [`md5=:AAAA:, ${sha256}`, undefined],
    [
      answerDigest,
      /the sha-512 of the Content-Digest header is not that of the body that arrived \(18 bytes\)/
    ],
    [`${sha256}, ${answerDigest}`, /the sha-512/],
    ['sha-256="text"', /the sha-256/],
    ['md5=:AAAA:', /neither sha-256 nor sha-512/],
    ['constructor=:AAAA:', /neither sha-256 nor sha-512/],
    ['SHA-256=abc', /cannot be read/],
    ['', /neither/]
  ]
  for (const [header, problem] of rows) {
    problem === undefined
      ? t.equal(digestProblem(header, requestBody), undefined, header)
      : t.match(digestProblem(header, requestBody), problem, header)
  }
})

t.test('every algorithm agrees with node:crypto', async (t) => {
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rows: Array<
    [
      name: Parameters<typeof verifies>[0],
      pair: { privateKey: KeyObject; publicKey: KeyObject },
      make: (key: KeyObject, text: Buffer) => Buffer,
      encoding?: string
    ]
  > = [
    ['ecdsa-p256-sha256', ec('P-256'), (key, text) => sign('sha256', text, key), 'der'],
    [
      'ecdsa-p256-sha256',
      ec('P-256'),
      (key, text) => sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }),
      'p1363'
    ],
    ['ecdsa-p384-sha384', ec('P-384'), (key, text) => sign('sha384', text, key), 'der'],
    [
      'ecdsa-p384-sha384',
      ec('P-384'),
      (key, text) => sign('sha384', text, { key, dsaEncoding: 'ieee-p1363' }),
      'p1363'
    ],
    ['rsa-v1_5-sha256', rsa, (key, text) => sign('sha256', text, key)],
    [
      'rsa-pss-sha512',
      rsa,
      (key, text) =>
        sign('sha512', text, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 })
    ]
  ]
  for (const [name, { privateKey, publicKey }, make, encoding] of rows) {
    t.ok(algorithmsFor(publicKey).includes(name))
    const value = make(privateKey, Buffer.from('text'))
    t.equal(encodingOf(name, value), encoding)
    t.equal(verifies(name, publicKey, 'text', value), true, name)
    t.equal(verifies(name, publicKey, 'texts', value), false)
    t.equal(verifies(name, publicKey, 'text', Buffer.from('nonsense')), false)
    for (const written of ['der', 'p1363'] as const) {
      const value = await signText(name, privateKey, 'text', written)
      t.equal(verifies(name, publicKey, 'text', Buffer.from(value, 'base64')), true)
    }
  }
  t.equal(
    verifies(
      'rsa-pss-sha512',
      rsa.publicKey,
      'text',
      sign('sha512', Buffer.from('text'), {
        key: rsa.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: 20
      })
    ),
    false,
    'a short salt'
  )
  t.strictSame(algorithmsFor(generateKeyPairSync('ed25519').publicKey), [])
})

t.test('a wrong public key is refused', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  t.match(
    publicKeyProblem(publicKey.export({ type: 'spki', format: 'pem' }) as string),
    /secp256k1/
  )
  t.match(
    publicKeyProblem(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    /private key/
  )
  t.match(publicKeyProblem('nonsense'), /cannot be read/)
  t.equal(publicKeyProblem(p256.export({ type: 'spki', format: 'pem' }) as string), undefined)
})

t.test('our signatures can be verified', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { id: 'a\\b', privateKey }
  for (const encoding of ['der', 'p1363'] as const) {
    const terms = { keys: [{ id: 'a\\b', key: publicKey }], now: 60_999, encoding: 'both' as const }
    const pen = { key, now: 1999, encoding }
    const headers = await signRequest(
      'POST',
      new URL('https://Shop.example:443/in?x=1'),
      'application/json',
      '{}',
      pen
    )
    t.match(headers['signature-input'], 'keyid="a\\\\b";created=1;expires=61')
    const sent: Message = {
      method: 'POST',
      scheme: 'https',
      authority: 'shop.example',
      target: '/in?x=1',
      headers
    }
    t.match(explainSignature(sent, Buffer.from('{}'), terms), {
      valid: true,
      problems: { length: 0 },
      hints: { length: 0 },
      encoding,
      algorithm: 'ecdsa-p256-sha256'
    })
    t.match(
      explainSignature(sent, Buffer.from('{}'), { ...terms, now: 61_000 }),
      { valid: true },
      'at the last moment'
    )
    t.match(explainSignature(sent, Buffer.from('{}'), { ...terms, now: 61_001 }), {
      valid: false,
      problems: [/expired/]
    })
    const answered = await signResponse(400, 'application/json', '{"é":1}', pen)
    t.equal(answered['content-length'], '8')
    t.match(explainSignature({ status: 400, headers: answered }, Buffer.from('{"é":1}'), terms), {
      valid: true
    })
    t.match(explainSignature({ status: 200, headers: answered }, Buffer.from('{"é":1}'), terms), {
      valid: false
    })
  }
})

t.test('any input is explained without an exception', async (t) => {
  const value = fc.oneof(
    fc.constantFrom(
      '?1',
      '?2',
      '@1',
      '@999999999999999',
      '1.0',
      '1.123',
      '-0',
      '999999999999999',
      'token',
      '"x"',
      '"\\\\"',
      ':AA==:',
      ':A:',
      '%"a"',
      ''
    ),
    fc.string()
  )
  const parameter = fc
    .tuple(
      fc.constantFrom('keyid', 'alg', 'created', 'expires', 'key', 'name', 'sf', 'bs', 'req', 'x'),
      value
    )
    .map(([name, value]) => `;${name}=${value}`)
  const parameters = fc.array(parameter, { maxLength: 4 }).map((list) => list.join(''))
  const name = fc.constantFrom(
    '"@method"',
    '"@query-param"',
    '"@authority"',
    '"@path"',
    '"content-digest"',
    '"x"',
    '"__proto__"',
    '"constructor"',
    '""',
    'token',
    '1',
    '@5'
  )
  const component = fc.tuple(name, parameters).map((parts) => parts.join(''))
  const input = fc
    .tuple(
      fc.constantFrom('sig-pp', 'a', '__proto__'),
      fc.array(component, { maxLength: 4 }),
      parameters
    )
    .map(([label, list, after]) => `${label}=(${list.join(' ')})${after}`)
  fc.assert(
    fc.property(
      fc.oneof(input, fc.string()),
      fc.oneof(value, fc.string()),
      fc.string(),
      fc.string(),
      (input, value, digest, query) => {
        const headers = {
          'signature-input': input,
          signature: `sig-pp=${value}`,
          'content-digest': digest,
          x: query
        }
        const { valid, problems } = explainSignature(
          { method: 'POST', scheme: 'http', authority: query, target: `/?${query}`, headers },
          Buffer.from('x'),
          { keys, now: 0, encoding: 'both' }
        )
        return !valid && problems.every((problem) => problem.length > 0)
      }
    ),
    { numRuns: 5000 }
  )
})
