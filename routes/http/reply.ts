import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Manner } from '../../src/domain/refusal.ts'
import type { Initiation, Reply } from '../../src/wire/wire.ts'
import type { RouteConfig } from './context.ts'
import { pause } from './pause.ts'

/**
 * What a route of a generation answers, and in which manner, if a scenario wants it otherwise than
 * usual.
 */
export interface Answer extends Reply {
  manner?: Manner
}

export type Answering = (request: FastifyRequest) => Promise<Answer>

/** Writes an answer down when it is given. */
export type Recording = RouteConfig['record']

/** An answer that comes slowly comes in this many pieces, this far apart. */
const slowPieces = 10
const slowPauseMs = 300

const json = { 'content-type': 'application/json; charset=utf-8' }

/** The answer of most questions. */
export function ok (body: object): Answer {
  return { status: 200, body }
}

/** How the answer to an initiation is to be given, if a scenario said so. */
export function mannerOf (initiation: Initiation): Manner | undefined {
  if (initiation.outcome === 'ACCEPTED') return initiation.manner
  return initiation.outcome === 'REFUSED' ? initiation.refusal.manner : undefined
}

/** An answer that is given in a manner, if there is one. */
export function inManner (answer: Reply, manner: Manner | undefined): Answer {
  return manner === undefined ? answer : { ...answer, manner }
}

/**
 * A handler that gives the answers of a route. It leaves Fastify no promise to wait for, nor a hook
 * to run with every answer: both cost more than what they are for.
 */
export function answering (
  answer: Answering,
  record: Recording
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    answer(request)
      .then((given) =>
        given.manner === undefined
          ? send(reply, given, record)
          : sendWith(given.manner, reply, given, record)
      )
      .catch((error: unknown) => {
        reply.send(error)
      })
  }
}

/** Sends what a wire has spelled, signed if the request was. */
export function send (reply: FastifyReply, { status, body }: Reply, record?: Recording): void {
  const { request } = reply.code(status)
  const text = reply.serialize(body) as string
  record?.(request, status, text)
  reply.headers(request.seal?.(status, text) ?? json).send(text)
}

/** Gives an answer as a scenario wants it: late, broken, slow, or not at all. */
async function sendWith (
  manner: Manner,
  reply: FastifyReply,
  answer: Reply,
  record: Recording
): Promise<void> {
  if (manner.latencyMs !== undefined) await pause(reply, manner.latencyMs)
  if (manner.fault === undefined) return send(reply, answer, record)
  const { socket } = reply.request.raw
  const text = reply.code(answer.status).serialize(answer.body) as string
  record?.(reply.request, answer.status, text, manner.fault)
  reply.hijack()
  if (manner.fault === 'reset' || manner.fault === 'lost') {
    socket.resetAndDestroy()
    return
  }
  reply.raw.writeHead(
    answer.status,
    reply.request.seal?.(answer.status, text) ?? {
      ...json,
      'content-length': Buffer.byteLength(text)
    }
  )
  if (manner.fault === 'truncated') {
    reply.raw.write(text.slice(0, text.length / 2), () => socket.destroy())
  } else await trickle(reply, text)
}

/** A few bytes at a time, until all of it is out or the client has had enough. */
async function trickle (reply: FastifyReply, text: string): Promise<void> {
  const { raw } = reply
  const length = Math.ceil(text.length / slowPieces)
  for (let start = 0; start < text.length && !raw.destroyed; start += length) {
    raw.write(text.slice(start, start + length))
    await pause(reply, slowPauseMs)
  }
  raw.end()
}
