import { createHmac } from 'node:crypto'
import { isSameSecret } from '../lib/secrets.ts'

/**
 * Tokens with which the servers of a ledger prove themselves to each other. A token is made from
 * the secret that they share, for one server, and ends soon. So whoever takes the port of a server
 * that is gone gets nothing that works elsewhere.
 */

/** What a token is for. */
export interface TokenPurpose {
  /** The server that takes requests, or that answers. A server that starts again is another. */
  server: number
  /** Token of the requests that it answers; empty in a token for requests. */
  answers: string
}

/** Makes a token: its time, and the code over the time and the purpose. */
export function makeServerToken (secret: string, purpose: TokenPurpose, now: number): string {
  return `${now}.${codeOf(secret, purpose, String(now))}`
}

/** Returns the time of a token; undefined unless it was made with the secret for this purpose. */
export function checkServerToken (
  secret: string,
  purpose: TokenPurpose,
  token: string
): number | undefined {
  const [, time, code] = /^(\d+)\.([\w-]+)$/.exec(token) ?? []
  if (time === undefined || !isSameSecret(code, codeOf(secret, purpose, time))) return undefined
  return Number(time)
}

function codeOf (secret: string, { server, answers }: TokenPurpose, time: string): string {
  // As JSON, no two purposes have the same text.
  const text = JSON.stringify([server, answers, time])
  return createHmac('sha256', secret).update(text).digest('base64url')
}
