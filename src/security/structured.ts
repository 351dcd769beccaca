import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let loaded: typeof import('structured-headers') | undefined

/** Reader and writer of structured fields (RFC 8941). The first signature loads it. */
export function structured (): typeof import('structured-headers') {
  return (loaded ??= require('structured-headers') as typeof import('structured-headers'))
}
