import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createOriginCheck, type OriginSettings } from './origin.ts'
import type { RouteIndex } from './route-index.ts'

/** Answers for web pages of other origins (CORS), and to OPTIONS. */

/** Lets the page of a request read its answer, if the page may use the server. */
export type AllowOrigin = (request: FastifyRequest, reply: FastifyReply) => void

/** Headers of answers that pages may read besides the usual ones. */
const exposed = 'Content-Digest, Date, Retry-After, Signature, Signature-Input'
/** Time for which a browser may keep the answer to a preflight request. */
const keptSeconds = 600

/**
 * Creates the function that adds CORS headers: for pages of this machine and of --allow-hosts, the
 * same pages that may use the admin API.
 */
export function createCors (settings: OriginSettings): AllowOrigin {
  const check = createOriginCheck(settings)
  return (request, { raw }) => {
    const { origin } = request.headers
    // Set on the raw answer, so that streams and broken answers have them, too.
    raw.setHeader('vary', 'Origin')
    if (origin === undefined || check(request) !== undefined) return
    raw.setHeader('access-control-allow-origin', origin)
    raw.setHeader('access-control-expose-headers', exposed)
  }
}

/** Answers OPTIONS with the methods of an address, and with CORS headers to a preflight request. */
export function answerOptions (http: FastifyInstance, routeIndex: RouteIndex): void {
  http.options('*', { config: { documentation: 'hidden' } }, async (request, reply) => {
    const methods = routeIndex.methodsOf(request.url)
    if (methods.length === 0) return reply.callNotFound()
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    if (reply.raw.hasHeader('access-control-allow-origin')) {
      const wanted = request.headers['access-control-request-headers']
      reply.headers({
        'access-control-allow-methods': allowed,
        ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
        'access-control-max-age': keptSeconds
      })
    }
    return reply.code(204).header('allow', allowed).send()
  })
}
