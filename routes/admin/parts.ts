import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { EventFeed } from '../../src/monitoring/event-feed.ts'
import type { Listeners } from '../../src/listening/listeners.ts'
import type { AccountVersions } from '../../src/monitoring/account-versions.ts'
import type { CoverageTracker } from '../../src/monitoring/coverage-tracker.ts'
import type { Metrics } from '../../src/monitoring/prometheus.ts'
import type { Rates } from '../../src/monitoring/rates.ts'
import type { Journal } from '../../src/monitoring/request-journal.ts'
import type { Schema } from '../../src/openapi/schema.ts'
import type { AccountTables, SnapshotFiles, Snapshots } from '../../src/ports/account-tables.ts'
import type { Releases } from '../../src/ports/due-queue.ts'
import type { SetAside } from '../../src/ports/ledger.ts'
import type { ScenarioUses } from '../../src/ports/stores.ts'
import type { ScenarioLibrary } from '../../src/scenarios/scenario-library.ts'
import type { AccountLifecycle } from '../../src/services/account-lifecycle.ts'
import type { ActionResults } from '../../src/services/action-results.ts'
import type { Auditor } from '../../src/services/auditor.ts'
import type { CallbackSinks } from '../../src/services/callback-sinks.ts'
import type { Checkouts } from '../../src/services/checkouts.ts'
import type { CustomerPhone } from '../../src/services/customer-phone.ts'
import type { EventWaiter } from '../../src/services/event-waiter.ts'
import type { ExamReports } from '../../src/services/exam-reports.ts'
import type { PaymentInspector } from '../../src/services/payment-inspector.ts'
import type { PaymentPage } from '../../src/services/payment-page.ts'
import type { PaymentWaiter } from '../../src/services/payment-waiter.ts'
import type { Payments } from '../../src/services/payments.ts'
import type { StatusChecks } from '../../src/services/status-checks.ts'
import type { Verification } from '../../src/services/verification.ts'
import type { WalletControl } from '../../src/services/wallet-control.ts'
import type { Wire } from '../../src/wire/wire.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'
import type { Mover } from '../../simulator/mover.ts'
import type { ApiGuardParts } from '../http/api-route.ts'
import type { CheckOrigin } from '../http/origin.ts'
import type { RouteIndex } from '../http/route-index.ts'
import type { EventStreams } from '../http/sse.ts'

/** Parts of the admin API, its reference, the dashboard and the pages. Each takes what it needs. */
export interface AdminParts extends ApiGuardParts {
  wires: readonly Wire[]
  catalogue: Catalogue
  routeIndex: RouteIndex
  scenarioLibrary: ScenarioLibrary
  // services of the API
  payments: Payments
  checkouts: Checkouts
  pages: PaymentPage
  statusChecks: StatusChecks
  // the simulator
  clockControl: ClockControl
  mover: Mover
  releases: Releases
  uses: ScenarioUses
  // what the server remembers
  journal: Journal
  coverageTracker: CoverageTracker
  rates: Rates
  sinks: CallbackSinks
  /** Programs that fetch callbacks. */
  listeners: Listeners
  examReports: ExamReports
  actionResults: ActionResults
  accountVersions: AccountVersions
  // services of the admin API
  accountTables: AccountTables
  accountLifecycle: AccountLifecycle
  snapshots: Snapshots
  snapshotFiles: SnapshotFiles
  setAside: SetAside
  auditor: Auditor
  paymentInspector: PaymentInspector
  paymentWaiter: PaymentWaiter
  eventWaiter: EventWaiter
  verification: Verification
  walletControl: WalletControl
  customerPhone: CustomerPhone
  eventStreams: EventStreams
  /** Opens the feed of events. */
  openEvents: () => Promise<EventFeed>
  metrics: () => Promise<Metrics>
  /** The OpenAPI document, made when it is first asked for. */
  document: () => Promise<Schema>
  // settings
  /** Time that a receiver of callbacks has to answer. */
  callbackTimeoutMs: number
  adminToken: string | undefined
  checkOrigin: CheckOrigin
  /** Base of all addresses that the server gives out. */
  links: { base: string; listening: string }
  /** Address that the server listens on. */
  host: string
  /** Certificate of the authority of the TLS listener. */
  authority: string | undefined
  /** Server of the payments API and the admin API, for the calls of the dashboard. */
  api: Pick<FastifyInstance, 'inject'>
}
