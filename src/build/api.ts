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
import { buildCore, wires, type ApiCore } from './core.ts'
import type { Account } from '../domain/account.ts'
import { parseDuration } from '../lib/duration.ts'
import { loadLazily, type Lazy } from '../lib/lazy.ts'
import { version } from '../lib/package.ts'
import type { EventFeed } from '../monitoring/event-feed.ts'
import { SandboxCleanup } from '../services/sandbox-cleanup.ts'
import type { SharedServer } from './servers.ts'
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
  shared: SharedServer | undefined,
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
    firstHook: shared?.hook,
    fastPath,
    requestTimeoutMs
  }
  const http = createServer({
    ...options,
    // The other instance passes on what only it has a route for.
    firstHook:
      shared &&
      function (request, reply, done) {
        return fastPath && request.is404 ? done() : shared.hook.call(this, request, reply, done)
      }
  })
  shared?.prepare(http)
  extend(http)
  const adminApp = loadLazily(async () => {
    const { buildAdminApp } = await import('./admin.ts')
    return buildAdminApp(setup, storage, simulator, core, openEvents, http)
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
    const adminHttp = loadLazily(async () => await openAdminHttp(await adminApp(), options, shared))
    http.addHook('preClose', async () => await (await adminHttp.current())?.close())
    forwardUnknownRoutes(http, adminHttp, lastAnswers)
  } else registerAdminApp(http, await adminApp())
  await http.ready()
  const sandboxCleanup = new SandboxCleanup(
    storage.accounts,
    async (...idle) => await (await adminApp()).accountLifecycle.removeAccount(...idle),
    systemClock,
    log,
    parseDuration(setup.config.sandboxIdle) as number
  )
  if (shared !== undefined) shared.onLeave = (account) => leaveAccount(account, core, adminApp)
  return { http, routeIndex, sandboxCleanup }
}

/** Forgets what is in memory only of an account that has left this server. */
function leaveAccount (
  account: Account,
  { journal, services }: ApiCore,
  adminApp: Lazy<AdminApp>
): void {
  journal.clear(account.id)
  services.statusChecks.clear(account.id)
  adminApp.current()?.then(
    (app) => app.forgetAccount(account),
    () => {}
  )
}

/** Opens the admin app as a separate Fastify instance. */
async function openAdminHttp (
  { registerRoutes }: AdminApp,
  options: ServerOptions,
  shared: SharedServer | undefined
): Promise<FastifyInstance> {
  const http = createServer({ ...options, serialiser: plainSerialiser })
  shared?.prepare(http)
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
