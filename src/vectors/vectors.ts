import type { AlgorithmName } from '../security/algorithms.ts'
import { componentReader } from '../security/components.ts'
import { publishKey, type PublishedKey, type SigningKey } from '../security/keys.ts'
import { label, signatureBase, signRequest, type Signer } from '../security/signature.ts'
import { makeBodies, type Bodies } from './bodies.ts'
import { rows, type KeyUse, type Row, type Sent } from './rows.ts'
import { Seed } from './seeded.ts'

/** Signed callbacks, genuine and forged, with the decision that a receiver must make. */

/** One callback, as it arrives at a receiver. `body` is base64 of the bytes. */
export interface Vector extends Pick<Row, 'name' | 'decision' | 'reason' | 'repeats'>, Sent {
  /** Time of its arrival, in seconds since 1970. */
  time: number
  /** What GET /v2/public-key/http answers at this time. */
  keys: readonly PublishedKey[]
}

export interface VectorSettings {
  seed: string
  /** Time at which the first callbacks are signed, in milliseconds. */
  time: number
}

const contentType = 'application/json; charset=UTF-8'
const callbackUrl = 'https://shop.example/callbacks/deposits'
const travelSeconds = 5

/** Keys, with identifiers like those of the service. */
const keyRows: Record<KeyUse, [id: string, algorithm: AlgorithmName]> = {
  first: ['HTTP_EC_P256_KEY:1', 'ecdsa-p256-sha256'],
  second: ['HTTP_EC_P256_KEY:2', 'ecdsa-p256-sha256'],
  stranger: ['HTTP_EC_P256_KEY:1', 'ecdsa-p256-sha256'],
  p384: ['HTTP_EC_P384_KEY:1', 'ecdsa-p384-sha384'],
  rsa: ['HTTP_RSA_KEY:1', 'rsa-pss-sha512']
}

/** What all vectors of a set share. */
interface VectorSet {
  seed: Seed
  keys: Record<string, SigningKey>
  bodies: Bodies
  time: number
}

/** Makes all vectors. The same settings make the same bytes. */
export async function makeVectors ({ seed: text, time }: VectorSettings): Promise<Vector[]> {
  const seed = new Seed(text)
  const keys = Object.fromEntries(
    Object.entries(keyRows).map(([name, [id, algorithm]]) => [name, seed.key(id, algorithm, name)])
  )
  const bodies = makeBodies((purpose) => seed.uuid(purpose), time)
  return await Promise.all(rows.map((row) => makeVector({ seed, keys, bodies, time }, row)))
}

async function makeVector (set: VectorSet, row: Row): Promise<Vector> {
  const { name, decision, reason, repeats, signedAfter = 0, travel = travelSeconds } = row
  const signed = await sign(set, row)
  const { body, ...request } = { ...signed, ...row.change?.(signed, set.bodies) }
  return {
    name,
    decision,
    reason,
    ...(repeats !== undefined && { repeats }),
    time: Math.floor(set.time / 1000) + signedAfter + travel,
    ...request,
    body: Buffer.from(body).toString('base64'),
    keys: (row.published ?? ['first', 'p384', 'rsa']).map((use) => publishKey(set.keys[use]))
  }
}

/** Signs the callback of a row. */
async function sign ({ seed, keys, bodies, time }: VectorSet, row: Row): Promise<Sent> {
  const { key = 'first', signed = {}, signedAfter = 0, digest, parameters } = row
  const { protocol, host, pathname, search } = new URL(row.url ?? callbackUrl)
  const body = bodies[row.body ?? 'deposit']
  const signer = {
    key: keys[key],
    now: time + signedAfter * 1000,
    encoding: row.encoding ?? 'der',
    algorithm: row.algorithm ?? keyRows[key][1],
    ...(digest !== undefined && { digest }),
    signText: seed.signText
  } as const
  const target = { protocol, host: signed.host ?? host, pathname: signed.path ?? pathname }
  const headers = await signRequest(signed.method ?? 'POST', target, contentType, body, signer)
  const url = pathname + search
  const sent: Sent = { method: 'POST', url, headers: { host, ...headers }, body }
  const contentDigest = row.contentDigest?.(body)
  if (contentDigest === undefined && parameters === undefined) return sent
  if (contentDigest !== undefined) sent.headers['content-digest'] = contentDigest
  const input = sent.headers['signature-input'].slice(`${label}=`.length)
  return await signAgain(sent, parameters?.(input) ?? input, signer)
}

/** Signs a request again, over components and parameters of its own. */
async function signAgain (
  sent: Sent,
  input: string,
  { key, algorithm = 'ecdsa-p256-sha256', encoding, signText }: Signer
): Promise<Sent> {
  const { method, url: target, headers } = sent
  const message = { method, target, authority: headers.host, scheme: 'https', headers } as const
  const names = input.slice(0, input.indexOf(')')).matchAll(/"([^"]+)"/g)
  const lines = [...names].map(([quoted, name]): [string, string] => [
    quoted,
    componentReader(name)(message)
  ])
  const base = signatureBase(lines, input)
  const value = await signText?.(algorithm, key.privateKey, base, encoding)
  const signature = { 'signature-input': `${label}=${input}`, signature: `${label}=:${value}:` }
  return { ...sent, headers: { ...headers, ...signature } }
}
