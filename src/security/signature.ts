import { acceptedAlgorithms, signText, type AlgorithmName, type Encoding } from './algorithms.ts'
import { valueOf, type Message } from './components.ts'
import { acceptedDigests, contentDigest, type DigestName } from './digest.ts'
import type { SigningKey } from './keys.ts'

/** Creates signatures of HTTP messages (RFC 9421). */

/** Label of the signatures of the service. */
export const label = 'sig-pp'

/** Lifetime of a signature, in seconds. */
export const lifetimeSeconds = 60

/** Algorithm of signatures, unless the other side asks for another one. */
export const defaultAlgorithm: AlgorithmName = 'ecdsa-p256-sha256'
const ofRequests = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type'
]
const ofAnswers = ['@status', 'signature-date', 'content-digest', 'content-type', 'content-length']

/** Key, system time and encoding of a signature. */
export interface Signer {
  key: SigningKey
  now: number
  encoding: Encoding
  /** Algorithm that fits the key; ecdsa-p256-sha256 without it. */
  algorithm?: AlgorithmName
  digest?: DigestName
}

/** Returns the headers that sign a callback. */
export function signRequest (
  method: string,
  url: string,
  contentType: string,
  body: string,
  pen: Signer
): Record<string, string> {
  const { host, pathname, protocol } = new URL(url)
  const headers = { ...digested(body, pen), 'content-type': contentType }
  const message: Message = {
    method,
    scheme: protocol === 'https:' ? 'https' : 'http',
    authority: host,
    target: pathname,
    headers
  }
  return {
    ...headers,
    ...signed(message, ofRequests, pen),
    'accept-signature': acceptedAlgorithms,
    'accept-digest': acceptedDigests
  }
}

/** Returns the headers that sign an answer. */
export function signResponse (
  status: number,
  contentType: string,
  body: string,
  pen: Signer
): Record<string, string> {
  const headers = {
    ...digested(body, pen),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body).toString()
  }
  return { ...headers, ...signed({ status, headers }, ofAnswers, pen) }
}

/** Signature base: a line for each component, and one for the parameters. */
export function signatureBase (
  lines: ReadonlyArray<[component: string, value: string]>,
  parameters: string
): string {
  return [...lines, ['"@signature-params"', parameters]]
    .map(([component, value]) => `${component}: ${value}`)
    .join('\n')
}

function digested (body: string, { now, digest }: Signer): Record<string, string> {
  return {
    'content-digest': contentDigest(body, digest),
    'signature-date': new Date(now).toISOString()
  }
}

function signed (
  message: Message,
  covered: readonly string[],
  { key, now, encoding, algorithm = defaultAlgorithm }: Signer
): Record<string, string> {
  // Rounded down: a receiver refuses a signature that was created in the future.
  const created = Math.floor(now / 1000)
  const parameters = [
    `(${covered.map(quoted).join(' ')})`,
    `alg=${quoted(algorithm)}`,
    `keyid=${quoted(key.id)}`,
    `created=${created}`,
    `expires=${created + lifetimeSeconds}`
  ].join(';')
  const lines = covered.map((name): [string, string] => [quoted(name), plain(name, message)])
  const value = signText(algorithm, key.privateKey, signatureBase(lines, parameters), encoding)
  return {
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${value.toString('base64')}:`
  }
}

function plain (name: string, message: Message): string {
  const found = valueOf({ name, parameters: new Map() }, message)
  if ('problem' in found) throw new Error(found.problem)
  return found.value
}

function quoted (text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
