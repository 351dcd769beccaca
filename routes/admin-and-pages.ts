import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { ClockControl } from '../simulator/clock-control.ts'
import type { CoverageTracker } from '../src/monitoring/coverage-tracker.ts'
import type { Metrics } from '../src/monitoring/prometheus.ts'
import type { Journal } from '../src/monitoring/request-journal.ts'
import type { Auditor } from '../src/services/auditor.ts'
import type { CallbackSinks } from '../src/services/callback-sinks.ts'
import type { PaymentInspector } from '../src/services/payment-inspector.ts'
import type { PaymentWaiter } from '../src/services/payment-waiter.ts'
import type { Verification } from '../src/services/verification.ts'
import type { Wire } from '../src/wire/wire.ts'
import { accountRoutes, type AccountParts } from './admin/accounts.ts'
import { callbackRoutes } from './admin/callbacks.ts'
import { clockRoutes } from './admin/clock.ts'
import { coverageRoute } from './admin/coverage.ts'
import { guardAdmin } from './admin/guard.ts'
import { invariantRoute } from './admin/invariants.ts'
import { lintRoute } from './admin/lint.ts'
import { metricsRoute } from './admin/metrics.ts'
import { adminPaymentRoutes } from './admin/payments.ts'
import { phoneRoutes, type PhoneParts } from './admin/phone.ts'
import { providerRoutes, type ProviderParts } from './admin/providers.ts'
import { requestRoutes } from './admin/requests.ts'
import { resetRoutes } from './admin/reset.ts'
import { scenarioRoutes, type ScenarioParts } from './admin/scenarios.ts'
import { signatureRoutes } from './admin/signatures.ts'
import { sinkRoutes } from './admin/sinks.ts'
import { snapshotRoutes, type SnapshotParts } from './admin/snapshots.ts'
import { verifyRoute } from './admin/verify.ts'
import { waitRoute } from './admin/wait.ts'
import { handleUnknownRoutes, type ApiGuardParts } from './api/guard.ts'
import './http/context.ts'
import type { TypedApp } from './http/typed-app.ts'
import { assetRoutes } from './pages/assets.ts'
import { authorisationRoutes, type AuthorisationParts } from './pages/authorise.ts'
import { badgeRoutes } from './pages/badges.ts'
import type { CheckoutPageParts } from './pages/checkout-page.ts'
import { checkoutPageRoutes } from './pages/checkouts.ts'
import { paymentPageRoutes } from './pages/payment-page.ts'
import type { SessionPageParts } from './pages/session-page.ts'
import { referenceRoutes, type ReferenceParts } from './reference/routes.ts'

export interface AdminAppParts
  extends
  Omit<ApiGuardParts, 'wire'>,
  ReferenceParts,
  AccountParts,
  PhoneParts,
  ProviderParts,
  ScenarioParts,
  SnapshotParts,
  AuthorisationParts,
  CheckoutPageParts,
  SessionPageParts {
  wires: readonly Wire[]
  journal: Journal
  verification: Verification
  metrics: () => Promise<Metrics>
  coverageTracker: CoverageTracker
  clockControl: ClockControl
  auditor: Auditor
  paymentInspector: PaymentInspector
  paymentWaiter: PaymentWaiter
  sinks: CallbackSinks
}

/** Adds the routes besides the API: admin API, API reference, pages, and unknown paths. */
export function adminAndPageRoutes (http: FastifyInstance, parts: AdminAppParts): void {
  const app = http.withTypeProvider<TypeBoxTypeProvider>()
  referenceRoutes(app, parts)
  badgeRoutes(app, parts.catalogue)
  assetRoutes(app)
  app.register(async (admin: TypedApp) => adminRoutes(admin, parts), { prefix: '/__admin' })
  app.register(async (pages: TypedApp) => checkoutPageRoutes(pages, parts))
  app.register(async (pages: TypedApp) => authorisationRoutes(pages, parts))
  app.register(async (pages: TypedApp) => paymentPageRoutes(pages, parts))
  for (const wire of parts.wires) {
    // v1 has no prefix, so it answers every path that no other route knows.
    if (wire.prefix === '') handleUnknownRoutes(http, { ...parts, wire })
    else {
      http.register(async (app) => handleUnknownRoutes(app, { ...parts, wire }), {
        prefix: wire.prefix
      })
    }
  }
}

function adminRoutes (app: TypedApp, parts: AdminAppParts): void {
  guardAdmin(app, parts)
  scenarioRoutes(app, parts)
  clockRoutes(app, parts.clockControl)
  requestRoutes(app, parts.journal)
  coverageRoute(app, parts.coverageTracker)
  lintRoute(app, parts.journal, parts.catalogue)
  metricsRoute(app, parts.metrics)
  verifyRoute(app, parts.verification, parts.journal)
  adminPaymentRoutes(app, parts.paymentInspector, parts.payments, parts.wires)
  waitRoute(app, parts.paymentWaiter, parts.wires)
  callbackRoutes(app, parts.paymentInspector)
  sinkRoutes(app, parts.sinks, () => parts.links.base)
  signatureRoutes(app, parts.keys, parts.systemClock)
  providerRoutes(app, parts)
  accountRoutes(app, parts)
  snapshotRoutes(app, parts)
  resetRoutes(app, parts.accountLifecycle)
  invariantRoute(app, parts.auditor)
  // In a context of its own, because only the phone accepts forms.
  app.register(async (phone: TypedApp) => phoneRoutes(phone, parts))
}
