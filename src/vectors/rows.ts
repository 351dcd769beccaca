import { otherHost } from '../domain/callback-faults.ts'
import type { AlgorithmName, Encoding } from '../security/algorithms.ts'
import { contentDigest, type DigestName } from '../security/digest.ts'
import { lifetimeSeconds } from '../security/signature.ts'
import type { Bodies } from './bodies.ts'

/** The vectors as rows: what is signed, and what is done to it afterwards. */

/** accept: it is genuine. refuse: it is not. either: good receivers differ. */
export const decisions = ['accept', 'refuse', 'either'] as const
export type Decision = (typeof decisions)[number]

/** Key of the service, of a stranger under its name, or of another algorithm. */
export type KeyUse = 'first' | 'second' | 'stranger' | 'p384' | 'rsa'

/** Request as it is sent. Names of headers are in lower case. */
export interface Sent {
  method: string
  /** Path and query. */
  url: string
  headers: Record<string, string>
  body: string
}

export interface Row {
  name: string
  decision: Decision
  reason: string
  /** Vector that it repeats: it is acknowledged again, and booked once. */
  repeats?: string
  body?: keyof Bodies
  /** Callback URL; that of deposits without it. */
  url?: string
  /** Host, path and method that are signed, if they are not those of the request. */
  signed?: { host?: string; path?: string; method?: string }
  key?: KeyUse
  /** Algorithm, if it is not the one that belongs to the key. */
  algorithm?: AlgorithmName
  encoding?: Encoding
  digest?: DigestName
  /** Content-Digest that is signed instead of the true one. */
  contentDigest?: (body: string) => string
  /** Changes components and parameters before they are signed. */
  parameters?: (parameters: string) => string
  /** Changes the request after it was signed. */
  change?: (sent: Sent, bodies: Bodies) => Partial<Sent>
  /** Seconds between the first signature and this one. */
  signedAfter?: number
  /** Seconds between the signature and the arrival. */
  travel?: number
  /** Keys that the service publishes; first, p384 and rsa without it. */
  published?: readonly KeyUse[]
}

type Unjudged = Omit<Row, 'decision'>

const day = 86_400

function withHeaders (added: Record<string, string>) {
  return ({ headers }: Sent): Partial<Sent> => ({ headers: { ...headers, ...added } })
}

function withoutHeaders (...names: string[]) {
  return ({ headers }: Sent): Partial<Sent> => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
  })
}

function editHeader (name: string, edit: (value: string) => string) {
  return ({ headers }: Sent): Partial<Sent> => ({
    headers: { ...headers, [name]: edit(headers[name]) }
  })
}

/** Leaves a component out of those that are covered. */
function leaveOut (...names: string[]) {
  return (parameters: string): string =>
    names.reduce((text, name) => text.replace(new RegExp(`"${name}" ?`), ''), parameters)
}

function raiseAmount (body: string): string {
  return body.replace('"15.00"', '"1500.00"')
}

const genuine: Unjudged[] = [
  { name: 'deposit', reason: 'an ordinary callback, signed with ECDSA P-256' },
  { name: 'p384', key: 'p384', reason: 'signed with ECDSA P-384 and SHA-384' },
  { name: 'rsa-pss', key: 'rsa', reason: 'signed with RSASSA-PSS, SHA-512 and a salt of 64 bytes' },
  {
    name: 'rsa-v1_5',
    key: 'rsa',
    algorithm: 'rsa-v1_5-sha256',
    reason: 'signed with RSASSA-PKCS1-v1_5 and SHA-256'
  },
  { name: 'sha-256', digest: 'sha-256', reason: 'the digest of the body is SHA-256' },
  {
    name: 'two-digests',
    contentDigest: (body) => ['sha-256', 'sha-512']
      .map((name) => contentDigest(body, name as DigestName)).join(', '),
    reason: 'two digests, and both are those of the body'
  },
  {
    name: 'unknown-digest-beside',
    contentDigest: (body) => `unixsum=:AAAA:, ${contentDigest(body)}`,
    reason: 'a digest of an unknown algorithm is ignored; the known one is right'
  },
  {
    name: 'payout-failed',
    body: 'failed',
    url: 'https://shop.example/callbacks/payouts',
    reason: 'a payout that FAILED; a failure is as genuine as a success'
  },
  {
    name: 'refund',
    body: 'refund',
    url: 'https://shop.example/callbacks/refunds',
    reason: 'a refund, on the URL of refunds'
  },
  { name: 'v1-deposit', body: 'v1', reason: 'a deposit in the form of v1' },
  {
    name: 'metadata',
    body: 'metadata',
    reason: 'a body with metadata and letters beyond ASCII, in UTF-8'
  },
  {
    name: 'json-spacing',
    body: 'spaced',
    reason: 'JSON with other spaces: the digest is that of the raw bytes'
  },
  {
    name: 'json-escapes',
    body: 'escaped',
    reason: 'JSON with \\u and \\/ escapes: the digest is that of the raw bytes'
  },
  {
    name: 'unknown-fields',
    body: 'unknownFields',
    reason: 'a body with fields that are not documented yet'
  },
  {
    name: 'four-decimals',
    body: 'decimals',
    reason: 'the amount is 15.0000: compare amounts as numbers'
  },
  {
    name: 'query',
    url: 'https://shop.example/callbacks/deposits?shop=1&key=a%20b',
    reason: '@path has no query'
  },
  {
    name: 'encoded-path',
    url: 'https://shop.example/call%20backs/d%C3%A9p%C3%B4ts',
    reason: '@path is encoded as on the request line'
  },
  {
    name: 'port',
    url: 'https://shop.example:8443/callbacks/deposits',
    reason: '@authority has the port of the Host header'
  },
  {
    name: 'host-in-capitals',
    change: withHeaders({ host: 'Shop.Example' }),
    reason: '@authority is the Host header in lower case'
  },
  {
    name: 'last-second',
    travel: lifetimeSeconds,
    reason: 'it arrives in the second at which it expires'
  },
  {
    name: 'long-life',
    parameters: (text) =>
      text.replace(/expires=(\d+)/, (_, last) => `expires=${Number(last) + day}`),
    travel: day,
    reason: 'a life of a day: only expires decides'
  },
  {
    name: 'parameters-in-another-order',
    parameters: (text) => text.replace(/;(alg="[^"]*");(keyid="[^"]*")/, ';$2;$1'),
    reason: 'keyid comes before alg: the base has the order that was received'
  },
  {
    name: 'components-in-another-order',
    parameters: (text) => text.replace('"@method" "@authority" "@path"',
      '"@path" "@authority" "@method"'),
    reason: 'the base has the components in the order that was received'
  },
  {
    name: 'more-parameters',
    parameters: (text) => `${text};nonce="b3k2pp5k7z";tag="callback"`,
    reason: 'parameters that are not needed are part of the base'
  },
  {
    name: 'after-rotation',
    key: 'second',
    published: ['second', 'first', 'p384', 'rsa'],
    reason: 'signed with the new key, which is listed first'
  },
  {
    name: 'during-rotation',
    key: 'first',
    published: ['second', 'first', 'p384', 'rsa'],
    reason: 'signed with the old key, which is still listed'
  },
  {
    name: 'proxy-headers',
    change: withHeaders({ 'x-forwarded-for': '192.0.2.7', via: '1.1 proxy' }),
    reason: 'headers that a proxy adds are not covered'
  },
  {
    name: 'duplicate',
    repeats: 'deposit',
    signedAfter: 0,
    travel: 6,
    reason: 'the same request again, a second later'
  },
  {
    name: 'resend',
    repeats: 'deposit',
    signedAfter: 3600,
    reason: 'the same callback an hour later, with a new signature'
  }
]

const forged: Unjudged[] = [
  {
    name: 'unsigned',
    change: withoutHeaders('signature', 'signature-input', 'signature-date', 'content-digest'),
    reason: 'it is not signed'
  },
  {
    name: 'without-signature-input',
    change: withoutHeaders('signature-input'),
    reason: 'nothing says what was signed'
  },
  {
    name: 'without-signature',
    change: withoutHeaders('signature'),
    reason: 'there is no value of the signature'
  },
  {
    name: 'without-digest',
    change: withoutHeaders('content-digest'),
    reason: 'the covered header content-digest is missing'
  },
  {
    name: 'wrong-key',
    key: 'stranger',
    reason: 'signed by a stranger, under the name of the key of the service'
  },
  { name: 'unknown-key', key: 'second', reason: 'the service publishes no key with this keyid' },
  {
    name: 'retired-key',
    key: 'first',
    published: ['second', 'p384', 'rsa'],
    reason: 'signed with a key that the service does not publish any more'
  },
  {
    name: 'other-key-id',
    key: 'stranger',
    parameters: (text) => text.replace(/keyid="[^"]*"/, 'keyid="HTTP_EC_P384_KEY:1"'),
    reason: 'a key of the service with this keyid exists, and did not sign it'
  },
  { name: 'expired', travel: lifetimeSeconds + 1, reason: 'it expired a second ago' },
  { name: 'expired-long-ago', travel: 30 * day, reason: 'a callback from a log, 30 days later' },
  {
    name: 'longer-life',
    travel: 600,
    change: editHeader('signature-input', (text) =>
      text.replace(/expires=\d+/, 'expires=4102444800')
    ),
    reason: 'expires was changed after the signature'
  },
  {
    name: 'endless-life',
    parameters: (text) => text.replace(/;expires=\d+/, ''),
    reason: 'a signature without expires would be valid for ever; the service always sends it'
  },
  {
    name: 'tampered',
    change: ({ body }) => ({ body: raiseAmount(body) }),
    reason: 'the amount was raised: the digest is not that of the body'
  },
  {
    name: 'tampered-with-digest',
    change: ({ body, headers }) => ({
      body: raiseAmount(body),
      headers: { ...headers, 'content-digest': contentDigest(raiseAmount(body)) }
    }),
    reason: 'the amount was raised and the digest made again: the signature does not fit it'
  },
  {
    name: 'other-body',
    body: 'processing',
    change: (_, { deposit }) => ({ body: deposit }),
    reason: 'PROCESSING was signed, COMPLETED was sent'
  },
  {
    name: 'json-written-again',
    body: 'spaced',
    change: ({ body }) => ({ body: JSON.stringify(JSON.parse(body)) }),
    reason: 'the JSON was parsed and written again: these are not the bytes that were signed'
  },
  {
    name: 'byte-more',
    change: ({ body }) => ({ body: `${body}\n` }),
    reason: 'a line feed was added to the body'
  },
  {
    name: 'cut-off',
    change: ({ body }) => ({ body: body.slice(0, -20) }),
    reason: 'the body was cut off'
  },
  {
    name: 'one-wrong-digest',
    contentDigest: (body) =>
      `${contentDigest(raiseAmount(body), 'sha-256')}, ${contentDigest(body)}`,
    reason: 'two digests, and one is not that of the body: every known digest must match'
  },
  {
    name: 'only-unknown-digest',
    contentDigest: () => 'unixsum=:AAAA:',
    reason: 'no digest of a known algorithm: nothing protects the body'
  },
  {
    name: 'digest-of-nothing',
    contentDigest: () => contentDigest(''),
    reason: 'the digest is that of an empty body'
  },
  {
    name: 'body-not-covered',
    parameters: leaveOut('content-digest'),
    change: ({ body, headers }) => ({
      body: raiseAmount(body),
      headers: { ...headers, 'content-digest': contentDigest(raiseAmount(body)) }
    }),
    reason: 'the signature does not cover content-digest, so the body is anybody\'s'
  },
  {
    name: 'host-not-covered',
    parameters: leaveOut('@authority'),
    reason: 'the signature does not cover @authority: it may be for another shop'
  },
  {
    name: 'path-not-covered',
    parameters: leaveOut('@method', '@path'),
    reason: 'the signature does not cover @method and @path'
  },
  {
    name: 'nothing-covered',
    parameters: (text) => text.replace(/\([^)]*\)/, '()'),
    reason: 'the signature covers nothing'
  },
  {
    name: 'other-host',
    signed: { host: otherHost },
    reason: 'a genuine callback for another shop was passed on'
  },
  {
    name: 'other-host-forwarded',
    signed: { host: otherHost },
    change: withHeaders({ 'x-forwarded-host': otherHost, forwarded: `host=${otherHost}` }),
    reason: 'the sender names the other shop in X-Forwarded-Host; only your own proxy may do so'
  },
  {
    name: 'other-path',
    signed: { path: '/callbacks/refunds' },
    reason: 'it was signed for the URL of refunds'
  },
  { name: 'other-method', signed: { method: 'PUT' }, reason: 'it was signed for another method' },
  {
    name: 'other-date',
    change: editHeader('signature-date', (date) => date.replace('20', '21')),
    reason: 'the covered header signature-date was changed'
  },
  {
    name: 'algorithm-of-another-key',
    parameters: (text) => text.replace(/alg="[^"]*"/, 'alg="rsa-v1_5-sha256"'),
    reason: 'alg does not fit the key'
  },
  {
    name: 'unknown-algorithm',
    parameters: (text) => text.replace(/alg="[^"]*"/, 'alg="hmac-sha256"'),
    reason: 'alg is none of the service; with a public key, HMAC proves nothing'
  },
  {
    name: 'other-label',
    change: editHeader('signature', (value) => value.replace('sig-pp=', 'other=')),
    reason: 'the two headers have different labels'
  },
  {
    name: 'empty-value',
    change: withHeaders({ signature: 'sig-pp=::' }),
    reason: 'the value of the signature is empty'
  },
  {
    name: 'no-base64',
    change: withHeaders({ signature: 'sig-pp=:%%%:' }),
    reason: 'the value of the signature is no base64'
  }
]

const debatable: Unjudged[] = [
  {
    name: 'r-and-s',
    encoding: 'p1363',
    reason:
      'the value is r||s, as RFC 9421 has it; the service sends ASN.1 DER, and most code takes ' +
      'only one of them'
  }
]

export const rows: readonly Row[] = [
  ...genuine.map((row): Row => ({ ...row, decision: 'accept' })),
  ...forged.map((row): Row => ({ ...row, decision: 'refuse' })),
  ...debatable.map((row): Row => ({ ...row, decision: 'either' }))
]
