import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyInstance } from 'fastify'
import { Refused } from '../src/domain/refusal.ts'
import { AdminError, explainFailure, sendFailure } from './admin/errors.ts'
import { guardAdmin } from './admin/guard.ts'
import type { AdminParts } from './admin/parts.ts'
import { handleUnknownRoutes } from './api/guard.ts'
import { answerOptions } from './http/cors.ts'
import { checkOrigins, type OriginProblem } from './http/origin.ts'
import { named } from './http/server.ts'
import type { TypedApp } from './http/typed-app.ts'
import { accountRoutes } from './admin/accounts.ts'
import { bundleRoute } from './admin/bundle.ts'
import { authorityRoute } from './admin/ca.ts'
import { callbackRoutes } from './admin/callbacks.ts'
import { clockRoutes } from './admin/clock.ts'
import { coverageRoute } from './admin/coverage.ts'
import { eventRoute } from './admin/events.ts'
import { examRoutes } from './admin/exam.ts'
import { exampleRoutes } from './admin/examples.ts'
import { invariantRoute } from './admin/invariants.ts'
import { listenerRoutes } from './admin/listeners.ts'
import { lintRoute } from './admin/lint.ts'
import { mcpRoute } from './admin/mcp.ts'
import { metricsRoute } from './admin/metrics.ts'
import { overviewRoute } from './admin/overview.ts'
import { adminPaymentRoutes } from './admin/payments.ts'
import { phoneRoutes } from './admin/phone.ts'
import { providerRoutes } from './admin/providers.ts'
import { codesRoute } from './admin/codes.ts'
import { ratesRoute } from './admin/rates.ts'
import { requestRoutes } from './admin/requests.ts'
import { resetRoutes } from './admin/reset.ts'
import { scenarioCheckRoute } from './admin/scenario-check.ts'
import { scenarioRoutes } from './admin/scenarios.ts'
import { sendRoute } from './admin/send.ts'
import { signatureRoutes } from './admin/signatures.ts'
import { setAsideRoutes } from './admin/set-aside.ts'
import { snapshotFileRoutes } from './admin/snapshot-files.ts'
import { snapshotRoutes } from './admin/snapshots.ts'
import { sinkRoutes } from './admin/sinks.ts'
import { statusCheckRoutes } from './admin/status-checks.ts'
import { verifyRoute } from './admin/verify.ts'
import { eventWaitRoutes } from './admin/event-wait.ts'
import { waitRoute } from './admin/wait.ts'
import { walletRoutes } from './admin/wallets.ts'
import { guideRoutes } from './guide/routes.ts'
import { referenceRoutes } from './reference/routes.ts'
import { indexRoute } from './dashboard/index-route.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { authorisationRoutes } from './pages/authorise.ts'
import { assetRoutes } from './pages/assets.ts'
import { badgeRoutes } from './pages/badges.ts'
import { checkoutPageRoutes } from './pages/checkouts.ts'
import { paymentPageRoutes } from './pages/payment-page.ts'

/** Adds routes to an app. */
type AddRoutes = (app: TypedApp, parts: AdminParts) => void

/** The calls of the admin API. */
const adminCalls: readonly AddRoutes[] = [
  scenarioRoutes,
  scenarioCheckRoute,
  clockRoutes,
  overviewRoute,
  requestRoutes,
  coverageRoute,
  lintRoute,
  metricsRoute,
  verifyRoute,
  adminPaymentRoutes,
  waitRoute,
  eventWaitRoutes,
  callbackRoutes,
  sinkRoutes,
  addListeners,
  statusCheckRoutes,
  eventRoute,
  exampleRoutes,
  sendRoute,
  mcpRoute,
  ratesRoute,
  codesRoute,
  examRoutes,
  signatureRoutes,
  providerRoutes,
  walletRoutes,
  accountRoutes,
  snapshotRoutes,
  snapshotFileRoutes,
  resetRoutes,
  invariantRoute,
  setAsideRoutes,
  authorityRoute,
  bundleRoute
]

/** The pages of customers. */
const customerPages: readonly AddRoutes[] = [
  checkoutPageRoutes,
  authorisationRoutes,
  paymentPageRoutes
]

/** Adds the admin API, its reference, the pages, and the answers to unknown addresses. */
export function adminAndPageRoutes (http: FastifyInstance, parts: AdminParts): void {
  const app = http.withTypeProvider<TypeBoxTypeProvider>()
  addContext(app, parts, addReference)
  indexRoute(app)
  badgeRoutes(app, parts)
  assetRoutes(app)
  addContext(app, parts, addAdmin, '/__admin')
  for (const addPage of customerPages) {
    addContext(app, parts, (inner) => {
      checkOrigins(inner, parts.checkOrigin, refusePageCall, 'changing')
      addPage(inner, parts)
    })
  }
  answerOptions(http, parts.routeIndex)
  // v1 has no prefix and answers all addresses that are left.
  for (const wire of parts.wires) {
    const addAnswers: AddRoutes = (inner) => handleUnknownRoutes({ ...parts, app: inner, wire })
    addContext(app, parts, addAnswers, wire.prefix)
  }
}

/** Adds routes in a context of their own, with its own hooks, parsers and answers to errors. */
function addContext (app: TypedApp, parts: AdminParts, addRoutes: AddRoutes, prefix = ''): void {
  const plugin = async (inner: TypedApp): Promise<void> => addRoutes(inner, parts)
  app.register(named('context', plugin), { prefix })
}

function addReference (app: TypedApp, parts: AdminParts): void {
  checkOrigins(app, parts.checkOrigin, refuseAdminCall)
  app.setErrorHandler(async (error: FastifyError, request, reply) =>
    sendFailure(reply, await explainFailure(error, request, parts.log))
  )
  referenceRoutes(app, parts)
  guideRoutes(app)
}

function addAdmin (app: TypedApp, parts: AdminParts): void {
  parts.recorder.observeRefusals(app)
  checkOrigins(app, parts.checkOrigin, refuseAdminCall)
  guardAdmin(app, parts)
  for (const addCalls of adminCalls) addCalls(app, parts)
  addContext(app, parts, dashboardRoutes)
  // In a context of its own, because only the phone accepts forms.
  addContext(app, parts, phoneRoutes)
}

/** Adds the calls about listeners, which a relay has for teams instead of accounts. */
function addListeners (app: TypedApp, parts: AdminParts): void {
  const timeoutMs = parts.callbackTimeoutMs
  listenerRoutes(app, { ...parts, timeoutMs, ownerOf: ({ account }) => account.id })
}

function refuseAdminCall ({ message, hint }: OriginProblem): Error {
  return new AdminError('FORBIDDEN', message, hint)
}

function refusePageCall ({ message, hint }: OriginProblem): Error {
  return new Refused('NOT_AUTHORISED', `${message}; ${hint}`)
}
