import { createHash } from 'node:crypto'
import { structured } from './structured.ts'

/** Content-Digest (RFC 9530): what says that a body is the one that was signed. */

const algorithms = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const

/** The digests that are understood. */
export type DigestName = keyof typeof algorithms

/** The value of Accept-Digest. */
export const acceptedDigests = Object.keys(algorithms).join(',')

/** First digest in an Accept-Digest header that is known. */
export function chooseDigest (header: string | undefined): DigestName | undefined {
  const [name] = header?.toLowerCase().match(/sha-(256|512)\b/) ?? []
  return name === 'sha-256' || name === 'sha-512' ? name : undefined
}

/** The value of Content-Digest for a body. */
export function contentDigest (body: string | Buffer, name: DigestName = 'sha-512'): string {
  return `${name}=:${createHash(algorithms[name]).update(body).digest('base64')}:`
}

/**
 * What is wrong with a Content-Digest; nothing, if there is an entry that is understood, and all of
 * those match the body.
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
    const wanted = createHash(algorithms[name]).update(body).digest('base64')
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
