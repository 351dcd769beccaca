import { finishReleases } from '../../simulator/outages.ts'
import type { FastifyInstance } from 'fastify'
import { SqlAccountTables } from '../../db/account-tables.ts'
import { SqlAudit } from '../../db/audit.ts'
import { SqlSnapshotFiles } from '../../db/snapshot-files.ts'
import { SqlSnapshots } from '../../db/snapshots.ts'
import { adminAndPageRoutes } from '../../routes/admin-and-pages.ts'
import type { RouteIndex } from '../../routes/http/route-index.ts'
import { createOriginCheck } from '../../routes/http/origin.ts'
import { EventStreams } from '../../routes/http/sse.ts'
import type { ApiCore } from './core.ts'
import { readTimeout } from '../config/configured.ts'
import { checkKeys, checkPlaces } from '../accounts/settings-checks.ts'
import type { Account } from '../domain/account.ts'
import type { Setup } from './setup.ts'
import type { Simulator } from './simulator.ts'
import type { Storage } from './storage.ts'
import { loadLazily } from '../lib/lazy.ts'
import { version } from '../lib/package.ts'
import type { EventFeed } from '../monitoring/event-feed.ts'
import type { Metrics } from '../monitoring/prometheus.ts'
import { Rates } from '../monitoring/rates.ts'
import type { Schema } from '../openapi/schema.ts'
import { AccountVersions } from '../monitoring/account-versions.ts'
import { ActionResults } from '../services/action-results.ts'
import { AccountLifecycle } from '../services/account-lifecycle.ts'
import { Auditor } from '../services/auditor.ts'
import { CallbackSinks } from '../services/callback-sinks.ts'
import { ExamReports } from '../services/exam-reports.ts'
import { CustomerPhone } from '../services/customer-phone.ts'
import { EventWaiter } from '../services/event-waiter.ts'
import { PaymentInspector } from '../services/payment-inspector.ts'
import { PaymentWaiter } from '../services/payment-waiter.ts'
import { Verification } from '../services/verification.ts'
import { WalletControl } from '../services/wallet-control.ts'
import type { Wire } from '../wire/wire.ts'

/** Admin API and pages. */
export interface AdminApp {
  accountLifecycle: AccountLifecycle
  /** Plugin with its routes. */
  addRoutes: (http: FastifyInstance) => Promise<void>
  /** Forgets what is in memory only of an account that has left this server. */
  forgetAccount: (account: Account) => void
  /** Ends the requests that wait: a stop does not wait for them. */
  close: () => Promise<void>
}

/** Builds the services of the admin API and of the pages. */
export function buildAdminApp (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  core: ApiCore,
  openEvents: () => Promise<EventFeed>,
  api: FastifyInstance
): AdminApp {
  const { config, catalogue, scenarioLibrary, links, authority } = setup
  const { wires, guard, routeIndex, services } = core
  const { mover, clockControl } = simulator
  const metrics = loadLazily(() => openMetrics(setup, storage, core))
  const document = loadLazily(() => describeApi(wires, routeIndex))
  const memory = buildMemory(setup, storage, simulator, core)
  const admin = {
    ...buildAdminServices(setup, storage, simulator, core, memory),
    ...memory,
    metrics
  }
  return {
    accountLifecycle: admin.accountLifecycle,
    addRoutes: async (http) => {
      // Compiling the schemas of its answers takes longer than all answers.
      http.setSerializerCompiler(() => JSON.stringify)
      adminAndPageRoutes(http, {
        ...guard,
        ...services,
        ...admin,
        wires,
        catalogue,
        routeIndex,
        scenarioLibrary,
        clockControl,
        mover,
        releases: storage.dueQueue,
        uses: storage.scenarioUses,
        openEvents,
        document,
        adminToken: config.adminToken,
        checkOrigin: createOriginCheck(config),
        links,
        host: config.host,
        authority,
        api,
        callbackTimeoutMs: readTimeout(config)
      })
    },
    forgetAccount: (account) => {
      admin.accountLifecycle.forgetMemories(account)
      // Its pages ask again, and reach the server that has it.
      admin.eventStreams.endAll()
    },
    close: async () => {
      admin.eventStreams.close()
      admin.paymentWaiter.close()
      admin.eventWaiter.close()
      memory.rates.close()
      ;(await metrics.current())?.close()
    }
  }
}

/** Builds everything that this server keeps in memory about accounts. */
function buildMemory (
  { counters, systemClock }: Setup,
  { keys }: Storage,
  { context: { listeners } }: Simulator,
  { services, journal, coverageTracker }: ApiCore
) {
  return {
    journal,
    sinks: new CallbackSinks(keys, systemClock),
    listeners,
    statusChecks: services.statusChecks,
    coverageTracker,
    examReports: new ExamReports(),
    rates: new Rates(counters, systemClock),
    actionResults: new ActionResults()
  }
}

function buildAdminServices (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  { services, journal, coverageTracker }: ApiCore,
  memory: ReturnType<typeof buildMemory>
) {
  const { systemClock, catalogue } = setup
  const { ids, transitions, clockControl, mover } = simulator
  const { database, changeListeners, accountStore, accounts, ledger, outbox, wallets } = storage
  const wholeLedger = { database, accounts: accountStore }
  const accountTables = new SqlAccountTables(wholeLedger)
  const snapshots = new SqlSnapshots(wholeLedger)
  const { payments, pages } = services
  const sources = { payments, pages, ledger, outbox, wallets, accounts }
  const paymentInspector = new PaymentInspector(sources)
  const verification = new Verification(journal, paymentInspector, accountTables)
  return {
    accountTables,
    snapshots,
    snapshotFiles: new SqlSnapshotFiles(database, snapshots, (settings) => [
      ...checkKeys(settings),
      ...checkPlaces(settings, catalogue)
    ]),
    accountLifecycle: new AccountLifecycle({
      accounts,
      accountTables,
      snapshots,
      clockControl,
      ids,
      systemClock,
      changes: changeListeners,
      memories: memory,
      coverageTracker,
      finishReleases: (account, now) =>
        finishReleases({ mover, releases: storage.dueQueue }, account, () => now),
      createFixtures: async (account) => {
        if (setup.config.fixtures === undefined) return
        const { createFixturesOf } = await import('./fixtures.ts')
        await createFixturesOf(setup, storage, simulator, account)
      }
    }),
    eventStreams: new EventStreams(changeListeners, systemClock),
    accountVersions: new AccountVersions(changeListeners),
    paymentInspector,
    paymentWaiter: new PaymentWaiter(
      paymentInspector,
      changeListeners,
      accounts,
      systemClock,
      memory.listeners
    ),
    customerPhone: new CustomerPhone(ledger, transitions, accounts),
    verification,
    eventWaiter: new EventWaiter({
      verification,
      accounts,
      journal,
      changeListeners,
      systemClock
    }),
    auditor: new Auditor(new SqlAudit(database), clockControl),
    setAside: storage.setAside,
    walletControl: new WalletControl({ wallets, catalogue, accounts, changes: changeListeners })
  }
}

/** Loads the metrics with their first request. */
async function openMetrics (
  { systemClock, counters }: Setup,
  { database, accounts, changeListeners }: Storage,
  { wires, journal }: ApiCore
): Promise<Metrics> {
  const [{ Metrics }, { SqlLedgerStats }] = await Promise.all([
    import('../monitoring/prometheus.ts'),
    import('../../db/ledger-stats.ts')
  ])
  return new Metrics({
    wires,
    counters,
    flushSizes: database.flushSizes,
    systemClock,
    now: (id) => {
      const account = accounts.find(id)
      return account && accounts.now(account)
    },
    journalled: () => journal.total,
    listeners: () => changeListeners.size,
    stats: new SqlLedgerStats(database)
  })
}

/** Loads the generator of the OpenAPI document with the first request for it. */
async function describeApi (wires: readonly Wire[], { routes }: RouteIndex): Promise<Schema> {
  const { describeRoutes } = await import('../../routes/reference/document.ts')
  return await describeRoutes({ routes, wires, version })
}
