import type { RequestListener, Server } from 'node:http'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import Fastify, {
  type FastifyInstance,
  type FastifyServerOptions,
  type onRequestHookHandler
} from 'fastify'
import { addJsonParser, bodyLimit } from './body.ts'
import { batchRequests, fastServerOptions } from './fast-path.ts'
import type { AllowOrigin } from './cors.ts'
import type { RouteIndex } from './route-index.ts'
import type { Recorder } from './recorder.ts'
import { schemaController } from './schemas.ts'
import { handleUnexpected, sendUnexpected, type LastAnswers } from './unexpected.ts'

/** Time for an answer after the client has closed its side of the connection. */
const halfOpenMs = 1000

/** Parts and options of a Fastify instance. */
export interface ServerOptions {
  routeIndex: RouteIndex
  recorder: Recorder
  /** Answers requests that Fastify refuses before it knows their route. */
  frameworkErrors: FastifyServerOptions['frameworkErrors']
  lastAnswers: LastAnswers
  /** Adds CORS headers to the answer to a web page. */
  allowOrigin: AllowOrigin
  /** Looks at each request before all else. Absent if there is nothing to look for. */
  firstHook?: onRequestHookHandler
  /** Switch of the fast path; see fast-path.ts. */
  fastPath: boolean
  /** Time for a request to arrive. */
  requestTimeoutMs?: number
}

/** Options that decide how long a request may take, and how it is read. */
export type HttpTimes = Pick<ServerOptions, 'fastPath' | 'requestTimeoutMs'>

/** Options of the HTTP server of a listener. */
export function httpServerOptions ({ fastPath, requestTimeoutMs = 60_000 }: HttpTimes): object {
  return {
    // Node looks for late requests every 30 s by default: it would cut them after 60 to 90 s.
    connectionsCheckingInterval: Math.min(1000, requestTimeoutMs),
    // Also here, because Node derives the timeout of headers from it.
    requestTimeout: requestTimeoutMs,
    ...(fastPath && fastServerOptions)
  }
}

/** Creates a Fastify instance with our body parser, schemas, route index and counters. */
export function createServer (options: ServerOptions): FastifyInstance {
  const { routeIndex, recorder, frameworkErrors, allowOrigin, fastPath } = options
  const { lastAnswers } = options
  const { requestTimeoutMs = 60_000 } = options
  const http = Fastify({
    logger: false,
    http: httpServerOptions({ fastPath, requestTimeoutMs }),
    bodyLimit,
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    // Requests that still arrive while it stops are answered as usual, then the connection closes.
    return503OnClosing: false,
    requestTimeout: requestTimeoutMs,
    routerOptions: {
      querystringParser: parseQuery,
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: 16 * 1024
    },
    schemaController,
    frameworkErrors
  })
  http.decorate('fastPath', fastPath)
  catchThrown(http.server, lastAnswers)
  if (fastPath) batchRequests(http.server)
  keepHalfOpen(http.server)
  addJsonParser(http)
  handleUnexpected(http, frameworkErrors, lastAnswers)
  if (options.firstHook !== undefined) http.addHook('onRequest', options.firstHook)
  http.addHook('onRequest', (request, reply, done) => {
    // Only web pages send it.
    if (request.headers.origin !== undefined) allowOrigin(request, reply)
    done()
  })
  routeIndex.watch(http)
  recorder.countRoutes(http)
  return http
}

/** Keeps the process alive when the handling of a request throws before Fastify has taken it. */
export function catchThrown (server: Server, answers: LastAnswers): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    try {
      for (const listener of listeners) listener(request, response)
    } catch (error) {
      sendUnexpected(answers, error, request, response)
    }
  })
}

/**
 * Answers clients that close their side of the connection after the request; Node would hang up. A
 * client that has disconnected looks the same, so the answer must come within a second.
 */
function keepHalfOpen (server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    socket.once('end', () => {
      const timer = setTimeout(() => socket.destroy(), halfOpenMs).unref()
      socket.once('close', () => clearTimeout(timer))
    })
  })
}

/** Parses a query. Empty values are left out, because clients write unset filters as `name=`. */
function parseQuery (query: string): ParsedUrlQuery {
  if (query === '') return {}
  return Object.fromEntries(Object.entries(parse(query)).filter(([, value]) => value !== ''))
}

const displayName = Symbol.for('fastify.display-name')

/**
 * Names a plugin. Fastify searches all loaded modules for a plugin without a name: 0.3 ms each in a
 * process with 1,500 modules.
 */
export function named<Plugin extends object> (name: string, plugin: Plugin): Plugin {
  return Object.assign(plugin, { [displayName]: name })
}
