import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refused } from '../../src/domain/refusal.ts'
import {
  hasTooManyFields,
  isTooDeep,
  maxDepth,
  maxFields,
  safeLength
} from '../../src/lib/json-limits.ts'
import { addFastBodyParser } from './fast-path.ts'

/** Largest body of a request, in bytes. */
export const bodyLimit = 1024 * 1024

/** Bytes of a refused body that are read, so that the client can read the answer. */
const drainLimit = 64 * 1024 * 1024

/** Makes the value that routes see of a body. Throws a Refused if it cannot. */
export type ParseBody = (request: FastifyRequest, body: Buffer) => unknown

/** Reads the rest of a request that will be refused, up to the limit. */
export function drainBody ({ raw }: FastifyRequest): Promise<void> {
  if (raw.readableEnded || raw.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let read = 0
    raw
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve())
    raw
      .on('data', (chunk: Buffer) => {
        if ((read += chunk.length) > drainLimit) resolve()
      })
      .resume()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Body as it was received. */
    text: string | undefined
  }
}

/** Adds the parser of JSON bodies and removes those of Fastify. */
export function addJsonParser (app: FastifyInstance): void {
  app.decorateRequest('text')
  app.removeAllContentTypeParsers()
  // Named beside '*', because Fastify finds the parser of a named type without a search.
  addBodyParser(app, ['application/json', '*'], (request, body) => {
    request.verifySignature?.(body)
    const text = body.toString('utf8')
    request.text = text
    try {
      return parseJson(body, text, request.headers['content-type'])
    } catch (error) {
      // A missing token or route is reported first, whatever the body looks like.
      if (request.refusal === undefined && !request.is404) throw error
    }
  })
}

/** Adds a parser for the bodies of some content types. */
export function addBodyParser (
  app: FastifyInstance,
  types: string | string[],
  parse: ParseBody
): void {
  if (app.fastPath) return addFastBodyParser(app, types, parse)
  app.addContentTypeParser(
    types,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => parse(request, body)
  )
}

function parseJson (body: Buffer, text: string, contentType: string | undefined): unknown {
  if (body.length === 0) return undefined
  if (contentType === undefined || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw wrongContentType(contentType, text)
  }
  // Decoding writes U+FFFD for bytes that are not UTF-8: without it there is nothing to check.
  if (text.includes('\ufffd') && !isUtf8(body)) {
    throw new Refused('UNREADABLE', 'the body is not valid UTF-8')
  }
  refuseLargeJson(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refused(
      'UNREADABLE',
      `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`
    )
  }
}

/** Refuses JSON that is nested too deeply or has too many fields, before anything is kept of it. */
export function refuseLargeJson (text: string): void {
  // Nearly every body is short and has few brackets, which takes 0.2 µs to see.
  if (text.length <= safeLength && countOpenings(text) <= maxDepth) return
  if (hasTooManyFields(text)) {
    throw new Refused('UNREADABLE', `the body must have at most ${maxFields} fields in total`)
  }
  if (!isTooDeep(text)) return
  throw new Refused(
    'UNREADABLE',
    `the body is nested too deeply: more than ${maxDepth} lists and objects inside each other`
  )
}

/** Counts opening brackets, in strings as well, up to the first that is one too many. */
function countOpenings (text: string): number {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > maxDepth) return count
    }
  }
  return count
}

/** Refusal of a body that is not sent as JSON. */
export function wrongContentType (contentType: string | undefined, text: string): Refused {
  const got = contentType === undefined ? 'none' : `'${contentType.slice(0, 60)}'`
  const isJson = /^\s*[{[]/.test(text)
  return new Refused(
    'UNREADABLE',
    `the Content-Type must be application/json, got ${got}` +
      (isJson ? "; the body is JSON: send it with 'Content-Type: application/json'" : '')
  )
}
