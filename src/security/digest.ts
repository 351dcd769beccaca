import { hash } from 'node:crypto'
import { structured } from './structured.ts'

/** Content-Digest (RFC 9530): it connects a signature with a body. */

const algorithms = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const

/** Supported digests. */
export type DigestName = keyof typeof algorithms

/** Value of the Accept-Digest header. */
export const acceptedDigests = Object.keys(algorithms).join(',')

/** Digest for an Accept-Digest header: sha-512, unless the header lists only sha-256. */
export function chooseDigest (header: string | undefined): DigestName {
  const known: string[] = header?.toLowerCase().match(/sha-(256|512)\b/g) ?? []
  return known.includes('sha-256') && !known.includes('sha-512') ? 'sha-256' : 'sha-512'
}

/** Returns the Content-Digest header of a body. */
export function contentDigest (body: string | Buffer, name: DigestName = 'sha-512'): string {
  return `${name}=:${hash(algorithms[name], body, 'base64')}:`
}

/**
 * Returns the problem of a Content-Digest header, or undefined. It needs a supported digest, and
 * all supported digests must match the body.
 */
export function digestProblem (header: string, body: Buffer): string | undefined {
  const entries = readEntries(header)
  if (entries === undefined) {
    return (
      'the Content-Digest header cannot be read; it must look like ' +
      `${contentDigest('').slice(0, 16)}…:`
    )
  }
  const known = entries.filter(([name]) => Object.hasOwn(algorithms, name)) as Array<
    [DigestName, string | undefined]
  >
  if (known.length === 0) {
    return `the Content-Digest header holds neither ${Object.keys(algorithms).join(' nor ')}`
  }
  for (const [name, value] of known) {
    const wanted = hash(algorithms[name], body, 'base64')
    if (value !== wanted) {
      return (
        `the ${name} of the Content-Digest header is not that of the body that arrived ` +
        `(${body.length} bytes), which is ${wanted}`
      )
    }
  }
  return undefined
}

function readEntries (
  header: string
): Array<[name: string, value: string | undefined]> | undefined {
  try {
    return [...structured().parseDictionary(header)].map(([name, [value]]) => [
      name,
      value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined
    ])
  } catch {
    return undefined
  }
}
