import type { FastifyInstance } from 'fastify'
import { SqlAccountTables } from '../../db/account-tables.ts'
import { SqlAudit } from '../../db/audit.ts'
import { SqlSnapshotFiles } from '../../db/snapshot-files.ts'
import { SqlSnapshots } from '../../db/snapshots.ts'
import { adminAndPageRoutes, type AdminServices } from '../../routes/admin-and-pages.ts'
import type { RouteIndex } from '../../routes/http/route-index.ts'
import { createOriginCheck } from '../../routes/http/origin.ts'
import { EventStreams } from '../../routes/http/sse.ts'
import type { ApiCore } from './core.ts'
import { checkKeys, checkPlaces } from '../accounts/settings-checks.ts'
import { demoTokenOf, type Account } from '../domain/account.ts'
import type { Setup } from './setup.ts'
import type { Sharing } from './sharing.ts'
import type { Simulator } from './simulator.ts'
import type { Storage } from './storage.ts'
import { shownTime } from '../lib/clock.ts'
import { loadLazily } from '../lib/lazy.ts'
import { version } from '../lib/package.ts'
import type { Metrics } from '../monitoring/prometheus.ts'
import { Rates } from '../monitoring/rates.ts'
import type { Schema } from '../openapi/schema.ts'
import type { OwnMemory } from '../peers/shared-memory.ts'
import { ActionResults } from '../services/action-results.ts'
import { Stamps } from '../services/stamps.ts'
import { AccountLifecycle } from '../services/account-lifecycle.ts'
import { Auditor } from '../services/auditor.ts'
import { ChangeLog } from '../services/change-log.ts'
import { CallbackSinks } from '../services/callback-sinks.ts'
import { ExamReports } from '../services/exam-reports.ts'
import { CustomerPhone } from '../services/customer-phone.ts'
import { EventWaiter } from '../services/event-waiter.ts'
import { PaymentInspector } from '../services/payment-inspector.ts'
import { PaymentWaiter } from '../services/payment-waiter.ts'
import {
  createMemoryCalls,
  type MemoryParts,
  type ServerMemory
} from '../services/server-memory.ts'
import { Verification } from '../services/verification.ts'
import { WalletControl } from '../services/wallet-control.ts'
import type { Wire } from '../wire/wire.ts'

/** Admin API and pages. Many runs need none of it, so its first request builds it. */
export interface AdminApp {
  accountLifecycle: AccountLifecycle
  registerRoutes: (http: FastifyInstance) => void
  /** Memory of this server. */
  memory: OwnMemory
  /** Returns when an account was last used, on any server. */
  readLastUse: (account: Account) => Promise<number | undefined>
  /** Ends the requests that wait: a stop does not wait for them. */
  close: () => Promise<void>
}

/** Builds the services of the admin API and of the pages. */
export function buildAdminApp (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  core: ApiCore,
  { createMemory, events }: Sharing,
  api: FastifyInstance
): AdminApp {
  const { config, catalogue, scenarioLibrary, links, authority } = setup
  const { wires, guard, routeIndex, services } = core
  const { mover, clockControl } = simulator
  const metrics = loadLazily(() => openMetrics(setup, storage, core))
  const document = loadLazily(() => describeApi(wires, routeIndex))
  const own = buildMemory(setup, storage, core)
  const calls = createMemoryCalls(own, storage.accounts, setup.systemClock)
  const ownMemory = { calls, changes: new ChangeLog() }
  const memory = createMemory(ownMemory, own.stamps)
  own.statusChecks.takeElsewhere = (account) =>
    memory.takeFromOthers('takeStatusCheck', { account })
  const admin = {
    ...buildAdminServices(setup, storage, simulator, core, memory),
    ...own,
    memory,
    metrics
  }
  return {
    accountLifecycle: admin.accountLifecycle,
    registerRoutes: (http) =>
      adminAndPageRoutes(http, {
        wires,
        guard,
        routeIndex,
        services,
        admin,
        simulator: {
          mover,
          releases: storage.dueQueue,
          clockControl,
          scenarioLibrary,
          uses: storage.scenarioUses
        },
        catalogue,
        events,
        checkOrigin: createOriginCheck(config),
        authority,
        api,
        reference: {
          document,
          token: () => demoTokenOf(storage.accounts.default.settings),
          adminToken: config.adminToken,
          links
        },
        host: config.host
      }),
    readLastUse: ({ id }) => memory.collect('readLastUse', { account: id }),
    memory: ownMemory,
    close: async () => {
      admin.eventStreams.close()
      admin.paymentWaiter.close()
      admin.eventWaiter.close()
      own.rates.close()
      ;(await metrics.current())?.close()
    }
  }
}

/** Builds everything that this server keeps in memory about accounts. */
function buildMemory (
  { counters, systemClock }: Setup,
  { keys, peers }: Storage,
  { services, journal, coverageTracker }: ApiCore
): MemoryParts {
  return {
    journal,
    sinks: new CallbackSinks(keys, systemClock),
    statusChecks: services.statusChecks,
    coverageTracker,
    examReports: new ExamReports(),
    rates: new Rates(counters, systemClock),
    actionResults: new ActionResults(peers?.number),
    stamps: new Stamps(peers?.number ?? 0, systemClock)
  }
}

function buildAdminServices (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  { services, journal, coverageTracker }: ApiCore,
  memory: ServerMemory
): Omit<AdminServices, keyof MemoryParts | 'memory' | 'metrics'> {
  const { systemClock, catalogue } = setup
  const { ids, transitions, clockControl, mover } = simulator
  const { database, changeListeners, accountStore, accounts, ledger, outbox, wallets } = storage
  const wholeLedger = { database, accounts: accountStore, outbox }
  const accountTables = new SqlAccountTables(wholeLedger)
  const snapshots = new SqlSnapshots(wholeLedger)
  const { payments, pages } = services
  const paymentInspector = new PaymentInspector({
    payments,
    pages,
    ledger,
    outbox,
    wallets,
    systemClock
  })
  const verification = new Verification(memory, paymentInspector, accountTables)
  return {
    accountTables,
    snapshots,
    snapshotFiles: new SqlSnapshotFiles(wholeLedger, (settings) => [
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
      memory,
      coverageTracker,
      finishReleases: async (account, now) => {
        const { finishReleases } = await import('../../simulator/outages.ts')
        await finishReleases({ accounts, mover, releases: storage.dueQueue }, account, now)
      },
      createFixtures: async (account) => {
        if (setup.config.fixtures === undefined) return
        const { createFixturesOf } = await import('./fixtures.ts')
        await createFixturesOf(setup, storage, simulator, account)
      }
    }),
    eventStreams: new EventStreams(changeListeners, systemClock),
    paymentInspector,
    paymentWaiter: new PaymentWaiter(paymentInspector, changeListeners, accounts, systemClock),
    customerPhone: new CustomerPhone(ledger, transitions, accounts, systemClock),
    verification,
    eventWaiter: new EventWaiter({
      verification,
      accounts,
      journal,
      changeListeners,
      systemClock,
      isShared: storage.peers !== undefined
    }),
    auditor: new Auditor(new SqlAudit(database), clockControl),
    setAside: storage.setAside,
    walletControl: new WalletControl({ wallets, catalogue, systemClock, changes: changeListeners })
  }
}

/** Loads the metrics with their first request. */
async function openMetrics (
  { systemClock, counters }: Setup,
  { database, accounts, changeListeners, setAside, peers }: Storage,
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
    now: (id) => shownTime(accounts.byId(id).clock, systemClock.now()),
    journalled: () => journal.total,
    listeners: () => changeListeners.size,
    stats: new SqlLedgerStats(database),
    setAside,
    server: peers?.number
  })
}

/** Loads the generator of the OpenAPI document with the first request for it. */
async function describeApi (wires: readonly Wire[], { routes }: RouteIndex): Promise<Schema> {
  const { describeRoutes } = await import('../../routes/reference/document.ts')
  return await describeRoutes({ routes, wires, version })
}
