import { createHash, verify } from 'node:crypto'

/** Without these in it, a signature could be put on another message. */
const mustBeCovered = ['@method', '@authority', '@path', 'content-digest']

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
  if (!(now <= Number(/;expires=(\d+)/.exec(input)?.[1]) * 1000)) return false
  if (
    headers['content-digest'] !== `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
  ) {
    return false
  }

  /** @type {Record<string, any>} */
  const derived = { '@method': method, '@authority': headers.host, '@path': url.split('?')[0] }
  const lines = covered.map((name) => `"${name}": ${derived[name] ?? headers[name]}`)
  const base = [...lines, `"@signature-params": ${input}`].join('\n')
  const key = keys.find(({ id }) => input.includes(`;keyid="${id}"`))
  return (
    key !== undefined && verify('sha256', Buffer.from(base), key.key, Buffer.from(value, 'base64'))
  )
}
