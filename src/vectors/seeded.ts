import {
  checkPrimeSync,
  constants,
  createECDH,
  createHash,
  createPrivateKey,
  hash,
  privateEncrypt,
  type JsonWebKey,
  type KeyObject
} from 'node:crypto'
import { signText, type AlgorithmName, type SignText } from '../security/algorithms.ts'
import type { SigningKey } from '../security/keys.ts'

/**
 * Keys and signatures that follow from a seed, so that vectors can be made again byte for byte. An
 * ordinary signature of ECDSA or PSS has a random part. Everybody knows these keys: they protect
 * nothing.
 */

interface Curve {
  name: 'prime256v1' | 'secp384r1'
  jwk: 'P-256' | 'P-384'
  hash: 'sha256' | 'sha384'
  size: number
  order: bigint
}

const curves: Partial<Record<AlgorithmName, Curve>> = {
  'ecdsa-p256-sha256': {
    name: 'prime256v1',
    jwk: 'P-256',
    hash: 'sha256',
    size: 32,
    order: BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  },
  'ecdsa-p384-sha384': {
    name: 'secp384r1',
    jwk: 'P-384',
    hash: 'sha384',
    size: 48,
    order: BigInt(
      '0xffffffffffffffffffffffffffffffffffffffffffffffff' +
        'c7634d81f4372ddf581a0db248b0a77aecec196accc52973'
    )
  }
}

const exponent = 65537n
const primeBytes = 128
const saltBytes = 64
const hashBytes = 64

/** Source of keys, identifiers and signatures. */
export class Seed {
  readonly #text: string

  constructor (text: string) {
    this.#text = text
  }

  /** Returns an identifier (a UUID of version 4). */
  uuid (purpose: string): string {
    const bytes = this.#bytes(purpose, 16)
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  /** Returns a key for an algorithm. */
  key (id: string, algorithm: AlgorithmName, purpose = id): SigningKey {
    const curve = curves[algorithm]
    const jwk = curve === undefined ? this.#rsaKey(purpose) : this.#curveKey(curve, purpose)
    return { id, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
  }

  /** Signs a text. */
  readonly signText: SignText = async (name, key, text, encoding) => {
    const curve = curves[name]
    if (curve === undefined) {
      return name === 'rsa-pss-sha512'
        ? signPss(key, text, this.#bytes(text, saltBytes)).toString('base64')
        : await signText(name, key, text, encoding)
    }
    const halves = this.#signCurve(curve, key, text)
    return (encoding === 'der' ? writeDer(halves) : Buffer.concat(halves)).toString('base64')
  }

  #curveKey ({ name, jwk, size, order }: Curve, purpose: string): JsonWebKey {
    const pair = createECDH(name)
    const d = writeNumber(this.#below(order, purpose, size), size)
    pair.setPrivateKey(d)
    const point = pair.getPublicKey()
    const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map(encode)
    return { kty: 'EC', crv: jwk, d: encode(d), x, y }
  }

  #rsaKey (purpose: string): JsonWebKey {
    const [p, q] = ['p', 'q'].map((name) => this.#prime(`${purpose} ${name}`))
    const d = invert(exponent, (p - 1n) * (q - 1n))
    const numbers = {
      n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p)
    }
    const parts = Object.entries(numbers).map(([name, value]) => [name, encode(writeNumber(value))])
    return { kty: 'RSA', ...Object.fromEntries(parts) }
  }

  #prime (purpose: string): bigint {
    for (let n = 0; ; n++) {
      const bytes = this.#bytes(`${purpose} ${n}`, primeBytes)
      // The product of two primes with these bits has its full length.
      bytes[0] |= 0xc0
      bytes[primeBytes - 1] |= 1
      const candidate = readNumber(bytes)
      if (checkPrimeSync(candidate) && (candidate - 1n) % exponent !== 0n) return candidate
    }
  }

  #signCurve ({ name, hash: digest, size, order }: Curve, key: KeyObject, text: string): Buffer[] {
    const d = readNumber(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'))
    const nonce = this.#below(order, `${encode(writeNumber(d))} ${text}`, size)
    const pair = createECDH(name)
    pair.setPrivateKey(writeNumber(nonce, size))
    const r = readNumber(pair.getPublicKey().subarray(1, 1 + size)) % order
    const z = readNumber(hash(digest, text, 'buffer'))
    const s = (invert(nonce, order) * (z + r * d)) % order
    return [writeNumber(r, size), writeNumber(s, size)]
  }

  /** Returns a number from 1 to one less than a limit. */
  #below (limit: bigint, purpose: string, size: number): bigint {
    return (readNumber(this.#bytes(purpose, size + 16)) % (limit - 1n)) + 1n
  }

  #bytes (purpose: string, length: number): Buffer {
    return createHash('shake256', { outputLength: length })
      .update(`${this.#text}\n${purpose}`)
      .digest()
  }
}

/** Signs with RSASSA-PSS (RFC 8017, section 9.1.1), with SHA-512 and a given salt. */
function signPss (key: KeyObject, text: string, salt: Buffer): Buffer {
  const size = 2 * primeBytes
  const message = [Buffer.alloc(8), hash('sha512', text, 'buffer'), salt]
  const digest = hash('sha512', Buffer.concat(message), 'buffer')
  const data = Buffer.alloc(size - hashBytes - 1)
  data[data.length - salt.length - 1] = 1
  salt.copy(data, data.length - salt.length)
  for (let block = 0; block * hashBytes < data.length; block++) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(block)
    const mask = hash('sha512', Buffer.concat([digest, counter]), 'buffer')
    const start = block * hashBytes
    const end = Math.min(start + hashBytes, data.length)
    for (let n = start; n < end; n++) data[n] ^= mask[n - start]
  }
  data[0] &= 0x7f
  const encoded = Buffer.concat([data, digest, Buffer.from([0xbc])])
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

/** Writes numbers as an ASN.1 sequence. */
function writeDer (numbers: Buffer[]): Buffer {
  const parts = numbers.map((bytes) => {
    const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
    const number = short[0] < 0x80 ? short : Buffer.concat([Buffer.alloc(1), short])
    return Buffer.concat([Buffer.from([0x02, number.length]), number])
  })
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}

/** Inverse of a number modulo another one, by the extended algorithm of Euclid. */
function invert (value: bigint, modulus: bigint): bigint {
  let [rest, nextRest, factor, nextFactor] = [modulus, value % modulus, 0n, 1n]
  while (nextRest !== 0n) {
    const quotient = rest / nextRest
    ;[rest, nextRest] = [nextRest, rest - quotient * nextRest]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
  }
  return ((factor % modulus) + modulus) % modulus
}

function readNumber (bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function writeNumber (value: bigint, size = 0): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(Math.max(2 * size, hex.length + (hex.length % 2)), '0'), 'hex')
}

function encode (bytes: Buffer): string {
  return bytes.toString('base64url')
}
