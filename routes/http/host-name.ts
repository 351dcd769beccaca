import type { FastifyRequest } from 'fastify'

/** Name in a Host header: in lower case, without the port, brackets and a final dot. */
export function nameOf (host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

/** Tells whether a request came through the TLS listener. */
export function isEncrypted ({ raw: { socket } }: FastifyRequest): boolean {
  return 'encrypted' in socket && socket.encrypted === true
}
