import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/**
 * Aborted when the client disconnects or the server stops. `request.signal` of Fastify 5.12 is of
 * no use for a request with a body: it is aborted when the body was read, or never.
 */
export function disconnectOf ({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort()
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

/** Waits before an answer is sent, unless the client disconnects. */
export async function pause (ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {})
}
