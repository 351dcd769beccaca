import { constants, createHash, createPublicKey, verify } from 'node:crypto'

/** Without these in it, a signature could be put on another message. */
const mustBeCovered = ['@method', '@authority', '@path', 'content-digest']
const digests = { 'sha-256': 'sha256', 'sha-512': 'sha512' }
/** @type {Record<string, { hash: string, type: string, padding?: number, saltLength?: number }>} */
const algorithms = {
  'ecdsa-p256-sha256': { hash: 'sha256', type: 'ec' },
  'ecdsa-p384-sha384': { hash: 'sha384', type: 'ec' },
  'rsa-v1_5-sha256': { hash: 'sha256', type: 'rsa', padding: constants.RSA_PKCS1_PADDING },
  'rsa-pss-sha512': {
    hash: 'sha512', type: 'rsa', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64
  }
}

/**
 * Is this callback genuine? `request` is that of node:http, `body` holds the bytes as they arrived,
 * `keys` what GET /v2/public-key/http answered.
 * @param {{ method?: string, url?: string, headers: Record<string, any> }} request
 * @param {Buffer} body
 * @param {Array<{ id: string, key: string }>} keys
 */
export function isGenuine ({ method, url = '', headers }, body, keys, now = Date.now()) {
  const [, label, input, list] =
    /^([\w.*-]+)=(\(([^)]*)\).*)$/.exec(headers['signature-input'] ?? '') ?? []
  const [, name, value] = /^([\w.*-]+)=:([^:]+):$/.exec(headers.signature ?? '') ?? []
  if (label === undefined || label !== name) return false

  const covered = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
  if (!mustBeCovered.every((name) => covered.includes(name))) return false
  if (!(now < (Number(/;expires=(\d+)/.exec(input)?.[1]) + 1) * 1000)) return false
  if (!isDigestOf(body, headers['content-digest'] ?? '')) return false

  /** @type {Record<string, any>} */
  const derived = {
    '@method': method, '@authority': headers.host?.toLowerCase(), '@path': url.split('?')[0]
  }
  const lines = covered.map((name) => `"${name}": ${derived[name] ?? headers[name]}`)
  const base = [...lines, `"@signature-params": ${input}`].join('\n')
  const key = keys.find(({ id }) => input.includes(`;keyid="${id}"`))
  const algorithm = algorithms[/;alg="([^"]+)"/.exec(input)?.[1] ?? '']
  if (key === undefined || algorithm === undefined) return false
  const publicKey = createPublicKey(key.key)
  if (publicKey.asymmetricKeyType !== algorithm.type) return false
  const { hash, type: _, ...options } = algorithm
  const bytes = Buffer.from(value, 'base64')
  return verify(hash, Buffer.from(base), { key: publicKey, ...options }, bytes)
}

/**
 * Does every known digest fit the body, and is there one?
 * @param {Buffer} body
 * @param {string} header
 */
function isDigestOf (body, header) {
  const found = Object.entries(digests).flatMap(([name, hash]) => {
    const value = new RegExp(`(?:^|[ ,])${name}=:([^:]*):`).exec(header)?.[1]
    return value === undefined ? [] : [value === createHash(hash).update(body).digest('base64')]
  })
  return found.length > 0 && found.every((fits) => fits)
}
