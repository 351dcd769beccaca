import { constants, sign, verify, type KeyObject } from 'node:crypto'

/** Signature algorithms of RFC 9421, section 3.3, that the service accepts. */

interface Algorithm {
  hash: string
  /** Tells whether the algorithm fits a key. */
  fits: (key: KeyObject) => boolean
  padding?: number
  saltLength?: number
  /** Length of r and of s in bytes, for signatures that consist of both. */
  half?: number
}

const isCurve =
  (name: string) =>
    (key: KeyObject): boolean =>
      key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === name

const algorithms = {
  'rsa-pss-sha512': {
    hash: 'sha512',
    fits: ({ asymmetricKeyType: type }) => type === 'rsa' || type === 'rsa-pss',
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: 64
  },
  'ecdsa-p256-sha256': { hash: 'sha256', fits: isCurve('prime256v1'), half: 32 },
  'rsa-v1_5-sha256': {
    hash: 'sha256',
    fits: ({ asymmetricKeyType: type }) => type === 'rsa',
    padding: constants.RSA_PKCS1_PADDING
  },
  'ecdsa-p384-sha384': { hash: 'sha384', fits: isCurve('secp384r1'), half: 48 }
} satisfies Record<string, Algorithm>

export type AlgorithmName = keyof typeof algorithms

/** Encoding of an ECDSA signature: ASN.1 DER, or r||s as in RFC 9421. */
export type Encoding = 'der' | 'p1363'

/** All algorithms. */
export const algorithmNames = Object.keys(algorithms) as AlgorithmName[]

/** Value of the Accept-Signature header. */
export const acceptedAlgorithms = algorithmNames.join(',')

/** Algorithm of callbacks, and of answers to clients that can verify it. */
export const defaultAlgorithm: AlgorithmName = 'ecdsa-p256-sha256'

/**
 * Algorithm for an Accept-Signature header. The header lists what the client can verify: the
 * default if the list has it or nothing known, otherwise the first name that is known.
 */
export function chooseAlgorithm (header: string | undefined): AlgorithmName {
  const words: string[] = header?.toLowerCase().match(/[a-z][\w-]*/g) ?? []
  const known = words.filter((word): word is AlgorithmName => Object.hasOwn(algorithms, word))
  return known.length === 0 || known.includes(defaultAlgorithm) ? defaultAlgorithm : known[0]
}

/** Algorithms that fit a key. */
export function algorithmsFor (key: KeyObject): AlgorithmName[] {
  return algorithmNames.filter((name) => algorithms[name].fits(key))
}

/** Encoding of a signature; undefined for algorithms with only one encoding. */
export function encodingOf (name: AlgorithmName, value: Buffer): Encoding | 'unknown' | undefined {
  const { half }: Algorithm = algorithms[name]
  if (half === undefined) return undefined
  if (value.length === 2 * half) return 'p1363'
  return value[0] === 0x30 && value[1] === value.length - 2 ? 'der' : 'unknown'
}

/** Arguments of `sign`. */
export interface SigningMethod {
  hash: string
  key: KeyObject | KeyOptions
}

/** Key with the options of an algorithm. */
interface KeyOptions {
  key: KeyObject
  dsaEncoding: 'der' | 'ieee-p1363'
  padding?: number
  saltLength?: number
}

/** Signs a text with the private key that fits an algorithm. Returns base64. */
export type SignText = (
  name: AlgorithmName,
  key: KeyObject,
  text: string,
  encoding: Encoding
) => Promise<string>

/** Signs a text on the thread pool, so that other requests need not wait for the signature. */
export const signText: SignText = (name, key, text, encoding) => {
  const method = signingMethod(name, key, encoding)
  return new Promise((resolve, reject) => {
    sign(method.hash, Buffer.from(text, 'latin1'), method.key, (error, signature) =>
      error === null ? resolve(signature.toString('base64')) : reject(error)
    )
  })
}

/** Returns how to sign with a key. */
export function signingMethod (
  name: AlgorithmName,
  key: KeyObject,
  encoding: Encoding
): SigningMethod {
  const { hash, padding }: Algorithm = algorithms[name]
  // Node reads a key without options faster. DER is its default encoding.
  const isPlain = padding === undefined && encoding === 'der'
  return { hash, key: isPlain ? key : addOptions(name, key, encoding) }
}

/** Tells whether a value is the signature of a text. */
export function verifies (
  name: AlgorithmName,
  key: KeyObject,
  text: string,
  value: Buffer,
  saltLength?: number
): boolean {
  const encoding = encodingOf(name, value)
  try {
    return verify(
      algorithms[name].hash,
      Buffer.from(text, 'latin1'),
      {
        ...addOptions(name, key, encoding === 'p1363' ? 'p1363' : 'der'),
        ...(saltLength !== undefined && { saltLength })
      },
      value
    )
  } catch {
    return false
  }
}

function addOptions (name: AlgorithmName, key: KeyObject, encoding: Encoding): KeyOptions {
  const { padding, saltLength }: Algorithm = algorithms[name]
  return {
    key,
    dsaEncoding: encoding === 'der' ? 'der' : 'ieee-p1363',
    ...(padding !== undefined && { padding }),
    ...(saltLength !== undefined && { saltLength })
  }
}
