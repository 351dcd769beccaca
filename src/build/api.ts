import type { FastifyInstance } from 'fastify'
import { apiRoutes } from '../../routes/api.ts'
import { describeUnexpected, handleUnroutable } from '../../routes/unroutable.ts'
import type { HealthParts } from '../../routes/api/health.ts'
import { createCors } from '../../routes/http/cors.ts'
import type { RouteIndex } from '../../routes/http/route-index.ts'
import { createServer, named } from '../../routes/http/server.ts'
import { hideSandboxTokens } from '../accounts/sandbox-tokens.ts'
import { buildAdminApp } from './admin.ts'
import { buildCore, wires } from './core.ts'
import { parseDuration } from '../lib/duration.ts'
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
  const core = buildCore(setup, storage, simulator)
  const { guard, services, routeIndex } = core
  const lastAnswers = { describe: describeUnexpected(wires, guard.ids), log }
  const http = createServer({
    routeIndex,
    recorder: guard.recorder,
    allowOrigin: createCors(setup.config),
    frameworkErrors: handleUnroutable(wires, guard, lastAnswers),
    lastAnswers,
    firstHook: shared?.hook,
    fastPath,
    requestTimeoutMs
  })
  shared?.prepare(http)
  extend(http)
  if (log.isLevelEnabled('debug')) logRequests(http, setup)
  apiRoutes(http, wires, health(setup, storage), services, guard)
  const adminApp = buildAdminApp(setup, storage, simulator, core, openEvents, http)
  http.addHook('preClose', () => adminApp.close())
  http.register(named('admin app', adminApp.addRoutes))
  await http.ready()
  if (shared !== undefined) {
    shared.onLeave = (account) => {
      core.journal.clear(account.id)
      services.statusChecks.clear(account.id)
      adminApp.forgetAccount(account)
    }
  }
  const sandboxCleanup = new SandboxCleanup(
    storage.accounts,
    (...idle) => adminApp.accountLifecycle.removeAccount(...idle),
    systemClock,
    log,
    parseDuration(setup.config.sandboxIdle) as number
  )
  return { http, routeIndex, sandboxCleanup }
}

function health ({ life }: Setup, { database }: Storage): HealthParts {
  return {
    version,
    isStopping: () => life.isStopping,
    readLedger: () => database.read(undefined, () => database.connection.prepare('SELECT 1').get())
  }
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
