import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../src/domain/catalogue.ts'
import type { Snapshots } from '../src/domain/account-tables.ts'
import type { ScenarioUses } from '../src/domain/ports.ts'
import type { ClockControl } from '../simulator/clock-control.ts'
import type { Mover } from '../simulator/mover.ts'
import type { ScenarioLibrary } from '../simulator/scenario-library.ts'
import type { Auditor } from '../src/services/auditor.ts'
import type { Checkouts } from '../src/services/checkouts.ts'
import type { CustomerPhone } from '../src/services/customer-phone.ts'
import type { PaymentPage } from '../src/services/payment-page.ts'
import type { Journal } from '../src/monitoring/request-journal.ts'
import type { CoverageTracker } from '../src/monitoring/coverage-tracker.ts'
import type { Metrics } from '../src/monitoring/prometheus.ts'
import type { Payments } from '../src/services/payments.ts'
import type { PaymentInspector } from '../src/services/payment-inspector.ts'
import type { CallbackSinks } from '../src/services/callback-sinks.ts'
import type { Verification } from '../src/services/verification.ts'
import type { PaymentWaiter } from '../src/services/payment-waiter.ts'
import type { Wire } from '../src/wire/wire.ts'
import { guardAdmin } from './admin/guard.ts'
import { accountRoutes, type AccountParts } from './admin/accounts.ts'
import { callbackRoutes } from './admin/callbacks.ts'
import { clockRoutes } from './admin/clock.ts'
import { coverageRoute } from './admin/coverage.ts'
import { invariantRoute } from './admin/invariants.ts'
import { lintRoute } from './admin/lint.ts'
import { metricsRoute } from './admin/metrics.ts'
import { adminPaymentRoutes } from './admin/payments.ts'
import { phoneRoutes } from './admin/phone.ts'
import { providerRoutes } from './admin/providers.ts'
import { requestRoutes } from './admin/requests.ts'
import { resetRoutes } from './admin/reset.ts'
import { scenarioRoutes } from './admin/scenarios.ts'
import { signatureRoutes } from './admin/signatures.ts'
import { snapshotRoutes } from './admin/snapshots.ts'
import { sinkRoutes } from './admin/sink.ts'
import { verifyRoute } from './admin/verify.ts'
import { waitRoute } from './admin/wait.ts'
import { referenceRoutes, type ReferenceParts } from './reference/routes.ts'
import './http/context.ts'
import { authorisationRoutes } from './pages/authorise.ts'
import { assetRoutes } from './pages/assets.ts'
import { badgeRoutes } from './pages/badges.ts'
import { checkoutPageRoutes } from './pages/checkouts.ts'
import { handleUnknownRoutes, type ApiGuardParts } from './api/guard.ts'
import type { EventStreams } from './http/sse.ts'
import { paymentPageRoutes } from './pages/payment-page.ts'

export interface AdminAppParts extends Omit<ApiGuardParts, 'wire'>, ReferenceParts, AccountParts {
  wires: readonly Wire[]
  payments: Payments
  journal: Journal
  verification: Verification
  metrics: () => Promise<Metrics>
  coverageTracker: CoverageTracker
  catalogue: Catalogue
  scenarioLibrary: ScenarioLibrary
  uses: ScenarioUses
  mover: Mover
  clockControl: ClockControl
  checkouts: Checkouts
  pages: PaymentPage
  snapshots: Snapshots
  auditor: Auditor
  customerPhone: CustomerPhone
  eventStreams: EventStreams
  paymentInspector: PaymentInspector
  paymentWaiter: PaymentWaiter
  sinks: CallbackSinks
}

/**
 * What stands beside the API: the admin API and its reference, what customers see, and a word for
 * who asks for what does not exist.
 */
export function adminAndPageRoutes (
  http: FastifyInstance,
  { wires, payments, ...parts }: AdminAppParts
): void {
  referenceRoutes(http, parts)
  badgeRoutes(http, parts.catalogue)
  assetRoutes(http)
  http.register(
    async (app) => {
      guardAdmin(app, parts)
      scenarioRoutes(app, parts.accounts, parts.scenarioLibrary, parts.uses, parts.catalogue)
      clockRoutes(app, parts.clockControl)
      requestRoutes(app, parts.journal)
      coverageRoute(app, parts.coverageTracker)
      lintRoute(app, parts.journal, parts.catalogue)
      metricsRoute(app, parts.metrics)
      verifyRoute(app, parts.verification, parts.journal)
      adminPaymentRoutes(app, parts.paymentInspector, payments, wires)
      waitRoute(app, parts.paymentWaiter, wires)
      callbackRoutes(app, parts.paymentInspector)
      sinkRoutes(app, parts.sinks, () => parts.links.base)
      signatureRoutes(app, parts.keys, parts.systemClock)
      providerRoutes(app, parts.accounts, parts.catalogue, parts.mover, parts.systemClock)
      accountRoutes(app, parts)
      snapshotRoutes(app, parts.snapshots, parts.accountLifecycle, parts.ids)
      resetRoutes(app, parts.accountLifecycle)
      invariantRoute(app, parts.auditor)
      // Apart from the others, because only this one takes forms.
      app.register(async (inner) => phoneRoutes(inner, payments, parts.customerPhone, parts))
    },
    { prefix: '/__admin' }
  )
  http.register(async (app) => checkoutPageRoutes(app, parts.checkouts, parts))
  http.register(async (app) => authorisationRoutes(app, payments, parts.customerPhone, parts))
  http.register(async (app) => paymentPageRoutes(app, parts.pages, parts))
  for (const wire of wires) {
    // The earlier generation has no prefix: whatever nobody else answers is a mistake in its words.
    if (wire.prefix === '') handleUnknownRoutes(http, { wire, ...parts })
    else {
      http.register(async (app) => handleUnknownRoutes(app, { wire, ...parts }), {
        prefix: wire.prefix
      })
    }
  }
}
