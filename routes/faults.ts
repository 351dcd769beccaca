import type { FastifyReply } from 'fastify'
import type { Manner } from '../src/domain/refusal.ts'
import type { Initiation, Reply } from '../src/wire/wire.ts'
import { send } from './generation.ts'
import { pause } from './pause.ts'

/** An answer that comes slowly comes in this many pieces, this far apart. */
const slowPieces = 10
const slowPauseMs = 300

/** How the answer to an initiation is to be given, if a scenario said so. */
export function mannerOf (initiation: Initiation): Manner | undefined {
  if (initiation.outcome === 'ACCEPTED') return initiation.manner
  return initiation.outcome === 'REFUSED' ? initiation.refusal.manner : undefined
}

/** Gives an answer as a scenario wants it: late, broken, slow, or not at all. */
export async function sendWith (manner: Manner, reply: FastifyReply, answer: Reply): Promise<FastifyReply> {
  if (manner.latencyMs !== undefined) await pause(reply, manner.latencyMs)
  if (manner.fault === undefined) return send(reply, answer)
  const { socket } = reply.request.raw
  const text = reply.code(answer.status).serialize(answer.body) as string
  reply.request.routeOptions.config.record?.(reply.request, answer.status, text, manner.fault)
  reply.hijack()
  if (manner.fault === 'reset' || manner.fault === 'lost') {
    socket.resetAndDestroy()
    return reply
  }
  reply.raw.writeHead(answer.status, reply.request.seal?.(answer.status, text) ?? { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
  if (manner.fault === 'truncated') reply.raw.write(text.slice(0, text.length / 2), () => socket.destroy())
  else await trickle(reply, text)
  return reply
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
