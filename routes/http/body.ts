import { isUtf8 } from 'node:buffer'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Refused } from '../../src/domain/refusal.ts'
import { clipText } from '../../src/monitoring/request-journal.ts'
import { batchCalls } from './batch.ts'

/** At most this much of a request is read. */
export const bodyLimit = 1024 * 1024

/**
 * A body that is too large is read to its end, up to here, so that who sends it can hear the
 * answer.
 */
const drainLimit = 64 * 1024 * 1024

/** Waits until the rest of a request that will be refused has arrived, or is too much. */
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

/** Reads request bodies: JSON in UTF-8, or nothing at all. */
export function addBodyParsers (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Named as well, because Fastify takes a type apart with every request unless it was told of it.
  addBodyParser(app, ['application/json', '*'], (request, body) => {
    request.inspect?.(body)
    const text = body.toString('utf8')
    request.text = clipText(text)
    try {
      return parseJson(body, text, request.headers['content-type'])
    } catch (error) {
      // Who may not call is told so, whatever the body looks like, and so is who asks for what does
      // not exist.
      if (request.refusal === undefined && !request.is404) throw error
    }
  })
}

/**
 * Has the bodies of some types read to their end and made into what the routes see of them. They
 * are gone afterwards.
 */
export function addBodyParser (
  app: FastifyInstance,
  types: string | string[],
  make: (request: FastifyRequest, body: Buffer) => unknown
): void {
  /** What is to be done once a body is there. */
  const take = ({ request, done }: Arrival, body: Buffer): (() => void) => {
    try {
      const made = make(request, body)
      return () => done(null, made)
    } catch (error) {
      return () => done(error as Error)
    }
  }
  // Most bodies have come with their headers. They can be taken as they are, which makes an
  // initiation cheaper by a sixth.
  const arrive = batchCalls<Arrival>(process.nextTick, (arrivals) => {
    const chunks = arrivals.map(({ request }) => request.raw.read() as Buffer | null)
    const next = arrivals.map((arrival, n) => {
      const chunk = chunks[n] ?? nothing
      return chunk.length === arrival.length
        ? take(arrival, chunk)
        : () => readRest(arrival, chunk, (body) => take(arrival, body)())
    })
    for (const goOn of next) goOn()
  })
  app.addContentTypeParser(types, (request: FastifyRequest, _payload, done) => {
    const arrival = { request, length: Number(request.headers['content-length']), done }
    if (request.raw.readableEnded) take(arrival, nothing)()
    else if (arrival.length > bodyLimit) done(bodyTooLarge())
    else arrive(arrival)
  })
}

/** A request whose body is read. */
interface Arrival {
  request: FastifyRequest
  /** How long the body will be, if that was said. */
  length: number
  done: (error: Error | null, body?: unknown) => void
}

const nothing = Buffer.alloc(0)

/** Waits for the rest of a body. */
function readRest (
  { request: { raw }, done }: Arrival,
  first: Buffer,
  take: (body: Buffer) => void
): void {
  const chunks: Buffer[] = []
  let length = 0
  const keep = (chunk: Buffer): void => {
    length += chunk.length
    // A copy: the memory may be that of the connection, which will be used again.
    chunks.push(Buffer.from(chunk))
    if (length > bodyLimit) fail(bodyTooLarge())
  }
  const leave = (): unknown => raw.off('data', keep).off('end', end).off('error', fail)
  const end = (): void => {
    leave()
    take(Buffer.concat(chunks))
  }
  const fail = (error: Error): void => {
    leave()
    done(Object.assign(error, { statusCode: (error as FastifyError).statusCode ?? 400 }))
  }
  raw.on('data', keep).on('end', end).on('error', fail)
  // Who has gone already is not heard of any more.
  if (raw.destroyed) fail(new Error('the request was broken off'))
  else keep(first)
}

function bodyTooLarge (): Error {
  return Object.assign(new Error('the body is too large'), { statusCode: 413 })
}

function parseJson (body: Buffer, text: string, contentType: string | undefined): unknown {
  if (body.length === 0) return undefined
  if (contentType === undefined || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw new Refused(
      'UNREADABLE',
      'the Content-Type must be application/json, got ' +
        `${contentType === undefined ? 'none' : `'${contentType.slice(0, 60)}'`}`
    )
  }
  // What is not UTF-8 was read as this character, so where it is missing there is nothing to look
  // for.
  if (text.includes('\ufffd') && !isUtf8(body)) {
    throw new Refused('UNREADABLE', 'the body is not valid UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refused(
      'UNREADABLE',
      `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`
    )
  }
}
