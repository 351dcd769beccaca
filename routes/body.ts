import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
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
  takeBodies(app, ['application/json', '*'], (request, body) => {
    request.inspect?.(body)
    const text = body.toString('utf8')
    request.text = kept(text)
    try {
      return parse(body, text, request.headers['content-type'])
    } catch (error) {
      // Who may not call is told so, whatever the body looks like, and so is who asks for what does not exist.
      if (request.refusal === undefined && !request.is404) throw error
    }
  })
}

/** Has the bodies of some types read to their end and made into what the routes see of them. They are gone afterwards. */
export function takeBodies (app: FastifyInstance, types: string | string[], make: (request: FastifyRequest, body: Buffer) => unknown): void {
  app.addContentTypeParser(types, (request: FastifyRequest, _payload, done) => {
    read(request.raw, (error, body) => {
      if (error !== undefined) return done(error)
      let made
      try {
        made = make(request, body)
      } catch (error) {
        return done(error as Error)
      }
      done(null, made)
    })
  })
}

type Done = (error: Error | undefined, body: Buffer) => void

const nothing = Buffer.alloc(0)

/** Most bodies have come with their headers and can be taken as they are, which is a tenth of an initiation cheaper; others are waited for. */
function read (raw: IncomingMessage, done: Done): void {
  if (raw.readableEnded) return done(undefined, nothing)
  const length = Number(raw.headers['content-length'])
  if (length > bodyLimit) return done(tooLarge(), nothing)
  // By then all that came with the headers is there.
  process.nextTick(() => {
    const chunk = raw.read() as Buffer | null
    if (chunk?.length === length) done(undefined, chunk)
    else wait(raw, chunk ?? nothing, done)
  })
}

/** Waits for the rest of a body. */
function wait (raw: IncomingMessage, first: Buffer, done: Done): void {
  // What was read is copied: the memory may be that of the connection, which will be used again.
  const chunks = [Buffer.from(first)]
  let length = first.length
  const take = (chunk: Buffer): void => {
    length += chunk.length
    if (length > bodyLimit) return end(tooLarge())
    chunks.push(Buffer.from(chunk))
  }
  const end = (error?: Error): void => {
    raw.off('data', take).off('end', end).off('error', broken)
    done(error, error === undefined ? Buffer.concat(chunks) : nothing)
  }
  const broken = (error: Error): void => end(Object.assign(error, { statusCode: 400 }))
  raw.on('data', take).on('end', end).on('error', broken)
}

function tooLarge (): Error {
  return Object.assign(new Error('the body is too large'), { statusCode: 413 })
}

function parse (body: Buffer, text: string, contentType: string | undefined): unknown {
  if (body.length === 0) return undefined
  if (contentType === undefined || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw new Refused('UNREADABLE', `the Content-Type must be application/json, got ${contentType === undefined ? 'none' : `'${contentType.slice(0, 60)}'`}`)
  }
  // What is not UTF-8 was read as this character, so where it is missing there is nothing to look for.
  if (text.includes('\ufffd') && !isUtf8(body)) throw new Refused('UNREADABLE', 'the body is not valid UTF-8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refused('UNREADABLE', `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`)
  }
}
