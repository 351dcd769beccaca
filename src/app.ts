import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { SqliteAccounts } from '../db/accounts.ts'
import { SqliteAgenda } from '../db/due-queue.ts'
import { Books } from '../db/balances.ts'
import { Database } from '../db/database.ts'
import { SqliteKeys } from '../db/keys.ts'
import { SqliteLedger } from '../db/ledger.ts'
import { SqliteOutbox } from '../db/outbox.ts'
import { SqliteUses } from '../db/scenario-uses.ts'
import { SqliteSessions } from '../db/page-sessions.ts'
import { SqliteStatements } from '../db/wallet-statements.ts'
import { SqliteWallets } from '../db/wallets.ts'
import { Recorder } from '../routes/http/recorder.ts'
import { badgePictures } from '../routes/pages/badges.ts'
import { Directory } from '../routes/http/route-index.ts'
import { createHttp, passOnMisses, passTo } from '../routes/http/server.ts'
import { apiRoutes } from '../routes/api.ts'
import { compiledAnswers } from '../routes/http/schemas.ts'
import { Caretaker } from './services/sandbox-cleanup.ts'
import { Clerk } from '../simulator/statement-worker.ts'
import { Courier } from '../simulator/courier.ts'
import { Mover } from '../simulator/mover.ts'
import { Postman } from '../simulator/callback-sender.ts'
import { Planner } from '../simulator/planner.ts'
import type { Repertoire } from '../simulator/scenario-library.ts'
import { Storyteller } from '../simulator/transitions.ts'
import { newTally } from '../simulator/advance-counts.ts'
import { Ticker } from '../simulator/ticker.ts'
import { Timekeeper, type CountingWorker } from '../simulator/clock-control.ts'
import { Accounts } from './accounts/registry.ts'
import { baseOf, urlOf } from './lib/url.ts'
import type { Annex, Shared } from './admin-app.ts'
import { Checkouts } from './services/checkouts.ts'
import type { Machine } from './lib/clock.ts'
import type { Config } from './config/config.ts'
import {
  configuredAccounts,
  configuredCatalogue,
  configuredClock,
  configuredKeys,
  configuredScenarios,
  configuredTimeout,
  isExposed,
  openingBalances
} from './config/configured.ts'
import type { CallbackFates } from './domain/ledger-stats.ts'
import { linkLane, paymentLane, statementLane } from './domain/ports.ts'
import { parseDuration } from './lib/duration.ts'
import { Downloads } from './security/download-links.ts'
import { Exercises } from './monitoring/coverage-tracker.ts'
import { Finances } from './services/finances.ts'
import { Followers } from './monitoring/change-listeners.ts'
import { Ids } from './lib/ids.ts'
import { Journal } from './monitoring/request-journal.ts'
import { Meters } from './monitoring/counters.ts'
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
  directory: Directory
  repertoire: Repertoire
  /** Starts the simulator: from now on payments move. */
  start: () => Promise<void>
  /** Lets happen all that is due by now, instead of waiting for the simulator to wake. */
  settle: () => Promise<void>
  /** Finishes what is in flight and closes the ledger. */
  close: () => Promise<void>
}

const wires = [v1, v2]

/** Puts all parts together. This is the only file that knows every one of them. */
export async function createApp (config: Config, machine: Machine, log: Logger): Promise<App> {
  const catalogue = configuredCatalogue(config)
  const settings = configuredAccounts(config, catalogue)
  const repertoire = await configuredScenarios(config, catalogue)
  const givenKeys = configuredKeys(config)
  const meters = new Meters()
  const database = new Database(config.db, (size) => meters.batches.observe(size))

  const followers = new Followers()
  const agenda = new SqliteAgenda(database)
  const outbox = new SqliteOutbox(database, agenda, followers)
  const accountStore = new SqliteAccounts(database)
  const accounts = await Accounts.open(
    accountStore,
    settings,
    configuredClock(config, machine),
    machine,
    followers,
    catalogue
  )
  const keys = await Keys.open(new SqliteKeys(database), givenKeys)
  const books = new Books(database.connection, openingBalances(accounts))
  const uses = new SqliteUses(database)
  const ledger = new SqliteLedger(database, agenda, books, outbox, uses, followers)

  const ids = new Ids(config.seed, isExposed(config) ? keys.secret : config.seed)
  const links: Links = { base: baseOf(config.publicUrl ?? urlOf(config.host, config.port)) }
  const planner = new Planner(
    catalogue,
    repertoire.scenarios,
    ids,
    {
      authorise: (code) => `${links.base}/authorise/${code}`,
      checkout: (code) => `${links.base}/checkout/${code}`
    },
    (account, scenario) => uses.of(account, scenario)
  )
  const storyteller = new Storyteller(accounts, { v1, v2 }, planner)
  const payments = new Payments({
    ledger,
    planner,
    storyteller,
    repertoire,
    accounts,
    machine,
    log,
    meters,
    catchUp: (account) => timekeeper.advance(account, (now) => now)
  })
  const sessions = new SqliteSessions(database, agenda)
  const checkouts = new Checkouts(ledger, planner, storyteller, accounts, machine)
  const pages = new PaymentPage(
    sessions,
    payments,
    accounts,
    catalogue,
    ids,
    machine,
    (token) => `${links.base}/pay/${token}`
  )
  const wallets = new SqliteWallets(database, books)
  const statements = new SqliteStatements(database, agenda, outbox)
  const downloads = new Downloads(ids, () => links.base)
  const finances = new Finances({
    wallets,
    statements,
    downloads,
    catalogue,
    accounts,
    ids,
    machine
  })
  const clerk = new Clerk(statements, wallets, downloads, statementCodec)
  const mover = new Mover(ledger, storyteller)
  const postman = new Postman(accounts, keys, machine, configuredTimeout(config))
  const courier = new Courier(outbox, postman, accounts, machine, log, meters)
  const work: CountingWorker = async (lane, now, tally) => {
    if (lane.lane === paymentLane) await mover.sweep(lane.account, now, tally)
    else if (lane.lane === statementLane) await clerk.work(lane.account, now)
    else if (lane.lane === linkLane) tally.expirations += await sessions.expire(lane.account, now)
    else tally.callbacks += await courier.deliver(lane, now)
  }
  const ticker = new Ticker(agenda, accounts, machine, log, (lane, now) =>
    work(lane, now, newTally())
  )
  const timekeeper = new Timekeeper(agenda, accounts, ticker, courier, machine, work)

  const journal = new Journal(config.journal)
  const exercises = new Exercises({
    ledger,
    fates: async (account) => await fatesOf(database, account),
    wires,
    machine
  })
  const recorder = new Recorder(journal, meters, exercises, accounts, machine)
  const caretaker = new Caretaker(
    accounts,
    async (...idle) => await (await annex()).steward.remove(...idle),
    machine,
    log,
    parseDuration(config.sandboxIdle) as number
  )

  const directory = new Directory()
  const pass = passTo(async () => (await annex()).http, log)
  const http = createHttp(directory, recorder, compiledAnswers, (_error, request, reply) =>
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
  passOnMisses(http, pass)
  if (log.isLevelEnabled('debug')) logRequests(http, log)
  const toolkit = { catalogue, keys, pictures: badgePictures(() => links.base) }
  const shared: Shared = {
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
    journal,
    recorder,
    exercises,
    ids,
    directory,
    keys,
    log,
    payments,
    machine,
    version,
    links,
    token: config.token,
    adminToken: config.adminToken,
    repertoire,
    uses,
    catalogue,
    mover,
    timekeeper,
    toolkit,
    finances,
    checkouts,
    pages
  }
  let opening: Promise<Annex> | undefined
  const annex = (): Promise<Annex> =>
    (opening ??= import('./admin-app.ts').then(({ openAnnex }) => openAnnex(shared)))
  apiRoutes(http, shared)
  await http.ready()

  return {
    http,
    links,
    directory,
    repertoire,
    start: async () => {
      await outbox.recover()
      await ticker.start()
      caretaker.start()
    },
    settle: async () => {
      await caretaker.tidy()
      await ticker.settle()
    },
    close: async () => {
      await http.close()
      await caretaker.stop()
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
async function fatesOf (database: Database, account: number): ReturnType<CallbackFates> {
  const { SqliteFates } = await import('../db/ledger-stats.ts')
  return await new SqliteFates(database).of(account)
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
