import type { FastifyReply } from 'fastify'
import type { ResponseBehaviour } from '../../src/domain/response-behaviour.ts'
import type { WireReply } from '../../src/wire/wire.ts'
import { isEncrypted } from './host-name.ts'
import { disconnectOf, pause } from './pause.ts'
import type { RecordAnswer } from './recorder.ts'

/** Answer of an API route, and how a scenario wants it to be sent. */
export interface ApiReply extends WireReply {
  behaviour?: ResponseBehaviour
  /** A tester ordered this body, so it need not have the form of the schema. */
  isOrdered?: boolean
}

/** A slow answer is sent in this many pieces, with this pause after each. */
const slowPieces = 10
const slowPauseMs = 300

export const jsonType = 'application/json; charset=utf-8'
const json = { 'content-type': jsonType }

/** Answer with status 200. */
export function replyOk (body: object): ApiReply {
  return { status: 200, body }
}

/**
 * Sends an answer as a scenario wants it: late, broken, slow or not at all. Returns the body of a
 * late answer, which Fastify sends. A broken answer is recorded as the whole one.
 */
export async function sendWithBehaviour (
  { latencyMs, fault }: ResponseBehaviour,
  reply: FastifyReply,
  body: object,
  record: RecordAnswer
): Promise<object> {
  if (latencyMs !== undefined) await pause(latencyMs, disconnectOf(reply))
  if (fault === undefined) return body
  const { raw, request, statusCode } = reply
  const text = String(reply.serialize(body))
  request.routeOptions.config.count?.(statusCode)
  record(request, statusCode, text, fault)
  reply.hijack()
  const { socket } = request.raw
  if (fault === 'reset' || fault === 'lost') {
    // Node can reset plain connections only. HTTP/2 resets the stream of the request.
    if (isEncrypted(request)) socket.destroy()
    else socket.resetAndDestroy()
    return reply
  }
  const unsigned = { ...json, 'content-length': Buffer.byteLength(text) }
  raw.writeHead(statusCode, (await request.signResponse?.(statusCode, text)) ?? unsigned)
  if (fault === 'truncated') raw.write(text.slice(0, text.length / 2), () => socket.destroy())
  else await sendSlowly(reply, text)
  return reply
}

/** Sends a text in pieces, until it is complete or the client disconnects. */
async function sendSlowly (reply: FastifyReply, text: string): Promise<void> {
  const { raw } = reply
  const gone = disconnectOf(reply)
  const length = Math.ceil(text.length / slowPieces)
  for (let start = 0; start < text.length && !raw.destroyed; start += length) {
    raw.write(text.slice(start, start + length))
    await pause(slowPauseMs, gone)
  }
  raw.end()
}
