import {
  acceptedAlgorithms,
  defaultAlgorithm,
  signText,
  type AlgorithmName,
  type Encoding,
  type SignText
} from './algorithms.ts'
import { componentReader, type Message } from './components.ts'
import { acceptedDigests, contentDigest, type DigestName } from './digest.ts'
import type { SigningKey } from './keys.ts'

/** Creates signatures of HTTP messages (RFC 9421). */

/** Label of the signatures of the service. */
export const label = 'sig-pp'

/** Lifetime of a signature, in seconds. */
export const lifetimeSeconds = 60

/** Components that a signature covers. */
interface Covered {
  /** Their quoted names, as the parameters of a signature list them. */
  list: string
  components: ReadonlyArray<readonly [quoted: string, read: (message: Message) => string]>
}

const ofRequests: Covered = coverNames(
  '@method @authority @path signature-date content-digest content-type'
)
const ofAnswers: Covered = coverNames(
  '@status signature-date content-digest content-type content-length'
)

/** Headers of a callback that say what its receiver may use. */
const accepted = { 'accept-signature': acceptedAlgorithms, 'accept-digest': acceptedDigests }

/** Key, system time and encoding of a signature. */
export interface Signer {
  key: SigningKey
  now: number
  encoding: Encoding
  /** Algorithm that fits the key; ecdsa-p256-sha256 without it. */
  algorithm?: AlgorithmName
  digest?: DigestName
  /** Signs a text; the thread pool does without it. */
  signText?: SignText
}

/** Returns the headers that sign a callback. */
export function signRequest (
  method: string,
  { host, pathname, protocol }: Pick<URL, 'host' | 'pathname' | 'protocol'>,
  contentType: string,
  body: string,
  signer: Signer
): Promise<Record<string, string>> {
  const headers = { ...digested(body, signer), 'content-type': contentType }
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const message = { method, scheme, authority: host, target: pathname, headers } as const
  return addSignature(message, ofRequests, signer, accepted)
}

/** Returns the headers that sign an answer. */
export function signResponse (
  status: number,
  contentType: string,
  body: string,
  signer: Signer
): Promise<Record<string, string>> {
  const headers = {
    ...digested(body, signer),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body).toString()
  }
  return addSignature({ status, headers }, ofAnswers, signer)
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

/** Adds a signature to the headers of a message, and other headers after it. */
async function addSignature (
  message: Message & { headers: Record<string, string> },
  { list, components }: Covered,
  { key, now, encoding, algorithm = defaultAlgorithm, signText: sign = signText }: Signer,
  others: Record<string, string> = {}
): Promise<Record<string, string>> {
  // Rounded down: a receiver refuses a signature that was created in the future.
  const created = Math.floor(now / 1000)
  const parameters =
    `(${list});alg="${algorithm}";keyid=${quote(key.id)};` +
    `created=${created};expires=${created + lifetimeSeconds}`
  const lines = components.map(([quoted, read]): [string, string] => [quoted, read(message)])
  const value = await sign(algorithm, key.privateKey, signatureBase(lines, parameters), encoding)
  const signature = {
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${value}:`
  }
  return Object.assign(message.headers, signature, others)
}

function coverNames (names: string): Covered {
  const components = names.split(' ').map((name) => [quote(name), componentReader(name)] as const)
  return { list: components.map(([quoted]) => quoted).join(' '), components }
}

function quote (text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
