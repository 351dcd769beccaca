import { createHash, createPublicKey, verify } from 'node:crypto'

/**
 * Is a callback genuine? Signatures are those of RFC 9421, digests those of RFC 9530; ECDSA values
 * are ASN.1 DER.
 * @typedef {{ method: string, path: string, headers: import('node:http').IncomingHttpHeaders, body:
 * Buffer }} Received
 * @typedef {{ id: string, key: string }} PublicKey
 */

/** Without these in it, a signature proves too little: somebody could put it on another message. */
const required = ['@method', '@authority', '@path', 'content-digest']
/** Clocks differ a little. */
const toleranceSeconds = 5
/** A stranger who invents key ids must not make us ask for the keys each time. */
const refetchAfterMs = 2000

/**
 * Key that signed a callback.
 * @param {import('node:http').IncomingHttpHeaders} headers
 */
export function keyIdOf (headers) {
  return parse(headers)?.keyId ?? ''
}

export class Verifier {
  /** @type {PublicKey[]} */
  #keys = []
  #fetched = -Infinity
  #fetchKeys

  /** @param {() => Promise<PublicKey[]>} fetchKeys asks the service for its public keys */
  constructor (fetchKeys) {
    this.#fetchKeys = fetchKeys
  }

  /**
   * Returns the problem of a callback, or undefined for a genuine one.
   * @param {Received} received
   * @param {number} now
   * @returns {Promise<string | undefined>}
   */
  async problem (received, now = Date.now()) {
    const { headers, body } = received
    const signed = parse(headers)
    if (signed === undefined) return 'it is not signed'
    const missing = required.find((name) => !signed.components.includes(name))
    if (missing !== undefined) return `its signature does not cover ${missing}`
    if (signed.expires * 1000 < now) return 'its signature has expired'
    if (signed.created > now / 1000 + toleranceSeconds) return 'its signature is of the future'
    if (!digestMatches(String(headers['content-digest']), body)) {
      return 'its body is not the one that was signed'
    }
    const key = await this.#key(signed.keyId, now)
    if (key === undefined) return `its key ${signed.keyId} is not one of the service`
    const base = [
      ...signed.components.map((name) => `"${name}": ${valueOf(name, received)}`),
      `"@signature-params": ${signed.parameters}`
    ].join('\n')
    return verify('sha256', Buffer.from(base), createPublicKey(key), signed.value)
      ? undefined
      : 'its signature is wrong'
  }

  /**
   * A key by its id. One we have not seen may be new: services change keys, so they are asked for
   * again.
   * @param {string} id
   * @param {number} now
   */
  async #key (id, now) {
    const known = () => this.#keys.find((key) => key.id === id)?.key
    if (known() === undefined && now - this.#fetched >= refetchAfterMs) {
      this.#fetched = now
      this.#keys = await this.#fetchKeys()
    }
    return known()
  }
}

/**
 * The parts of the signature headers:
 * `sig-pp=("@method" …);alg=…;keyid="…";created=…;expires=…`
 * and `sig-pp=:BASE64:`.
 * @param {import('node:http').IncomingHttpHeaders} headers
 */
function parse (headers) {
  const input = /^([a-z*][\w.*-]*)=(\(([^)]*)\)(.*))$/.exec(
    String(headers['signature-input'] ?? '')
  )
  if (input === null) return undefined
  const [, label, parameters, list, rest] = input
  const value = new RegExp(`(?:^|,\\s*)${label.replace(/[.*]/g, '\\$&')}=:([A-Za-z0-9+/=]+):`).exec(
    String(headers.signature ?? '')
  )
  const parameter = (/** @type {string} */ name) =>
    new RegExp(`;${name}="?([^";]+)`).exec(rest)?.[1] ?? ''
  if (value === null || parameter('alg') !== 'ecdsa-p256-sha256') return undefined
  return {
    components: [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
    parameters,
    keyId: parameter('keyid'),
    created: Number(parameter('created')),
    expires: Number(parameter('expires')),
    value: Buffer.from(value[1], 'base64')
  }
}

/**
 * Every digest we know must be that of the body, and there must be one.
 * @param {string} header
 * @param {Buffer} body
 */
function digestMatches (header, body) {
  const digests = [...header.matchAll(/(sha-256|sha-512)=:([^:]+):/g)]
  return (
    digests.length > 0 &&
    digests.every(
      ([, name, value]) => createHash(name.replace('-', '')).update(body).digest('base64') === value
    )
  )
}

/**
 * @param {string} name
 * @param {Received} received
 */
function valueOf (name, { method, path, headers }) {
  switch (name) {
    case '@method':
      return method
    case '@authority':
      return headers.host?.toLowerCase()
    case '@path':
      return path.split('?')[0]
    default:
      return headers[name]
  }
}
