import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { SqliteAccounts } from '../db/accounts.ts'
import { SqliteAgenda } from '../db/agenda.ts'
import { Books } from '../db/books.ts'
import { Database } from '../db/database.ts'
import { SqliteKeys } from '../db/keys.ts'
import { SqliteLedger } from '../db/ledger.ts'
import { SqliteOutbox } from '../db/outbox.ts'
import { SqliteStatements } from '../db/statements.ts'
import { SqliteWallets } from '../db/wallets.ts'
import { badgePictures, badgeRoutes } from '../routes/badges.ts'
import { readBodies } from '../routes/body.ts'
import '../routes/context.ts'
import { Directory } from '../routes/directory.ts'
import { financeRoutes } from '../routes/finances.ts'
import { guard, missing, unroutable } from '../routes/generation.ts'
import { healthRoutes } from '../routes/health.ts'
import { paymentRoutes } from '../routes/payments.ts'
import { schemaController } from '../routes/schemas.ts'
import { toolkitRoutes } from '../routes/toolkit.ts'
import { Clerk } from '../simulator/clerk.ts'
import { Courier } from '../simulator/courier.ts'
import { Mover } from '../simulator/mover.ts'
import { Planner } from '../simulator/planner.ts'
import { splitter } from '../simulator/splits.ts'
import { Storyteller } from '../simulator/story.ts'
import { Ticker } from '../simulator/ticker.ts'
import { Accounts } from './accounts.ts'
import type { Machine } from './clock.ts'
import type { Config } from './config.ts'
import { configuredAccounts, configuredCatalogue, configuredClock, configuredKeys, openingBalances } from './configured.ts'
import { paymentLane, statementLane } from './domain/ports.ts'
import { Downloads } from './downloads.ts'
import { Finances } from './finances.ts'
import { Ids } from './ids.ts'
import { Payments } from './payments.ts'
import { Keys } from './security/keys.ts'
import { version } from './version.ts'
import { v1 } from './wire/v1.ts'
import { statements as statementCodec } from './wire/v2-finances.ts'
import { v2 } from './wire/v2.ts'

/** What the addresses that the server gives out begin with; set once it is known where it listens. */
export interface Links {
  base: string
}

/** A server whose parts are put together and that has not begun to listen. */
export interface App {
  http: FastifyInstance
  links: Links
  directory: Directory
  /** Starts the simulator: from now on payments move. */
  start: () => Promise<void>
  /** Finishes what is in flight and closes the ledger. */
  close: () => Promise<void>
}

/** Puts all parts together. This is the only file that knows every one of them. */
export async function createApp (config: Config, machine: Machine, log: Logger): Promise<App> {
  const catalogue = configuredCatalogue(config)
  const settings = configuredAccounts(config)
  const givenKeys = configuredKeys(config)
  const database = new Database(config.db)

  const agenda = new SqliteAgenda(database)
  const outbox = new SqliteOutbox(database, agenda)
  const accounts = await Accounts.open(new SqliteAccounts(database), settings, configuredClock(config, machine))
  const keys = await Keys.open(new SqliteKeys(database), givenKeys)
  const books = new Books(database.connection, openingBalances(accounts))
  const ledger = new SqliteLedger(database, agenda, books, outbox)

  const ids = new Ids(config.seed)
  const links: Links = { base: `http://${config.host}:${config.port}` }
  const planner = new Planner(catalogue, ids, (account, depositId) => `${links.base}/authorise/${ids.secret('authorise', account.name, depositId)}`)
  const storyteller = new Storyteller(accounts, { v1, v2 }, splitter((split, now) => planner.payouts(accounts.byId(split.account), split, now)))
  const payments = new Payments(ledger, planner, storyteller, machine)
  const wallets = new SqliteWallets(database, books)
  const statements = new SqliteStatements(database, agenda, outbox)
  const downloads = new Downloads(ids, () => links.base)
  const finances = new Finances({ wallets, statements, downloads, catalogue, accounts, ids, machine })
  const clerk = new Clerk(statements, wallets, downloads, statementCodec)
  const mover = new Mover(ledger, storyteller)
  const courier = new Courier(outbox, accounts, machine, log)
  const ticker = new Ticker(agenda, accounts, machine, log, async (lane, now) => {
    if (lane.lane === paymentLane) await mover.sweep(lane.account, now)
    else if (lane.lane === statementLane) await clerk.work(lane.account, now)
    else await courier.deliver(lane, now)
  })

  const directory = new Directory()
  const http = buildHttp(directory, ids)
  healthRoutes(http, version, machine)
  badgeRoutes(http, catalogue)
  const toolkit = { catalogue, keys, pictures: badgePictures(() => links.base) }
  for (const wire of [v1, v2]) {
    const parts = { wire, accounts, ids, directory, log }
    // The earlier generation has no prefix: whatever nobody else answers is a mistake in its words.
    if (wire.prefix === '') missing(http, parts)
    http.register(async (app) => {
      guard(app, parts)
      if (wire.prefix !== '') missing(app, parts)
      paymentRoutes(app, wire, payments, ids)
      toolkitRoutes(app, wire, toolkit)
      financeRoutes(app, wire, finances)
    }, { prefix: wire.prefix })
  }
  await http.ready()

  return {
    http,
    links,
    directory,
    start: async () => {
      await outbox.recover()
      await ticker.start()
    },
    close: async () => {
      await http.close()
      await Promise.all([ticker.stop(), courier.close()])
      database.close()
    }
  }
}

function buildHttp (directory: Directory, ids: Ids): FastifyInstance {
  const http = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: 16 * 1024 },
    schemaController,
    frameworkErrors: unroutable([v1, v2], ids)
  })
  http.decorateRequest('caller')
  http.decorateRequest('refusal')
  readBodies(http)
  directory.watch(http)
  return http
}
