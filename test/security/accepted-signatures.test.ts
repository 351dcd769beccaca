import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { join } from 'node:path'
import { createSigner, createVerifier, httpbis } from 'http-message-signatures'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, folder, type Answer, type Client } from '../support/helper.ts'

/** Accept-Signature and Accept-Digest of a signed request decide how its answer is signed. */

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const accounts = [
  {
    name: 'default',
    signedRequestsOnly: true,
    signatureEncoding: 'p1363' as const,
    publicKeys: [{ id: 'mine', key: String(publicKey.export({ type: 'spki', format: 'pem' })) }]
  }
]

const digestOf = (text: string, name: string): string =>
  `${name}=:${createHash(name.replace('-', '')).update(text).digest('base64')}:`

/** Initiates a deposit, signed, with more headers. */
async function initiate (
  { call, url }: Client,
  more: Record<string, string>,
  version: 'v1' | 'v2' = 'v2'
): Promise<Answer> {
  const path = version === 'v1' ? '/deposits' : '/v2/deposits'
  const body = JSON.stringify(requests[version].deposit!())
  const { headers } = await httpbis.signMessage(
    {
      key: createSigner(privateKey, 'ecdsa-p256-sha256', 'mine'),
      name: 'sig-pp',
      fields: ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
    },
    {
      method: 'POST',
      url: url + path,
      headers: {
        'content-type': 'application/json',
        'content-digest': digestOf(body, 'sha-512'),
        'signature-date': new Date().toISOString()
      }
    }
  )
  return await call('POST', path, body, { ...(headers as Record<string, string>), ...more })
}

/** Tells whether an answer is signed by a published key of the server. */
async function verifyAnswer ({ call }: Client, { status, headers }: Answer): Promise<unknown> {
  const { body: published } = await call('GET', '/v2/public-key/http')
  return await httpbis.verifyMessage(
    {
      requiredFields: ['@status', 'content-digest'],
      keyLookup: async ({ keyid, alg }) => {
        const found = published.find(({ id }: { id: string }) => id === keyid)
        return found && { id: keyid, algs: [alg], verify: createVerifier(found.key, alg as any) }
      }
    },
    { status, headers: headers as Record<string, string> }
  )
}

const algorithms: Array<[wish: string | undefined, algorithm: string, key: RegExp]> = [
  [undefined, 'ecdsa-p256-sha256', /^HTTP_EC_P256_KEY:1$/],
  ['ecdsa-p256-sha256', 'ecdsa-p256-sha256', /^HTTP_EC_P256_KEY:1$/],
  ['ecdsa-p384-sha384', 'ecdsa-p384-sha384', /^HTTP_EC_P384_KEY:1$/],
  ['rsa-pss-sha512', 'rsa-pss-sha512', /^HTTP_RSA_PSS_KEY:1$/],
  ['rsa-v1_5-sha256', 'rsa-v1_5-sha256', /^HTTP_RSA_V1_5_KEY:1$/],
  ['hmac-sha256, RSA-PSS-SHA512,ecdsa-p384-sha384', 'rsa-pss-sha512', /^HTTP_RSA_PSS_KEY:1$/],
  ['rsa-pss-sha512,ECDSA-P256-SHA256', 'ecdsa-p256-sha256', /^HTTP_EC_P256_KEY:1$/],
  ['sig1=("@status");alg="ecdsa-p384-sha384"', 'ecdsa-p384-sha384', /^HTTP_EC_P384_KEY:1$/],
  ['hmac-sha256', 'ecdsa-p256-sha256', /^HTTP_EC_P256_KEY:1$/],
  ['', 'ecdsa-p256-sha256', /^HTTP_EC_P256_KEY:1$/]
]

t.test('Accept-Signature chooses the algorithm and the key of the answer', long, async (t) => {
  const mock = await build(t, { accounts })
  const keys = async (): Promise<string[]> =>
    (await mock.call('GET', '/v2/public-key/http')).body.map(({ id }: { id: string }) => id)
  t.strictSame(await keys(), ['HTTP_EC_P256_KEY:1'], 'other keys are made when first needed')
  for (const [wish, algorithm, key] of algorithms) {
    const name = wish ?? 'no header'
    const answer = await initiate(mock, wish === undefined ? {} : { 'accept-signature': wish })
    t.match(answer, { status: 200, body: { status: 'ACCEPTED' } }, name)
    const [, alg, keyid] = /alg="([^"]*)";keyid="([^"]*)"/.exec(
      String(answer.headers['signature-input'])
    )!
    t.equal(alg, algorithm, name)
    t.match(keyid, key, name)
    t.equal(await verifyAnswer(mock, answer), true, `${name}: the signature is good`)
  }
  t.strictSame(await keys(), [
    'HTTP_EC_P256_KEY:1',
    'HTTP_EC_P384_KEY:1',
    'HTTP_RSA_PSS_KEY:1',
    'HTTP_RSA_V1_5_KEY:1'
  ])
})

t.test('Accept-Digest chooses the digest of the answer', long, async (t) => {
  const mock = await build(t, { accounts })
  for (const [wish, digest] of [
    [undefined, 'sha-512'],
    ['sha-256', 'sha-256'],
    ['sha-512', 'sha-512'],
    ['md5, SHA-256,sha-512', 'sha-512'],
    ['md5, SHA-256', 'sha-256'],
    ['md5', 'sha-512']
  ] as const) {
    const answer = await initiate(mock, wish === undefined ? {} : { 'accept-digest': wish })
    const text = JSON.stringify(answer.body)
    t.equal(answer.headers['content-digest'], digestOf(text, digest), wish ?? 'no header')
    t.equal(await verifyAnswer(mock, answer), true)
  }
})

t.test('lists of all algorithms, as clients send them, keep the first published key', async (t) => {
  for (const [version, encoding] of [
    ['v2', 'der'],
    ['v1', 'der'],
    ['v2', 'p1363']
  ] as const) {
    const [account] = accounts
    const mock = await build(t, { accounts: [{ ...account, signatureEncoding: encoding }] })
    // Another key is published by now.
    await initiate(mock, { 'accept-signature': 'ecdsa-p384-sha384' }, version)
    const answer = await initiate(
      mock,
      {
        'accept-signature': 'rsa-pss-sha512,ecdsa-p256-sha256,rsa-v1_5-sha256,ecdsa-p384-sha384',
        'accept-digest': 'sha-256,sha-512'
      },
      version
    )
    const title = `${version}, ${encoding}`
    t.match(answer, { status: 200, body: { status: 'ACCEPTED' } }, title)
    const path = version === 'v1' ? '/public-key/http' : '/v2/public-key/http'
    const { body: published } = await mock.call('GET', path)
    t.equal(published.length, 2, title)
    const [{ id: keyid, key }] = published
    const digest = digestOf(JSON.stringify(answer.body), 'sha-512')
    t.equal(answer.headers['content-digest'], digest, title)
    const dsaEncoding = encoding === 'der' ? 'der' : 'ieee-p1363'
    const first = { key, dsaEncoding } as const
    t.equal(
      await httpbis.verifyMessage(
        {
          requiredFields: ['@status', 'content-digest'],
          // The first key, whatever the signature names.
          keyLookup: async ({ alg }) => ({
            id: keyid,
            algs: [alg!],
            verify: async (data, signature) => verify('sha256', data, first, signature)
          })
        },
        { status: answer.status, headers: answer.headers as Record<string, string> }
      ),
      true,
      title
    )
  }
})

t.test('the keys are the same after a restart, also when many ask for the first', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const wish = { 'accept-signature': 'rsa-v1_5-sha256' }
  const first = await build(t, { accounts, db })
  await Promise.all([initiate(first, wish), initiate(first, wish), initiate(first, wish)])
  const published = (await first.call('GET', '/v2/public-key/http')).body
  t.match(published, [{ id: 'HTTP_EC_P256_KEY:1' }, { id: 'HTTP_RSA_V1_5_KEY:1' }])
  await first.app.close()
  const second = await build(t, { accounts, db })
  t.strictSame((await second.call('GET', '/v2/public-key/http')).body, published)
  t.equal(await verifyAnswer(second, await initiate(second, wish)), true)
})
