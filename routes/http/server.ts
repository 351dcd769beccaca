import type { RequestListener, Server } from 'node:http'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions
} from 'fastify'
import type { Logger } from 'pino'
import { addBodyParsers } from './body.ts'
import { batchCalls } from './batch.ts'
import type { RouteIndex } from './route-index.ts'
import type { Recorder } from './recorder.ts'
import { schemaController, type Serialiser } from './schemas.ts'

/** An answer to somebody who will send nothing more may take so long. */
const halfOpenMs = 1000
/** A request that has not arrived whole after this long is cut off. */
const requestTimeoutMs = 60_000

/**
 * Fastify as all our routes want it: how bodies and queries are read, what is kept of a request,
 * and that its answer is counted.
 */
export function createServer (
  routeIndex: RouteIndex,
  recorder: Recorder,
  serialiser: Serialiser,
  frameworkErrors: FastifyServerOptions['frameworkErrors']
): FastifyInstance {
  const http = Fastify({
    logger: false,
    // To read a request without a body as a stream would cost a status check a twentieth.
    http: { optimizeEmptyRequests: true },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // What still comes in is answered in its own words, and its connection is closed.
    return503OnClosing: false,
    requestTimeout: requestTimeoutMs,
    routerOptions: {
      querystringParser: dropEmptyValues,
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: 16 * 1024
    },
    schemaController: schemaController(serialiser),
    frameworkErrors
  })
  for (const name of [
    'caller',
    'refusal',
    'inspect',
    'seal',
    'account',
    'explanation',
    'received',
    'text'
  ]) {
    http.decorateRequest(name)
  }
  routeInBatches(http.server)
  keepHalfOpen(http.server)
  addBodyParsers(http)
  routeIndex.watch(http)
  recorder.count(http)
  return http
}

/**
 * Requests that come in the same turn of the event loop are all heard before the first of them is
 * routed.
 */
function routeInBatches (server: Server): void {
  const routers = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  const route = batchCalls<Parameters<RequestListener>>(setImmediate, (requests) => {
    for (const request of requests) for (const router of routers) router(...request)
  })
  server.on('request', (...request) => route(request))
}

/**
 * Who has sent all they want to send may close their side of the connection and is answered
 * nevertheless; Node by itself would hang up on them. Who has gone for good looks the same, so what
 * takes longer is not waited for.
 */
function keepHalfOpen (server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    socket.once('end', () => {
      const hangUp = setTimeout(() => socket.destroy(), halfOpenMs).unref()
      socket.once('close', () => clearTimeout(hangUp))
    })
  })
}

/** Gives a request away, unread. */
type Pass = (request: FastifyRequest, reply: FastifyReply) => void

/** Gives requests to another instance, which is opened for the first of them. */
export function forwardTo (open: () => Promise<FastifyInstance>, log: Logger): Pass {
  return (request, reply) => {
    reply.hijack()
    open()
      .then((other) => other.routing(request.raw, reply.raw))
      .catch((error: unknown) => {
        log.error(
          { err: error, method: request.method, url: request.url },
          'a request could not be passed on'
        )
        reply.raw.writeHead(500, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            error: {
              code: 'INTERNAL_ERROR',
              message: 'something went wrong inside the mock',
              hint: 'its log says what'
            }
          })
        )
      })
  }
}

/**
 * Whatever no route is for is given away. In a context of its own: the hook must not be on the way
 * of every other request.
 */
export function forwardUnknownRoutes (http: FastifyInstance, pass: Pass): void {
  http.register(async (app) => {
    // Before the body is read, so the handler itself has nothing left to do.
    app.addHook('onRequest', (request, reply, _done) => pass(request, reply))
    app.setNotFoundHandler(pass)
  })
}

/** A query in which what was left empty was not given: clients write unset filters so. */
function dropEmptyValues (query: string): ParsedUrlQuery {
  if (query === '') return {}
  return Object.fromEntries(Object.entries(parse(query)).filter(([, value]) => value !== ''))
}
