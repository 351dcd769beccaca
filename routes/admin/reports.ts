import type { FastifyReply } from 'fastify'

const reportTypes = { junit: 'application/xml', markdown: 'text/markdown' } as const

/** Sends a report that is a text. */
export function sendReport (
  reply: FastifyReply,
  format: keyof typeof reportTypes,
  text: string
): FastifyReply {
  return reply
    .type(`${reportTypes[format]}; charset=utf-8`)
    .serializer((body: string) => body)
    .send(text)
}
