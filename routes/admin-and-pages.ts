import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../src/domain/catalogue.ts'
import type { Snapshots } from '../src/domain/account-tables.ts'
import type { Uses } from '../src/domain/ports.ts'
import type { Timekeeper } from '../simulator/clock-control.ts'
import type { Mover } from '../simulator/mover.ts'
import type { Repertoire } from '../simulator/scenario-library.ts'
import type { Auditor } from '../src/services/auditor.ts'
import type { Checkouts } from '../src/services/checkouts.ts'
import type { Handset } from '../src/services/customer-phone.ts'
import type { PaymentPage } from '../src/services/payment-page.ts'
import type { Journal } from '../src/monitoring/request-journal.ts'
import type { Exercises } from '../src/monitoring/coverage-tracker.ts'
import type { Metrics } from '../src/monitoring/prometheus.ts'
import type { Payments } from '../src/services/payments.ts'
import type { Records } from '../src/services/payment-inspector.ts'
import type { Sinks } from '../src/services/callback-sinks.ts'
import type { Verification } from '../src/services/verification.ts'
import type { Waiting } from '../src/services/payment-waiter.ts'
import type { Wire } from '../src/wire/wire.ts'
import { guardAdmin } from './admin/guard.ts'
import { accountRoutes, type AccountParts } from './admin/accounts.ts'
import { callbackRoutes } from './admin/callbacks.ts'
import { clockRoutes } from './admin/clock.ts'
import { coverageRoute } from './admin/coverage.ts'
import { invariantRoute } from './admin/invariants.ts'
import { metricsRoute } from './admin/metrics.ts'
import { paymentRecords } from './admin/payments.ts'
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
import { authorisationPage } from './pages/authorise.ts'
import { assetRoutes } from './pages/assets.ts'
import { badgeRoutes } from './pages/badges.ts'
import { checkoutPage } from './pages/checkouts.ts'
import { mistakes, type GenerationParts } from './api/guard.ts'
import type { Live } from './http/sse.ts'
import { paymentPage } from './pages/payment-page.ts'

export interface AnnexParts extends Omit<GenerationParts, 'wire'>, ReferenceParts, AccountParts {
  wires: readonly Wire[]
  payments: Payments
  journal: Journal
  verification: Verification
  metrics: () => Promise<Metrics>
  exercises: Exercises
  catalogue: Catalogue
  repertoire: Repertoire
  uses: Uses
  mover: Mover
  timekeeper: Timekeeper
  checkouts: Checkouts
  pages: PaymentPage
  snapshots: Snapshots
  auditor: Auditor
  handset: Handset
  live: Live
  records: Records
  waiting: Waiting
  sinks: Sinks
}

/**
 * What stands beside the API: the admin API and its reference, what customers see, and a word for
 * who asks for what does not exist.
 */
export function annexRoutes (
  http: FastifyInstance,
  { wires, payments, ...parts }: AnnexParts
): void {
  referenceRoutes(http, parts)
  badgeRoutes(http, parts.catalogue)
  assetRoutes(http)
  http.register(
    async (app) => {
      guardAdmin(app, parts)
      scenarioRoutes(app, parts.accounts, parts.repertoire, parts.uses, parts.catalogue)
      clockRoutes(app, parts.timekeeper)
      requestRoutes(app, parts.journal)
      coverageRoute(app, parts.exercises)
      metricsRoute(app, parts.metrics)
      verifyRoute(app, parts.verification, parts.journal)
      paymentRecords(app, parts.records, payments, wires)
      waitRoute(app, parts.waiting, wires)
      callbackRoutes(app, parts.records)
      sinkRoutes(app, parts.sinks, () => parts.links.base)
      signatureRoutes(app, parts.keys, parts.machine)
      providerRoutes(app, parts.accounts, parts.catalogue, parts.mover, parts.machine)
      accountRoutes(app, parts)
      snapshotRoutes(app, parts.snapshots, parts.steward, parts.ids)
      resetRoutes(app, parts.steward)
      invariantRoute(app, parts.auditor)
      // Apart from the others, because only this one takes forms.
      app.register(async (inner) => phoneRoutes(inner, payments, parts.handset, parts))
    },
    { prefix: '/__admin' }
  )
  http.register(async (app) => checkoutPage(app, parts.checkouts, parts))
  http.register(async (app) => authorisationPage(app, payments, parts.handset, parts))
  http.register(async (app) => paymentPage(app, parts.pages, parts))
  for (const wire of wires) {
    // The earlier generation has no prefix: whatever nobody else answers is a mistake in its words.
    if (wire.prefix === '') mistakes(http, { wire, ...parts })
    else http.register(async (app) => mistakes(app, { wire, ...parts }), { prefix: wire.prefix })
  }
}
