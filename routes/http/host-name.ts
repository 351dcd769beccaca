import type { FastifyRequest } from 'fastify'
import { bareHost } from '../../src/lib/hosts.ts'

/** Name in a Host header: in lower case, without the port, brackets and a final dot. */
export function nameOf (host: string): string {
  return bareHost(host.replace(/:\d*$/, ''))
}

/** Requests that came through the TLS listener of another server. */
const encryptedElsewhere = new WeakSet<object>()

/** Tells whether a request came through the TLS listener. */
export function isEncrypted ({ raw }: FastifyRequest): boolean {
  const { socket } = raw
  return ('encrypted' in socket && socket.encrypted === true) || encryptedElsewhere.has(raw)
}

/** Notes that a request, which another server has passed on, came through its TLS listener. */
export function noteEncrypted ({ raw }: FastifyRequest): void {
  encryptedElsewhere.add(raw)
}
