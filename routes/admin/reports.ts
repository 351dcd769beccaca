import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export const archiveType = 'application/gzip'

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

/** Sends a compressed file, which clients save under its name. */
export function sendArchive (reply: FastifyReply, file: Readable, name: string): FastifyReply {
  return reply
    .type(archiveType)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(file)
}
