import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { SqliteAccounts } from '../db/accounts.ts'
import { SqliteDueQueue } from '../db/due-queue.ts'
import { Balances } from '../db/balances.ts'
import { Database } from '../db/database.ts'
import { SqliteKeys } from '../db/keys.ts'
import { SqliteLedger } from '../db/ledger.ts'
import { SqliteSetAside } from '../db/set-aside.ts'
import { SqliteOutbox } from '../db/outbox.ts'
import { SqliteScenarioUses } from '../db/scenario-uses.ts'
import { SqlitePageSessions } from '../db/page-sessions.ts'
import { SqliteWalletStatements } from '../db/wallet-statements.ts'
import { SqliteWallets } from '../db/wallets.ts'
import { Recorder } from '../routes/http/recorder.ts'
import { badgePictures } from '../routes/pages/badges.ts'
import { RouteIndex } from '../routes/http/route-index.ts'
import { createServer, forwardUnknownRoutes, forwardTo } from '../routes/http/server.ts'
import { apiRoutes } from '../routes/api.ts'
import { compiledSerialiser } from '../routes/http/schemas.ts'
import { SandboxCleanup } from './services/sandbox-cleanup.ts'
import { StatementWorker } from '../simulator/statement-worker.ts'
import { Courier } from '../simulator/courier.ts'
import { Mover } from '../simulator/mover.ts'
import { CallbackSender } from '../simulator/callback-sender.ts'
import type { PlanningContext } from '../simulator/drafts.ts'
import type { ScenarioLibrary } from '../simulator/scenario-library.ts'
import { Transitions } from '../simulator/transitions.ts'
import { newAdvanceCounts } from '../simulator/advance-counts.ts'
import { Ticker } from '../simulator/ticker.ts'
import { ClockControl, type CountingWorker } from '../simulator/clock-control.ts'
import { Accounts } from './accounts/registry.ts'
import { baseOf, urlOf } from './lib/url.ts'
import type { AdminApp, SharedParts } from './admin-app.ts'
import { Checkouts } from './services/checkouts.ts'
import type { SystemClock } from './lib/clock.ts'
import type { Config } from './config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  buildClock,
  readKeys,
  loadConfiguredScenarios,
  readTimeout,
  isExposed,
  buildOpeningBalances
} from './config/configured.ts'
import type { CallbackOutcomes } from './domain/ledger-stats.ts'
import { linkQueue, paymentQueue, statementQueue } from './domain/due-queue.ts'
import { parseDuration } from './lib/duration.ts'
import { DownloadLinks } from './security/download-links.ts'
import { CoverageTracker } from './monitoring/coverage-tracker.ts'
import { Finances } from './services/finances.ts'
import { ChangeListeners } from './monitoring/change-listeners.ts'
import { Ids } from './lib/ids.ts'
import { Journal } from './monitoring/request-journal.ts'
import { Counters } from './monitoring/counters.ts'
import { PaymentPage } from './services/payment-page.ts'
import { Payments } from './services/payments.ts'
import { Keys } from './security/keys.ts'
import { version } from './lib/version.ts'
import { v1 } from './wire/v1/wire.ts'
import { statements as statementCodec } from './wire/v2/finances.ts'
import { v2 } from './wire/v2/wire.ts'

/**
 * What the addresses that the server gives out begin with; set once it is known where it listens.
 */
export interface Links {
  base: string
}

/** A server whose parts are put together and that has not begun to listen. */
export interface App {
  http: FastifyInstance
  links: Links
  routeIndex: RouteIndex
  scenarioLibrary: ScenarioLibrary
  /** Starts the simulator: from now on payments move. */
  start: () => Promise<void>
  /** Lets happen all that is due by now, instead of waiting for the simulator to wake. */
  settle: () => Promise<void>
  /** Finishes what is in flight and closes the ledger. */
  close: () => Promise<void>
}

const wires = [v1, v2]

/** Puts all parts together. This is the only file that knows every one of them. */
export async function createApp (
  config: Config,
  systemClock: SystemClock,
  log: Logger
): Promise<App> {
  const catalogue = buildConfiguredCatalogue(config)
  const settings = buildAccounts(config, catalogue)
  const scenarioLibrary = await loadConfiguredScenarios(config, catalogue)
  const givenKeys = readKeys(config)
  const counters = new Counters()
  const database = new Database(config.db, (size) => counters.batches.observe(size))

  const changeListeners = new ChangeListeners()
  const dueQueue = new SqliteDueQueue(database)
  const outbox = new SqliteOutbox(database, dueQueue, changeListeners)
  const uses = new SqliteScenarioUses(database)
  const accountStore = new SqliteAccounts(database, uses)
  const accounts = await Accounts.open(
    {
      store: accountStore,
      clock: buildClock(config, systemClock),
      systemClock,
      notifier: changeListeners,
      catalogue
    },
    settings
  )
  const keys = await Keys.open(new SqliteKeys(database), givenKeys)
  const balances = new Balances(database.connection, buildOpeningBalances(accounts))
  const setAside = new SqliteSetAside(database, dueQueue)
  const ledger = new SqliteLedger(database, {
    dueQueue,
    balances,
    outbox,
    uses,
    setAside,
    changes: changeListeners
  })

  const ids = new Ids(config.seed, isExposed(config) ? keys.secret : config.seed)
  const links: Links = { base: baseOf(config.publicUrl ?? urlOf(config.host, config.port)) }
  const context: PlanningContext = {
    catalogue,
    scenarios: scenarioLibrary.scenarios,
    ids,
    versions: { v1, v2 },
    links: {
      authorise: (code) => `${links.base}/authorise/${code}`,
      checkout: (code) => `${links.base}/checkout/${code}`
    },
    used: (account, scenario) => uses.readUses(account, scenario)
  }
  const transitions = new Transitions(accounts, { v1, v2 }, context)
  const payments = new Payments({
    ledger,
    context,
    transitions,
    scenarioLibrary,
    accounts,
    systemClock,
    log,
    counters,
    catchUp: (account) => clockControl.catchUp(account)
  })
  const sessions = new SqlitePageSessions(database, dueQueue)
  const checkouts = new Checkouts(ledger, context, transitions, accounts, systemClock)
  const pages = new PaymentPage(
    sessions,
    payments,
    accounts,
    catalogue,
    { v1, v2 },
    ids,
    systemClock,
    (token) => `${links.base}/pay/${token}`
  )
  const wallets = new SqliteWallets(database, balances)
  const statements = new SqliteWalletStatements(database, dueQueue, outbox)
  const downloads = new DownloadLinks(ids, () => links.base)
  const finances = new Finances({
    wallets,
    statements,
    downloads,
    catalogue,
    accounts,
    ids,
    systemClock
  })
  const statementWorker = new StatementWorker(statements, wallets, downloads, statementCodec)
  const mover = new Mover({ ledger, transitions, accounts, counters, log })
  const callbackSender = new CallbackSender(accounts, keys, systemClock, readTimeout(config))
  const courier = new Courier(outbox, callbackSender, accounts, systemClock, log, counters)
  const work: CountingWorker = async (queue, now, counts) => {
    if (queue.queue === paymentQueue) await mover.moveDuePayments(queue.account, now, counts)
    else if (queue.queue === statementQueue) {
      await statementWorker.makeDueStatements(queue.account, now)
    } else if (queue.queue === linkQueue) {
      counts.expirations += await sessions.expireLinks(queue.account, now)
    } else counts.callbacks += await courier.sendDueCallbacks(queue, now)
  }
  const ticker = new Ticker(dueQueue, accounts, systemClock, log, (queue, now) =>
    work(queue, now, newAdvanceCounts())
  )
  const clockControl = new ClockControl({
    dueQueue,
    accounts,
    ticker,
    courier,
    systemClock,
    work
  })

  const journal = new Journal(config.journal)
  const coverageTracker = new CoverageTracker({
    ledger,
    callbackOutcomes: async (account) => await readCallbackOutcomes(database, account),
    wires,
    systemClock
  })
  const recorder = new Recorder(journal, counters, coverageTracker, accounts, systemClock)
  const sandboxCleanup = new SandboxCleanup(
    accounts,
    async (...idle) => await (await adminApp()).accountLifecycle.removeAccount(...idle),
    systemClock,
    log,
    parseDuration(config.sandboxIdle) as number
  )

  const routeIndex = new RouteIndex()
  const pass = forwardTo(async () => (await adminApp()).http, log)
  const http = createServer(routeIndex, recorder, compiledSerialiser, (_error, request, reply) =>
    pass(request, reply)
  )
  http.addHook(
    'preClose',
    async () =>
      await opening?.then(
        (open) => open.close(),
        () => {}
      )
  )
  forwardUnknownRoutes(http, pass)
  if (log.isLevelEnabled('debug')) logRequests(http, log)
  const toolkit = { catalogue, keys, pictures: badgePictures(() => links.base) }
  const shared: SharedParts = {
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
    journal,
    recorder,
    coverageTracker,
    ids,
    routeIndex,
    keys,
    log,
    payments,
    systemClock,
    version,
    links,
    token: config.token,
    adminToken: config.adminToken,
    scenarioLibrary,
    uses,
    catalogue,
    mover,
    clockControl,
    toolkit,
    finances,
    checkouts,
    pages
  }
  let opening: Promise<AdminApp> | undefined
  const adminApp = (): Promise<AdminApp> =>
    (opening ??= import('./admin-app.ts').then(({ openAdminApp: openAnnex }) => openAnnex(shared)))
  apiRoutes(http, shared)
  await http.ready()

  return {
    http,
    links,
    routeIndex,
    scenarioLibrary,
    start: async () => {
      await outbox.requeueLostCallbacks()
      await ticker.start()
      sandboxCleanup.start()
    },
    settle: async () => {
      await sandboxCleanup.removeIdle()
      await ticker.runDueWork()
    },
    close: async () => {
      await http.close()
      await sandboxCleanup.stop()
      await Promise.all([ticker.stop(), courier.close()])
      database.close()
    }
  }
}

/** Opens a ledger as a start would, and closes it. Throws a LedgerUnusable if it cannot be used. */
export function tryLedger (path: string): void {
  new Database(path).close()
}

/** What has become of the callbacks of an account; looked up by who wants to know its coverage. */
async function readCallbackOutcomes (
  database: Database,
  account: number
): ReturnType<CallbackOutcomes> {
  const { SqliteCallbackOutcomes } = await import('../db/ledger-stats.ts')
  return await new SqliteCallbackOutcomes(database).listOutcomes(account)
}

/**
 * A line per request, for who asked for it: it costs a third of the throughput. Headers, and with
 * them tokens, stay out.
 */
function logRequests (http: FastifyInstance, log: Logger): void {
  http.addHook('onResponse', async ({ method, url }, { statusCode, elapsedTime }) => {
    log.debug(
      { method, url, status: statusCode, durationMs: Math.round(elapsedTime * 10) / 10 },
      'request'
    )
  })
}
