import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResponseBehaviour } from '../../src/domain/response-behaviour.ts'
import type { Initiation, WireReply } from '../../src/wire/wire.ts'
import type { RouteConfig } from './context.ts'
import { pause } from './pause.ts'

/**
 * What a route of a generation answers, and in which manner, if a scenario wants it otherwise than
 * usual.
 */
export interface ApiReply extends WireReply {
  behaviour?: ResponseBehaviour
}

export type ApiHandler = (request: FastifyRequest) => Promise<ApiReply>

/** Writes an answer down when it is given. */
export type RecordReply = RouteConfig['record']

/** An answer that comes slowly comes in this many pieces, this far apart. */
const slowPieces = 10
const slowPauseMs = 300

const json = { 'content-type': 'application/json; charset=utf-8' }

/** The answer of most questions. */
export function replyOk (body: object): ApiReply {
  return { status: 200, body }
}

/** How the answer to an initiation is to be given, if a scenario said so. */
export function behaviourOf (initiation: Initiation): ResponseBehaviour | undefined {
  if (initiation.outcome === 'ACCEPTED') return initiation.behaviour
  return initiation.outcome === 'REFUSED' ? initiation.refusal.behaviour : undefined
}

/** An answer that is given in a manner, if there is one. */
export function withBehaviour (
  answer: WireReply,
  behaviour: ResponseBehaviour | undefined
): ApiReply {
  return behaviour === undefined ? answer : { ...answer, behaviour }
}

/**
 * A handler that gives the answers of a route. It leaves Fastify no promise to wait for, nor a hook
 * to run with every answer: both cost more than what they are for.
 */
export function replyHandler (
  answer: ApiHandler,
  record: RecordReply
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    answer(request)
      .then((given) =>
        given.behaviour === undefined
          ? sendReply(reply, given, record)
          : sendWithBehaviour(given.behaviour, reply, given, record)
      )
      .catch((error: unknown) => {
        reply.send(error)
      })
  }
}

/** Sends what a wire has spelled, signed if the request was. */
export function sendReply (
  reply: FastifyReply,
  { status, body }: WireReply,
  record?: RecordReply
): void {
  const { request } = reply.code(status)
  const text = reply.serialize(body) as string
  record?.(request, status, text)
  reply.headers(request.signResponse?.(status, text) ?? json).send(text)
}

/** Gives an answer as a scenario wants it: late, broken, slow, or not at all. */
async function sendWithBehaviour (
  behaviour: ResponseBehaviour,
  reply: FastifyReply,
  answer: WireReply,
  record: RecordReply
): Promise<void> {
  if (behaviour.latencyMs !== undefined) await pause(reply, behaviour.latencyMs)
  if (behaviour.fault === undefined) return sendReply(reply, answer, record)
  const { socket } = reply.request.raw
  const text = reply.code(answer.status).serialize(answer.body) as string
  record?.(reply.request, answer.status, text, behaviour.fault)
  reply.hijack()
  if (behaviour.fault === 'reset' || behaviour.fault === 'lost') {
    socket.resetAndDestroy()
    return
  }
  reply.raw.writeHead(
    answer.status,
    reply.request.signResponse?.(answer.status, text) ?? {
      ...json,
      'content-length': Buffer.byteLength(text)
    }
  )
  if (behaviour.fault === 'truncated') {
    reply.raw.write(text.slice(0, text.length / 2), () => socket.destroy())
  } else await sendSlowly(reply, text)
}

/** A few bytes at a time, until all of it is out or the client has had enough. */
async function sendSlowly (reply: FastifyReply, text: string): Promise<void> {
  const { raw } = reply
  const length = Math.ceil(text.length / slowPieces)
  for (let start = 0; start < text.length && !raw.destroyed; start += length) {
    raw.write(text.slice(start, start + length))
    await pause(reply, slowPauseMs)
  }
  raw.end()
}
