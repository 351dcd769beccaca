import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Database } from '../db/database.ts'
import { SqlAccounts } from '../db/accounts.ts'
import { Balances } from '../db/balances.ts'
import { SqlDueQueue } from '../db/due-queue.ts'
import { SqlScenarioUses } from '../db/scenario-uses.ts'
import { SqlWallets } from '../db/wallets.ts'
import { LedgerUnusableError } from './ports/ledger-error.ts'
import { deleteLedger, openEngine } from '../db/open-engine.ts'
import type { RouteIndex } from '../routes/http/route-index.ts'
import type { ScenarioLibrary } from './scenarios/scenario-library.ts'
import { buildApi, type ApiOptions } from './build/api.ts'
import { reviewConfig, type ReviewedConfig } from './build/review.ts'
import type { SharedServer } from './build/servers.ts'
import type { Links, ServerLife, Setup } from './build/setup.ts'
import { buildSimulator, type Simulator } from './build/simulator.ts'
import { buildStorage, orClose, type Storage } from './build/storage.ts'
import type { Config } from './config/config.ts'
import type { Account } from './domain/account.ts'
import type { KeptState } from './accounts/account-state.ts'
import type { Accounts } from './accounts/registry.ts'
import type { OpeningBalance } from './domain/money.ts'
import {
  frozenClock,
  runningClock,
  systemClock as machineClock,
  type SystemClock
} from './lib/clock.ts'
import { loadLazily } from './lib/lazy.ts'
import { baseOf, isPostgresUrl, urlOf } from './lib/url.ts'
import { Counters } from './monitoring/counters.ts'
import type { EventFeed } from './monitoring/event-feed.ts'
import type { SandboxCleanup } from './services/sandbox-cleanup.ts'

/** A server that is complete and does not listen yet. */
export interface App {
  http: FastifyInstance
  links: Links
  life: ServerLife
  routeIndex: RouteIndex
  scenarioLibrary: ScenarioLibrary
  /** Returns the feed of events. Its code is loaded when somebody follows the events. */
  openEvents: () => Promise<EventFeed>
  accounts: Accounts
  /** Lists opening balances of the configuration that have no effect. */
  listIgnoredOpenings: () => Promise<string[]>
  /** Starts the simulator: from now on payments move. Called with the port of the server. */
  start: (port?: number) => Promise<void>
  /** Does all work that is due now. */
  settle: () => Promise<void>
  /** Finishes the work in progress and closes the ledger. */
  close: () => Promise<void>
}

/** Options of a server that are not part of its configuration. */
export interface AppOptions extends ApiOptions {
  /** Deletes the ledger first. */
  fresh?: boolean
  /** Event lines are printed, so the log repeats nothing of them. */
  eventLines?: boolean
  /** Certificate of the authority that signed the certificate of the TLS listener. */
  authority?: string
  /** Aborted by the signal to stop: large work is left to the next start. */
  stop?: AbortSignal
  /** The configuration, if its checks have been made already. */
  reviewed?: ReviewedConfig
}

/** Builds a server from its configuration: storage, simulator, API. */
export async function createApp (
  config: Config,
  systemClock: SystemClock,
  log: Logger,
  { fresh = false, eventLines = false, authority, stop, reviewed, ...options }: AppOptions = {}
): Promise<App> {
  const { catalogue, accounts, scenarioLibrary, keys, callbackAuthorities } =
    reviewed ?? (await reviewConfig(config))
  const setup: Setup = {
    config,
    systemClock: await chooseClock(config, systemClock),
    log,
    paymentLog: eventLines ? log.child({}, { level: 'error' }) : log,
    observation: {},
    life: { isStopping: false },
    catalogue,
    scenarioLibrary,
    counters: new Counters(),
    authority,
    stop,
    // Also our own authority: a sink of this server can be the receiver.
    trustedAuthorities: callbackAuthorities.concat(authority ?? []),
    links: {
      base: baseOf(config.publicUrl ?? urlOf(config.host, config.port)),
      listening: urlOf(config.host, config.port)
    }
  }
  if (config.fixtures !== undefined) {
    const { tryFixtures } = await import('./build/fixtures.ts')
    await tryFixtures(setup, accounts, keys)
  }
  // After all checks of the configuration: a wrong one must not delete the ledger.
  const isDeleted = fresh && config.db !== ':memory:'
  if (isDeleted) await deleteLedger(config.db)
  const storage = await buildStorage(setup, accounts, keys)
  return await orClose(storage.database, () => buildApp(setup, storage, options))
}

async function buildApp (setup: Setup, storage: Storage, options: ApiOptions): Promise<App> {
  const simulator = buildSimulator(setup, storage)
  const shared = await shareServer(setup, storage, simulator)
  const openEvents = loadLazily(() => loadEventFeed(setup, storage))
  const { http, routeIndex, sandboxCleanup } = await buildApi(
    setup,
    storage,
    simulator,
    openEvents,
    shared,
    options
  )
  return {
    http,
    links: setup.links,
    life: setup.life,
    routeIndex,
    scenarioLibrary: setup.scenarioLibrary,
    openEvents,
    accounts: storage.accounts,
    listIgnoredOpenings: () => listAllIgnoredOpenings(storage),
    start: async (port = 0) => {
      await shared?.start(port)
      await createConfiguredFixtures(setup, storage, simulator, shared)
      await simulator.start()
      sandboxCleanup.start()
    },
    settle: async () => {
      await sandboxCleanup.removeIdle()
      await simulator.settle()
    },
    close: () => closeAll(storage, http, sandboxCleanup, simulator, shared)
  }
}

/** Closes the parts in their order; the ledger also if another part cannot be closed. */
async function closeAll (
  { database }: Storage,
  http: FastifyInstance,
  sandboxCleanup: SandboxCleanup,
  simulator: Simulator,
  shared: SharedServer | undefined
): Promise<void> {
  database.isStopping = true
  try {
    await shared?.beginLeaving()
    await http.close()
    await sandboxCleanup.stop()
    await simulator.close()
    await shared?.leave()
  } finally {
    await database.close()
  }
}

async function loadEventFeed (setup: Setup, storage: Storage): Promise<EventFeed> {
  const { buildEventFeed } = await import('./build/events.ts')
  return buildEventFeed(setup, storage)
}

/** Builds what a server needs that shares its ledger. Most do not, and load nothing for it. */
async function shareServer (
  setup: Setup,
  storage: Storage,
  simulator: Simulator
): Promise<SharedServer | undefined> {
  if (storage.servers === undefined) return undefined
  const { buildSharedServer } = await import('./build/servers.ts')
  return buildSharedServer(setup, storage, simulator)
}

/** Returns the clock of a server. With a ledger in PostgreSQL it is the clock of the database. */
async function chooseClock (config: Config, systemClock: SystemClock): Promise<SystemClock> {
  if (!isPostgresUrl(config.db) || systemClock !== machineClock) return systemClock
  const { DatabaseClock } = await import('../db/postgres/database-clock.ts')
  return new DatabaseClock(systemClock)
}

/** Lists the opening balances of all accounts that have no effect. */
async function listAllIgnoredOpenings ({ accounts, wallets }: Storage): Promise<string[]> {
  // Most configurations have no opening balances, and load nothing for them.
  const configured = accounts.all.filter(({ settings }) => settings.wallets !== undefined)
  if (configured.length === 0) return []
  const { listIgnoredOpenings } = await import('./accounts/account-state.ts')
  const notes = configured.map(async (account) =>
    listIgnoredOpenings(account, await wallets.listOpenings(account.id))
  )
  return (await Promise.all(notes)).flat()
}

async function createConfiguredFixtures (
  setup: Setup,
  storage: Storage,
  simulator: Simulator,
  shared: SharedServer | undefined
): Promise<void> {
  if (setup.config.fixtures === undefined) return
  const { createFixtures } = await import('./build/fixtures.ts')
  const isHere = async (account: Account) => (await shared?.brings(account)) ?? true
  await createFixtures(setup, storage, simulator, isHere)
}

/** Reads the state of the accounts in a ledger that no process uses. */
export async function readLedgerAccounts (
  path: string
): Promise<Array<KeptState & { openings: OpeningBalance[] }>> {
  const database = new Database(await openEngine(path))
  try {
    const uses = new SqlScenarioUses(database)
    const store = new SqlAccounts(database, { uses, dueQueue: new SqlDueQueue(database) })
    const wallets = new SqlWallets(database, new Balances(database, () => 0))
    const now = machineClock.now()
    const read = (await store.listAccounts()).map(async ({ id, name, state, unreadable }) => ({
      name,
      ...(unreadable !== undefined && { setAside: unreadable }),
      patched: state.patched ?? {},
      clock: unreadable === undefined ? (state.clock ?? runningClock()) : frozenClock(now),
      outages: new Map(Object.entries(state.outages ?? {})),
      openings: await wallets.listOpenings(id)
    }))
    return await Promise.all(read)
  } finally {
    await database.close()
  }
}

export { findLedgerProblem } from '../db/open-engine.ts'

/** Opens a ledger as a start would, and closes it. Returns the error of an unusable ledger. */
export async function tryLedger (path: string): Promise<LedgerUnusableError | undefined> {
  try {
    const engine = await openEngine(path)
    await engine.close()
  } catch (error) {
    if (error instanceof LedgerUnusableError) return error
    throw error
  }
}
