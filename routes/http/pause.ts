import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** Waits before an answer is sent. Ends when the client disconnects or the server stops. */
export async function pause ({ raw }: FastifyReply, ms: number): Promise<void> {
  if (raw.destroyed) return
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  raw.once('close', abort)
  await setTimeout(ms, undefined, { signal: gone.signal }).catch(() => {})
  raw.off('close', abort)
}
