import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Refused } from '../src/domain/refusal.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import type { AccountTables, SnapshotFiles, Snapshots } from '../src/ports/account-tables.ts'
import type { SetAside } from '../src/ports/ledger.ts'
import type { ScenarioUses } from '../src/ports/stores.ts'
import type { ClockControl } from '../simulator/clock-control.ts'
import type { Releases } from '../src/ports/due-queue.ts'
import type { Mover } from '../simulator/mover.ts'
import type { ScenarioLibrary } from '../src/scenarios/scenario-library.ts'
import type { Auditor } from '../src/services/auditor.ts'
import type { AccountLifecycle } from '../src/services/account-lifecycle.ts'
import type { CustomerPhone } from '../src/services/customer-phone.ts'
import type { EventFeed } from '../src/monitoring/event-feed.ts'
import type { Journal } from '../src/monitoring/request-journal.ts'
import type { CoverageTracker } from '../src/monitoring/coverage-tracker.ts'
import type { Metrics } from '../src/monitoring/prometheus.ts'
import type { PaymentInspector } from '../src/services/payment-inspector.ts'
import type { AccountVersions } from '../src/monitoring/account-versions.ts'
import type { ActionResults } from '../src/services/action-results.ts'
import type { CallbackSinks } from '../src/services/callback-sinks.ts'
import type { Listeners } from '../src/listening/listeners.ts'
import type { ExamReports } from '../src/services/exam-reports.ts'
import type { Rates } from '../src/monitoring/rates.ts'
import type { StatusChecks } from '../src/services/status-checks.ts'
import type { Verification } from '../src/services/verification.ts'
import type { EventWaiter } from '../src/services/event-waiter.ts'
import type { PaymentWaiter } from '../src/services/payment-waiter.ts'
import type { WalletControl } from '../src/services/wallet-control.ts'
import type { Wire } from '../src/wire/wire.ts'
import { AdminError, explainFailure, sendFailure } from './admin/errors.ts'
import { guardAdmin } from './admin/guard.ts'
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
import { referenceRoutes, type ReferenceParts } from './reference/routes.ts'
import type { ApiGuardParts } from './http/api-route.ts'
import { guideRoutes } from './guide/routes.ts'
import { indexRoute } from './dashboard/index-route.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { answerOptions } from './http/cors.ts'
import { checkOrigins, type CheckOrigin, type OriginProblem } from './http/origin.ts'
import { named } from './http/server.ts'
import type { TypedApp } from './http/typed-app.ts'
import type { RouteIndex } from './http/route-index.ts'
import type { ApiServices } from './api.ts'
import { authorisationRoutes } from './pages/authorise.ts'
import { assetRoutes } from './pages/assets.ts'
import { badgeRoutes } from './pages/badges.ts'
import { checkoutPageRoutes } from './pages/checkouts.ts'
import { handleUnknownRoutes } from './api/guard.ts'
import type { EventStreams } from './http/sse.ts'
import { paymentPageRoutes } from './pages/payment-page.ts'

/** Services of the admin API. */
export interface AdminServices {
  journal: Journal
  coverageTracker: CoverageTracker
  metrics: () => Promise<Metrics>
  rates: Rates
  statusChecks: StatusChecks
  sinks: CallbackSinks
  /** Programs that fetch callbacks. */
  listeners: Listeners
  examReports: ExamReports
  actionResults: ActionResults
  accountVersions: AccountVersions
  accountTables: AccountTables
  snapshots: Snapshots
  snapshotFiles: SnapshotFiles
  accountLifecycle: AccountLifecycle
  eventStreams: EventStreams
  paymentInspector: PaymentInspector
  paymentWaiter: PaymentWaiter
  eventWaiter: EventWaiter
  customerPhone: CustomerPhone
  verification: Verification
  auditor: Auditor
  setAside: SetAside
  walletControl: WalletControl
}

/** Parts of the simulator that the admin API controls. */
export interface ControlledSimulator {
  mover: Mover
  releases: Releases
  clockControl: ClockControl
  scenarioLibrary: ScenarioLibrary
  uses: ScenarioUses
}

/** Parts of the admin API and of the pages. */
export interface AdminAppParts {
  wires: readonly Wire[]
  guard: ApiGuardParts
  routeIndex: RouteIndex
  services: ApiServices
  admin: AdminServices
  simulator: ControlledSimulator
  catalogue: Catalogue
  /** Opens the feed of events. */
  openEvents: () => Promise<EventFeed>
  reference: ReferenceParts
  checkOrigin: CheckOrigin
  /** Certificate of the authority of the TLS listener. */
  authority: string | undefined
  /** Time that a receiver of callbacks has to answer. */
  callbackTimeoutMs: number
  /** Address that the server listens on. */
  host: string
  /** Server of the payments API and the admin API, for the calls of the dashboard. */
  api: Pick<FastifyInstance, 'inject'>
}

/** Adds the admin API, its reference, the pages, and the answers to unknown addresses. */
export function adminAndPageRoutes (http: FastifyInstance, parts: AdminAppParts): void {
  const { guard, services, admin, simulator, catalogue, checkOrigin } = parts
  const { payments, checkouts, pages } = services
  const { customerPhone, eventStreams } = admin
  const { clockControl } = simulator
  const { log } = guard
  const app = http.withTypeProvider<TypeBoxTypeProvider>()
  const page = { ...guard, catalogue, clockControl, eventStreams }
  const addReference = async (inner: TypedApp): Promise<void> => {
    checkOrigins(inner, checkOrigin, refuseAdminCall)
    inner.setErrorHandler(async (error: FastifyError, request, reply) =>
      sendFailure(reply, await explainFailure(error, request, log))
    )
    referenceRoutes(inner, parts.reference)
    guideRoutes(inner)
  }
  app.register(named('reference', addReference))
  indexRoute(app)
  badgeRoutes(app, catalogue)
  assetRoutes(app)
  const addDashboard = async (inner: TypedApp): Promise<void> =>
    dashboardRoutes(inner, {
      ...guard,
      ...admin,
      ...parts.reference,
      catalogue,
      host: parts.host,
      api: parts.api
    })
  const addPhone = async (inner: TypedApp): Promise<void> =>
    phoneRoutes(inner, { ...page, payments, customerPhone })
  const addAdmin = async (inner: TypedApp): Promise<void> => {
    guard.recorder.observeRefusals(inner)
    checkOrigins(inner, checkOrigin, refuseAdminCall)
    adminRoutes(inner, parts)
    inner.register(named('dashboard', addDashboard))
    // In a context of its own, because only the phone accepts forms.
    inner.register(named('phone', addPhone))
  }
  app.register(named('admin', addAdmin), { prefix: '/__admin' })
  const registerPages = (name: string, addRoutes: (inner: TypedApp) => void): void => {
    const addPages = async (inner: TypedApp): Promise<void> => {
      checkOrigins(inner, checkOrigin, refusePageCall, 'changing')
      addRoutes(inner)
    }
    app.register(named(name, addPages))
  }
  registerPages('checkout', (inner) => checkoutPageRoutes(inner, { ...page, checkouts }))
  registerPages('authorisation', (inner) =>
    authorisationRoutes(inner, { ...page, payments, customerPhone })
  )
  registerPages('payment page', (inner) => paymentPageRoutes(inner, { ...page, pages }))
  answerOptions(http, parts.routeIndex)
  unknownRoutes(http, parts)
}

function refuseAdminCall ({ message, hint }: OriginProblem): Error {
  return new AdminError('FORBIDDEN', message, hint)
}

function refusePageCall ({ message, hint }: OriginProblem): Error {
  return new Refused('NOT_AUTHORISED', `${message}; ${hint}`)
}

function adminRoutes (app: TypedApp, parts: AdminAppParts): void {
  const { wires, guard, routeIndex, services, admin, simulator, catalogue, reference } = parts
  const { mover, releases, clockControl, scenarioLibrary, uses } = simulator
  const { accountTables, accountLifecycle, snapshots, paymentInspector, journal } = admin
  const { walletControl } = admin
  guardAdmin(app, { ...guard, routeIndex, adminToken: reference.adminToken })
  scenarioRoutes(app, { ...guard, scenarioLibrary, uses, catalogue })
  scenarioCheckRoute(app, { catalogue, paymentInspector })
  clockRoutes(app, { clockControl })
  requestRoutes(app, { journal, routeIndex, wires, catalogue })
  coverageRoute(app, admin.coverageTracker)
  lintRoute(app, journal, catalogue)
  metricsRoute(app, admin.metrics)
  const words = { catalogue, scenarioLibrary, verification: admin.verification }
  verifyRoute(app, words, journal, routeIndex)
  adminPaymentRoutes(app, paymentInspector, services.payments, wires, catalogue)
  waitRoute(app, admin.paymentWaiter, wires, reference.links)
  eventWaitRoutes(app, { ...admin, ...words, wires })
  callbackRoutes(app, paymentInspector)
  overviewRoute(app, { clockControl, uses, paymentInspector })
  sinkRoutes(app, admin.sinks, () => reference.links.base)
  const ownerOf = (request: FastifyRequest): number => request.account.id
  listenerRoutes(app, { ...admin, timeoutMs: parts.callbackTimeoutMs, ownerOf })
  statusCheckRoutes(app, admin.statusChecks)
  eventRoute(app, admin.eventStreams, parts.openEvents)
  exampleRoutes(app, { catalogue, wires })
  sendRoute(app, { catalogue, wires }, reference.links)
  mcpRoute(app, parts.api)
  ratesRoute(app, admin.rates)
  codesRoute(app)
  examRoutes(app, admin.examReports, guard.accounts)
  signatureRoutes(app, guard.keys, guard.systemClock)
  providerRoutes(app, { ...guard, catalogue, mover, releases })
  walletRoutes(app, walletControl)
  accountRoutes(app, { ...guard, accountTables, accountLifecycle })
  snapshotRoutes(app, { ...guard, snapshots, accountLifecycle })
  snapshotFileRoutes(app, { snapshots, snapshotFiles: admin.snapshotFiles })
  resetRoutes(app, accountLifecycle)
  invariantRoute(app, admin.auditor, accountTables)
  setAsideRoutes(app, admin.setAside, clockControl)
  authorityRoute(app, parts.authority)
  bundleRoute(app, guard)
}

/** Adds the answers to unknown addresses: v1 has no prefix and answers all that are left. */
function unknownRoutes (http: FastifyInstance, { wires, guard, routeIndex }: AdminAppParts): void {
  for (const wire of wires) {
    const addAnswers = async (app: FastifyInstance): Promise<void> =>
      handleUnknownRoutes({ app, wire, wires, ...guard }, routeIndex)
    http.register(named('unknown routes', addAnswers), { prefix: wire.prefix })
  }
}
