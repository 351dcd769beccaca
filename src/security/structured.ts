import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let loaded: typeof import('structured-headers') | undefined

/**
 * What reads and writes structured fields (RFC 8941). It is loaded with the first signature that is
 * looked at: a start should not wait for it.
 */
export function structured (): typeof import('structured-headers') {
  return (loaded ??= require('structured-headers') as typeof import('structured-headers'))
}
