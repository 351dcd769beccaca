import type { FastifyInstance } from 'fastify'
import { apiRoutes } from '../../routes/api.ts'
import { describeUnexpected, handleUnroutable } from '../../routes/api/guard.ts'
import { forwardUnknownRoutes } from '../../routes/http/fast-path.ts'
import { RouteIndex } from '../../routes/http/route-index.ts'
import { compiledSerialiser } from '../../routes/http/api-route.ts'
import { plainSerialiser } from '../../routes/http/schemas.ts'
import { createServer, named, type ServerOptions } from '../../routes/http/server.ts'
import { hideSandboxTokens } from '../accounts/sandbox-tokens.ts'
import type { AdminApp } from './admin.ts'
import { buildCore, wires } from './core.ts'
import { parseDuration } from '../lib/duration.ts'
import { loadLazily } from '../lib/lazy.ts'
import { version } from '../lib/package.ts'
import type { EventFeed } from '../monitoring/event-feed.ts'
import { SandboxCleanup } from '../services/sandbox-cleanup.ts'
import type { Setup } from './setup.ts'
import type { Simulator } from './simulator.ts'
import type { Storage } from './storage.ts'

/** Options of the HTTP server that no user sets. */
export interface ApiOptions {
  /** Switch of the fast path; see routes/http/fast-path.ts. */
  fastPath?: boolean
  /** Time for a request to arrive, 60 s without it. */
  requestTimeoutMs?: number
  /** Adds hooks and plugins before the routes are added. */
  extend?: (http: FastifyInstance) => void
}

/** HTTP server with all routes. */
export interface Api {
  http: FastifyInstance
  routeIndex: RouteIndex
  sandboxCleanup: SandboxCleanup
}

/** Builds the HTTP server. */
export async function buildApi (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  openEvents: () => Promise<EventFeed>,
  { fastPath = true, requestTimeoutMs, extend = () => {} }: ApiOptions
): Promise<Api> {
  const { systemClock, log } = setup
  const { database } = storage
  const core = buildCore(setup, storage, simulator)
  const { guard, services, routeIndex } = core
  const lastAnswers = { describe: describeUnexpected(wires, guard.ids), log }
  const options: ServerOptions = {
    routeIndex,
    recorder: guard.recorder,
    serialiser: compiledSerialiser,
    openCors: loadLazily(async () => {
      const { createCors } = await import('../../routes/http/cors.ts')
      return createCors(setup.config)
    }),
    frameworkErrors: handleUnroutable(wires, guard, lastAnswers),
    lastAnswers,
    refresh: guard.refresh,
    fastPath,
    requestTimeoutMs
  }
  const http = createServer(options)
  extend(http)
  const adminApp = loadLazily(async () => {
    const [{ buildAdminApp }, { openSharing }] = await Promise.all([
      import('./admin.ts'),
      import('./sharing.ts')
    ])
    const sharing = await openSharing(storage, openEvents)
    return buildAdminApp(setup, storage, simulator, core, sharing, http)
  })
  http.addHook('preClose', async () => await (await adminApp.current())?.close())
  if (log.isLevelEnabled('debug')) logRequests(http, setup)
  const health = {
    version,
    isStopping: () => setup.life.isStopping,
    readLedger: () => database.read(undefined, () => database.connection.prepare('SELECT 1').get())
  }
  apiRoutes(http, wires, health, services, guard)
  if (fastPath) {
    const adminHttp = loadLazily(async () => await openAdminHttp(await adminApp(), options))
    http.addHook('preClose', async () => await (await adminHttp.current())?.close())
    forwardUnknownRoutes(http, adminHttp, lastAnswers)
  } else registerAdminApp(http, await adminApp())
  await http.ready()
  const sandboxCleanup = new SandboxCleanup(
    storage.accounts,
    async (...idle) => await (await adminApp()).accountLifecycle.removeAccount(...idle),
    systemClock,
    log,
    async (account) => await (await adminApp()).readLastUse(account),
    parseDuration(setup.config.sandboxIdle) as number
  )
  if (storage.peers !== undefined) {
    const { greetPeers } = await import('./sharing.ts')
    await greetPeers(storage.peers, storage, openEvents, {
      load: async () => (await adminApp()).memory,
      current: async () => (await adminApp.current())?.memory
    })
  }
  return { http, routeIndex, sandboxCleanup }
}

/** Opens the admin app as a separate Fastify instance. */
async function openAdminHttp (
  { registerRoutes }: AdminApp,
  options: ServerOptions
): Promise<FastifyInstance> {
  const http = createServer({ ...options, serialiser: plainSerialiser })
  registerRoutes(http)
  await http.ready()
  return http
}

/** Adds the admin app to the Fastify instance of the API. */
function registerAdminApp (http: FastifyInstance, { registerRoutes }: AdminApp): void {
  const adminApp = async (app: FastifyInstance): Promise<void> => {
    app.setSerializerCompiler(({ schema }) => plainSerialiser(schema as object))
    registerRoutes(app)
  }
  http.register(named('admin app', adminApp))
}

/**
 * Logs a line per request, at level debug: it costs a third of the throughput. It leaves out
 * headers, because they contain tokens.
 */
function logRequests (http: FastifyInstance, { log }: Setup): void {
  http.addHook('onResponse', async ({ method, url }, { statusCode, elapsedTime }) => {
    log.debug(
      {
        method,
        url: hideSandboxTokens(url),
        status: statusCode,
        durationMs: Math.round(elapsedTime * 10) / 10
      },
      'request'
    )
  })
}
