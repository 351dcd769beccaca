import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { writeJunit } from '../../src/reports/junit.ts'
import { writeMarkdown } from '../../src/reports/markdown.ts'
import type { Report } from '../../src/reports/report.ts'

export const archiveType = 'application/gzip'

const reportTypes = { junit: 'application/xml', markdown: 'text/markdown' } as const
const writers = { junit: writeJunit, markdown: writeMarkdown }

/** Sends a report as a text. */
export function sendReport (
  reply: FastifyReply,
  format: keyof typeof reportTypes,
  report: Report
): FastifyReply {
  return reply.type(`${reportTypes[format]}; charset=utf-8`).send(writers[format]([report]))
}

/**
 * Compresses and sends a file, which clients save under its name. If its source fails after the
 * first part, the connection ends, so that clients know that the file is not complete.
 */
export async function sendArchive (
  reply: FastifyReply,
  source: AsyncIterable<string | Buffer>,
  name: string
): Promise<FastifyReply> {
  const parts = source[Symbol.asyncIterator]()
  // An error of the first part is the answer to the call.
  const first = await parts.next()
  const file = createGzip()
  // The reply learns of a later error from the file.
  pipeline(Readable.from(continueParts(first, parts)), file, () => {})
  return reply
    .type(archiveType)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(file)
}

/** Returns the parts of a file whose first one was read already. */
async function * continueParts<T> (
  first: IteratorResult<T>,
  parts: AsyncIterator<T>
): AsyncIterable<T> {
  for (let part = first; part.done !== true; part = await parts.next()) yield part.value
}
