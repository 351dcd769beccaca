import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** Waits before an answer is sent. Ends when the client disconnects or the server stops. */
export async function pause ({ raw, request }: FastifyReply, ms: number): Promise<void> {
  if (raw.destroyed) return
  await setTimeout(ms, undefined, { signal: request.signal }).catch(() => {})
}
