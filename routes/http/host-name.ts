import type { FastifyRequest } from 'fastify'
import { bareHost } from '../../src/lib/hosts.ts'

/** Name in a Host header: in lower case, without the port, brackets and a final dot. */
export function nameOf (host: string): string {
  return bareHost(host.replace(/:\d*$/, ''))
}

/** Tells whether a request came through the TLS listener. */
export function isEncrypted ({ raw: { socket } }: FastifyRequest): boolean {
  return 'encrypted' in socket && socket.encrypted === true
}
