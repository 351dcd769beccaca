import type { FastifyInstance } from 'fastify'
import { SqliteAudit } from '../db/audit.ts'
import type { SqliteAccounts } from '../db/accounts.ts'
import type { Database } from '../db/database.ts'
import { SqliteAccountTables } from '../db/account-tables.ts'
import type { SqliteOutbox } from '../db/outbox.ts'
import { SqliteSnapshots } from '../db/snapshots.ts'
import type { SqliteWallets } from '../db/wallets.ts'
import { adminAndPageRoutes, type AdminAppParts } from '../routes/admin-and-pages.ts'
import { handleUnroutable } from '../routes/api/guard.ts'
import { createServer } from '../routes/http/server.ts'
import { apiRoutes, type ApiParts } from '../routes/api.ts'
import { EventStreams } from '../routes/http/sse.ts'
import { plainSerialiser } from '../routes/http/schemas.ts'
import type { Transitions } from '../simulator/transitions.ts'
import { Auditor } from './services/auditor.ts'
import { accountTime } from './lib/clock.ts'
import type { Ledger } from './domain/ports.ts'
import type { ChangeListeners } from './monitoring/change-listeners.ts'
import { CustomerPhone } from './services/customer-phone.ts'
import type { Counters } from './monitoring/counters.ts'
import type { MetricParts, Metrics } from './monitoring/prometheus.ts'
import type { Schema } from './openapi/schema.ts'
import { PaymentInspector } from './services/payment-inspector.ts'
import { CallbackSinks } from './services/callback-sinks.ts'
import { AccountLifecycle } from './services/account-lifecycle.ts'
import { Verification } from './services/verification.ts'
import { PaymentWaiter } from './services/payment-waiter.ts'

/** What the annex makes itself. */
type Own =
  | 'verification'
  | 'metrics'
  | 'auditor'
  | 'customerPhone'
  | 'eventStreams'
  | 'paymentInspector'
  | 'paymentWaiter'
  | 'sinks'
  | 'accountTables'
  | 'snapshots'
  | 'accountLifecycle'
  | 'document'

/** What it shares with the API. */
export interface SharedParts extends ApiParts, Omit<AdminAppParts, Own> {
  database: Database
  accountStore: SqliteAccounts
  ledger: Ledger
  outbox: SqliteOutbox
  wallets: SqliteWallets
  changeListeners: ChangeListeners
  transitions: Transitions
  counters: Counters
}

export interface AdminApp {
  http: FastifyInstance
  accountLifecycle: AccountLifecycle
  /** Ends what would keep a request open, and what it does by itself. */
  close: () => Promise<void>
}

/**
 * Puts together what stands beside the API: what testers steer it with and what customers see. That
 * is more than the API itself, and many a run needs none of it, so it is done with the first
 * request for any of it.
 */
export async function openAdminApp (shared: SharedParts): Promise<AdminApp> {
  const {
    wires,
    database,
    accountStore,
    ledger,
    outbox,
    wallets,
    changeListeners,
    transitions,
    counters,
    accounts,
    payments,
    journal,
    coverageTracker,
    clockControl,
    keys,
    ids,
    systemClock,
    routeIndex,
    recorder
  } = shared
  const eventStreams = new EventStreams(changeListeners, systemClock)
  const paymentInspector = new PaymentInspector({ payments, ledger, outbox, wallets, systemClock })
  const whole = { database, accounts: accountStore, outbox }
  const accountTables = new SqliteAccountTables(whole)
  const snapshots = new SqliteSnapshots(whole)
  const sinks = new CallbackSinks(keys, systemClock)
  const accountLifecycle = new AccountLifecycle({
    accounts,
    accountTables,
    snapshots,
    clockControl,
    ids,
    systemClock,
    changes: changeListeners,
    memories: { journal, sinks, coverage: coverageTracker }
  })
  const measured = {
    wires,
    counters,
    systemClock,
    now: (id: number) => accountTime(accounts.byId(id).clock, systemClock.now()),
    journalled: () => journal.total
  }
  let metrics: Promise<Metrics> | undefined
  let document: Promise<Schema> | undefined
  const parts: AdminAppParts = {
    ...shared,
    eventStreams,
    paymentInspector,
    accountTables,
    snapshots,
    accountLifecycle,
    paymentWaiter: new PaymentWaiter(paymentInspector, changeListeners, accounts, systemClock),
    sinks,
    customerPhone: new CustomerPhone(ledger, transitions, accounts, systemClock),
    verification: new Verification(journal, paymentInspector),
    auditor: new Auditor(new SqliteAudit(database), clockControl),
    metrics: () => (metrics ??= openMetrics(database, measured)),
    document: () => (document ??= describeRoutes(shared, parts))
  }
  const http = createServer(
    routeIndex,
    recorder,
    plainSerialiser,
    handleUnroutable(wires, ids, recorder)
  )
  http.addHook('preClose', async () => eventStreams.close())
  adminAndPageRoutes(http, parts)
  await http.ready()
  return {
    http,
    accountLifecycle,
    close: async () => {
      await http.close()
      if (metrics !== undefined) (await metrics).close()
    }
  }
}

/** What was counted is put into words by what is loaded with the first question. */
async function openMetrics (
  database: Database,
  parts: Omit<MetricParts, 'stats'>
): Promise<Metrics> {
  const [{ Metrics }, { SqliteLedgerStats }] = await Promise.all([
    import('./monitoring/prometheus.ts'),
    import('../db/ledger-stats.ts')
  ])
  return new Metrics({ ...parts, stats: new SqliteLedgerStats(database) })
}

/** The generator is loaded when somebody asks for the document. */
async function describeRoutes (shared: SharedParts, parts: AdminAppParts): Promise<Schema> {
  const { describeRoutes: describe } = await import('../routes/reference/document.ts')
  const { wires, version } = shared
  const register = (http: FastifyInstance): void => {
    apiRoutes(http, shared)
    adminAndPageRoutes(http, parts)
  }
  return await describe({ register, wires, version })
}
