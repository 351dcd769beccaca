import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/**
 * Waits before something is answered, but no longer than somebody is there to hear it: a server
 * that stops leaves no timer behind.
 */
export async function pause ({ raw }: FastifyReply, ms: number): Promise<void> {
  if (raw.destroyed) return
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  raw.once('close', leave)
  await setTimeout(ms, undefined, { signal: gone.signal }).catch(() => {})
  raw.off('close', leave)
}
