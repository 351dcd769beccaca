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

/** Components that a signature covers, with their quoted names. */
type Covered = ReadonlyArray<readonly [name: string, quoted: string]>
const ofRequests: Covered = coverNames(
  '@method @authority @path signature-date content-digest content-type'
)
const ofAnswers: Covered = coverNames(
  '@status signature-date content-digest content-type content-length'
)
const noParameters = new Map()

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
export async function signRequest (
  method: string,
  { host, pathname, protocol }: Pick<URL, 'host' | 'pathname' | 'protocol'>,
  contentType: string,
  body: string,
  pen: Signer
): Promise<Record<string, string>> {
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
    ...(await signed(message, ofRequests, pen)),
    'accept-signature': acceptedAlgorithms,
    'accept-digest': acceptedDigests
  }
}

/** Returns the headers that sign an answer. */
export async function signResponse (
  status: number,
  contentType: string,
  body: string,
  pen: Signer
): Promise<Record<string, string>> {
  const headers = {
    ...digested(body, pen),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body).toString()
  }
  return { ...headers, ...(await signed({ status, headers }, ofAnswers, pen)) }
}

/** Signature base: a line for each component, and one for the parameters. */
export function signatureBase (
  lines: ReadonlyArray<[component: string, value: string]>,
  parameters: string
): string {
  const base = lines.map(([component, value]) => `${component}: ${value}\n`).join('')
  return `${base}"@signature-params": ${parameters}`
}

function digested (body: string, { now, digest }: Signer): Record<string, string> {
  return {
    'content-digest': contentDigest(body, digest),
    'signature-date': new Date(now).toISOString()
  }
}

async function signed (
  message: Message,
  covered: Covered,
  { key, now, encoding, algorithm = defaultAlgorithm }: Signer
): Promise<Record<string, string>> {
  // Rounded down: a receiver refuses a signature that was created in the future.
  const created = Math.floor(now / 1000)
  const parameters =
    `(${covered.map(([, quoted]) => quoted).join(' ')});alg=${quote(algorithm)};` +
    `keyid=${quote(key.id)};created=${created};expires=${created + lifetimeSeconds}`
  const lines = covered.map(([name, quoted]): [string, string] => [quoted, plain(name, message)])
  const value = await signText(
    algorithm,
    key.privateKey,
    signatureBase(lines, parameters),
    encoding
  )
  return {
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${value.toString('base64')}:`
  }
}

function plain (name: string, message: Message): string {
  const found = valueOf({ name, parameters: noParameters }, message)
  if ('problem' in found) throw new Error(found.problem)
  return found.value
}

function coverNames (names: string): Covered {
  return names.split(' ').map((name) => [name, quote(name)] as const)
}

function quote (text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
