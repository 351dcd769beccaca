import { createHash, sign } from 'node:crypto'

/** Components that the signature covers, in this order. */
const covered = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
  'content-length'
]

/**
 * Returns the headers of a signed request. Send exactly these headers and exactly this body.
 *
 * @param {{ method: string, url: string, body: string }} request
 * @param {{ keyId: string, privateKey: string }} key an EC P-256 key as PEM
 * @param {Date} [now]
 * @returns {Record<string, string>}
 */
export function signRequest ({ method, url, body }, { keyId, privateKey }, now = new Date()) {
  const { host, pathname } = new URL(url)
  const created = Math.floor(now.getTime() / 1000)
  const headers = {
    'signature-date': now.toISOString(),
    'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`,
    'content-type': 'application/json; charset=UTF-8',
    'content-length': String(Buffer.byteLength(body))
  }
  const parameters =
    `(${covered.map((name) => `"${name}"`).join(' ')});alg="ecdsa-p256-sha256"` +
    `;keyid="${keyId}";created=${created};expires=${created + 60}`
  /** @type {Record<string, string>} */
  const values = { '@method': method, '@authority': host, '@path': pathname, ...headers }
  const base = [
    ...covered.map((name) => `"${name}": ${values[name]}`),
    `"@signature-params": ${parameters}`
  ].join('\n')
  const signature = sign('sha256', Buffer.from(base), privateKey).toString('base64')
  return {
    ...headers,
    'signature-input': `sig-pp=${parameters}`,
    signature: `sig-pp=:${signature}:`
  }
}
