import type { FastifyInstance } from 'fastify'
import { SqliteAudit } from '../db/audit.ts'
import type { SqliteAccounts } from '../db/accounts.ts'
import type { Database } from '../db/database.ts'
import { SqliteHoldings } from '../db/account-tables.ts'
import type { SqliteOutbox } from '../db/outbox.ts'
import { SqliteSnapshots } from '../db/snapshots.ts'
import type { SqliteWallets } from '../db/wallets.ts'
import { annexRoutes, type AnnexParts } from '../routes/admin-and-pages.ts'
import { unroutable } from '../routes/api/guard.ts'
import { createHttp } from '../routes/http/server.ts'
import { apiRoutes, type ApiParts } from '../routes/api.ts'
import { Live } from '../routes/http/sse.ts'
import { plainAnswers } from '../routes/http/schemas.ts'
import type { Storyteller } from '../simulator/transitions.ts'
import { Auditor } from './services/auditor.ts'
import { timeOn } from './lib/clock.ts'
import type { Ledger } from './domain/ports.ts'
import type { Followers } from './monitoring/change-listeners.ts'
import { Handset } from './services/customer-phone.ts'
import type { Meters } from './monitoring/counters.ts'
import type { MetricParts, Metrics } from './monitoring/prometheus.ts'
import type { Schema } from './openapi/schema.ts'
import { Records } from './services/payment-inspector.ts'
import { Sinks } from './services/callback-sinks.ts'
import { Steward } from './services/account-lifecycle.ts'
import { Verification } from './services/verification.ts'
import { Waiting } from './services/payment-waiter.ts'

/** What the annex makes itself. */
type Own =
  | 'verification'
  | 'metrics'
  | 'auditor'
  | 'handset'
  | 'live'
  | 'records'
  | 'waiting'
  | 'sinks'
  | 'holdings'
  | 'snapshots'
  | 'steward'
  | 'document'

/** What it shares with the API. */
export interface Shared extends ApiParts, Omit<AnnexParts, Own> {
  database: Database
  accountStore: SqliteAccounts
  ledger: Ledger
  outbox: SqliteOutbox
  wallets: SqliteWallets
  followers: Followers
  storyteller: Storyteller
  meters: Meters
}

export interface Annex {
  http: FastifyInstance
  steward: Steward
  /** Ends what would keep a request open, and what it does by itself. */
  close: () => Promise<void>
}

/**
 * Puts together what stands beside the API: what testers steer it with and what customers see. That
 * is more than the API itself, and many a run needs none of it, so it is done with the first
 * request for any of it.
 */
export async function openAnnex (shared: Shared): Promise<Annex> {
  const {
    wires,
    database,
    accountStore,
    ledger,
    outbox,
    wallets,
    followers,
    storyteller,
    meters,
    accounts,
    payments,
    journal,
    exercises,
    timekeeper,
    keys,
    ids,
    machine,
    directory,
    recorder
  } = shared
  const live = new Live(followers, machine)
  const records = new Records({ payments, ledger, outbox, wallets, machine })
  const whole = { database, accounts: accountStore, outbox }
  const holdings = new SqliteHoldings(whole)
  const snapshots = new SqliteSnapshots(whole)
  const sinks = new Sinks(keys, machine)
  const steward = new Steward({
    accounts,
    holdings,
    snapshots,
    timekeeper,
    ids,
    machine,
    changes: followers,
    memories: { journal, sinks, coverage: exercises }
  })
  const measured = {
    wires,
    meters,
    machine,
    now: (id: number) => timeOn(accounts.byId(id).clock, machine.now()),
    journalled: () => journal.total
  }
  let metrics: Promise<Metrics> | undefined
  let document: Promise<Schema> | undefined
  const parts: AnnexParts = {
    ...shared,
    live,
    records,
    holdings,
    snapshots,
    steward,
    waiting: new Waiting(records, followers, machine),
    sinks,
    handset: new Handset(ledger, storyteller, accounts, machine),
    verification: new Verification(journal, records),
    auditor: new Auditor(new SqliteAudit(database), timekeeper),
    metrics: () => (metrics ??= openMetrics(database, measured)),
    document: () => (document ??= describeRoutes(shared, parts))
  }
  const http = createHttp(directory, recorder, plainAnswers, unroutable(wires, ids, recorder))
  http.addHook('preClose', async () => live.close())
  annexRoutes(http, parts)
  await http.ready()
  return {
    http,
    steward,
    close: async () => {
      await http.close()
      if (metrics !== undefined) (await metrics).close()
    }
  }
}

/** What was counted is put into words by what is loaded with the first question. */
async function openMetrics (
  database: Database,
  parts: Omit<MetricParts, 'census'>
): Promise<Metrics> {
  const [{ Metrics }, { SqliteCensus }] = await Promise.all([
    import('./monitoring/prometheus.ts'),
    import('../db/ledger-stats.ts')
  ])
  return new Metrics({ ...parts, census: new SqliteCensus(database) })
}

/** The generator is loaded when somebody asks for the document. */
async function describeRoutes (shared: Shared, parts: AnnexParts): Promise<Schema> {
  const { describe } = await import('./openapi/document.ts')
  const { wires, version } = shared
  const register = (http: FastifyInstance): void => {
    apiRoutes(http, shared)
    annexRoutes(http, parts)
  }
  return await describe({ register, wires, version })
}
