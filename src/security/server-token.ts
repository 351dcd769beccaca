import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Tokens with which the servers of a ledger prove themselves to each other. A token is made from
 * the secret that they share, for one request to one server, and ends soon. So whoever takes the
 * port of a server that is gone gets nothing that works elsewhere.
 */

/** What a token is for. */
export interface TokenPurpose {
  /** The server that takes the request, or that answers. A server that starts again is another. */
  server: number
  method: string
  path: string
}

/** A valid token, whose body may not have been read yet. */
export interface ServerToken {
  /** Whether the token is for this body. */
  isFor: (body: string | Uint8Array) => boolean
}

/** Makes a token: its time, the digest of the body, and the code over both and the purpose. */
export function makeServerToken (
  secret: string,
  purpose: TokenPurpose,
  body: string | Uint8Array,
  now: number
): string {
  const start = `${now}.${digestOf(body)}`
  return `${start}.${codeOf(secret, purpose, start)}`
}

/**
 * Checks everything but the body, which a stranger should not have read. Returns undefined if the
 * token is for something else, has ended, or was made without the secret.
 */
export function checkServerToken (
  secret: string,
  purpose: TokenPurpose,
  token: string,
  { now, lifetimeMs }: { now: number; lifetimeMs: number }
): ServerToken | undefined {
  const [, start, time, digest, code] = /^((\d+)\.([\w-]+))\.([\w-]+)$/.exec(token) ?? []
  if (start === undefined || !isSame(code, codeOf(secret, purpose, start))) return undefined
  // The clock of the other server may be ahead.
  if (Math.abs(now - Number(time)) > lifetimeMs) return undefined
  return { isFor: (body) => isSame(digest, digestOf(body)) }
}

function codeOf (secret: string, { server, method, path }: TokenPurpose, start: string): string {
  // As JSON, no two purposes have the same text.
  const text = JSON.stringify([server, method, path, start])
  return createHmac('sha256', secret).update(text).digest('base64url')
}

function digestOf (body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}

/** Compares in constant time. Both texts are ASCII. */
function isSame (given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
