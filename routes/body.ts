import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refused } from '../src/domain/refusal.ts'
import { kept } from '../src/journal.ts'

/** At most this much of a request is read. */
export const bodyLimit = 1024 * 1024

/** A body that is too large is read to its end, up to here, so that who sends it can hear the answer. */
const drainLimit = 64 * 1024 * 1024

/** Waits until the rest of a request that will be refused has arrived, or is too much. */
export function drained ({ raw }: FastifyRequest): Promise<void> {
  if (raw.readableEnded || raw.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let read = 0
    raw.once('end', resolve).once('close', resolve).once('error', () => resolve())
    raw.on('data', (chunk: Buffer) => { if ((read += chunk.length) > drainLimit) resolve() }).resume()
  })
}

/** Reads request bodies: JSON in UTF-8, or nothing at all. */
export function readBodies (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Named as well, because Fastify takes a type apart with every request unless it was told of it.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer', bodyLimit }, (request: FastifyRequest, body: Buffer, done) => {
    request.inspect?.(body)
    const text = body.toString('utf8')
    request.text = kept(text)
    try {
      done(null, parse(body, text, request.headers['content-type']))
    } catch (error) {
      // Who may not call is told so, whatever the body looks like, and so is who asks for what does not exist.
      if (request.refusal !== undefined || request.is404) done(null, undefined)
      else done(error as Error)
    }
  })
}

function parse (body: Buffer, text: string, contentType: string | undefined): unknown {
  if (body.length === 0) return undefined
  if (contentType === undefined || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw new Refused('UNREADABLE', `the Content-Type must be application/json, got ${contentType === undefined ? 'none' : `'${contentType.slice(0, 60)}'`}`)
  }
  if (!isUtf8(body)) throw new Refused('UNREADABLE', 'the body is not valid UTF-8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refused('UNREADABLE', `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`)
  }
}
