import { createHmac, timingSafeEqual } from 'node:crypto'

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

/** Makes a token: its time, and the code over the time and the purpose. */
export function makeServerToken (secret: string, purpose: TokenPurpose, now: number): string {
  return `${now}.${codeOf(secret, purpose, String(now))}`
}

/** Tells whether a token was made with the secret for this purpose, and has not ended. */
export function checkServerToken (
  secret: string,
  purpose: TokenPurpose,
  token: string,
  { now, lifetimeMs }: { now: number; lifetimeMs: number }
): boolean {
  const [, time, code] = /^(\d+)\.([\w-]+)$/.exec(token) ?? []
  if (time === undefined || !isSame(code, codeOf(secret, purpose, time))) return false
  // The clock of the other server may be ahead.
  return Math.abs(now - Number(time)) <= lifetimeMs
}

function codeOf (secret: string, { server, method, path }: TokenPurpose, time: string): string {
  // As JSON, no two purposes have the same text.
  const text = JSON.stringify([server, method, path, time])
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Compares in constant time. Both texts are ASCII. */
function isSame (given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
