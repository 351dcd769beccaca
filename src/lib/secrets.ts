import { hash, timingSafeEqual } from 'node:crypto'

/** Secrets that requests carry: tokens, keys of links, cookies. */

/** Reads the token of an Authorization header; undefined if it has none in the right form. */
export function readBearer (authorization = ''): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1]
}

/** Compares secrets in constant time, so that response times do not reveal a part of them. */
export function isSameSecret (given: string, wanted: string): boolean {
  // The comparison needs texts of one length.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'))
}
