import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { SqliteAccounts } from '../db/accounts.ts'
import { SqliteAgenda } from '../db/agenda.ts'
import { Books } from '../db/books.ts'
import { Database } from '../db/database.ts'
import { SqliteLedger } from '../db/ledger.ts'
import { SqliteOutbox } from '../db/outbox.ts'
import { SqliteSessions } from '../db/sessions.ts'
import { readBodies } from '../routes/body.ts'
import { checkoutPage, expireRoute } from '../routes/checkouts.ts'
import '../routes/context.ts'
import { Directory } from '../routes/directory.ts'
import { guard, missing, unroutable } from '../routes/generation.ts'
import { healthRoutes } from '../routes/health.ts'
import { paymentPage, sessionRoute } from '../routes/payment-page.ts'
import { paymentRoutes } from '../routes/payments.ts'
import { schemaController } from '../routes/schemas.ts'
import { Courier } from '../simulator/courier.ts'
import { Mover } from '../simulator/mover.ts'
import { Planner } from '../simulator/planner.ts'
import { splitter } from '../simulator/splits.ts'
import { Storyteller } from '../simulator/story.ts'
import { Ticker } from '../simulator/ticker.ts'
import { Accounts } from './accounts.ts'
import { Checkouts } from './checkouts.ts'
import type { Machine } from './clock.ts'
import type { Config } from './config.ts'
import { configuredAccounts, configuredCatalogue, configuredClock, openingBalances } from './configured.ts'
import { paymentLane } from './domain/ports.ts'
import { Ids } from './ids.ts'
import { PaymentPage } from './payment-page.ts'
import { Payments } from './payments.ts'
import { version } from './version.ts'
import { v1 } from './wire/v1.ts'
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
  /** Lets happen all that is due by now, instead of waiting for the simulator to wake. */
  settle: () => Promise<void>
  /** Finishes what is in flight and closes the ledger. */
  close: () => Promise<void>
}

/** Puts all parts together. This is the only file that knows every one of them. */
export async function createApp (config: Config, machine: Machine, log: Logger): Promise<App> {
  const catalogue = configuredCatalogue(config)
  const settings = configuredAccounts(config)
  const database = new Database(config.db)

  const agenda = new SqliteAgenda(database)
  const outbox = new SqliteOutbox(database, agenda)
  const accounts = await Accounts.open(new SqliteAccounts(database), settings, configuredClock(config, machine))
  const books = new Books(database.connection, openingBalances(accounts))
  const ledger = new SqliteLedger(database, agenda, books, outbox)

  const ids = new Ids(config.seed)
  const links: Links = { base: `http://${config.host}:${config.port}` }
  const planner = new Planner(catalogue, ids, {
    authorise: (account, depositId) => `${links.base}/authorise/${ids.secret('authorise', account.name, depositId)}`,
    checkout: (code) => `${links.base}/checkout/${code}`
  })
  const storyteller = new Storyteller(accounts, { v1, v2 }, splitter((split, now) => planner.payouts(accounts.byId(split.account), split, now)))
  const payments = new Payments(ledger, planner, storyteller, machine)
  const checkouts = new Checkouts(ledger, planner, storyteller, accounts, machine)
  const pages = new PaymentPage(new SqliteSessions(database), payments, accounts, catalogue, ids, machine, (token) => `${links.base}/pay/${token}`)
  const mover = new Mover(ledger, storyteller)
  const courier = new Courier(outbox, accounts, machine, log)
  const ticker = new Ticker(agenda, accounts, machine, log, async (lane, now) => {
    if (lane.lane === paymentLane) await mover.sweep(lane.account, now)
    else await courier.deliver(lane, now)
  })

  const directory = new Directory()
  const http = buildHttp(directory, ids)
  healthRoutes(http, version, machine)
  for (const wire of [v1, v2]) {
    const parts = { wire, accounts, ids, directory, log }
    // The earlier generation has no prefix: whatever nobody else answers is a mistake in its words.
    if (wire.prefix === '') missing(http, parts)
    http.register(async (app) => {
      guard(app, parts)
      if (wire.prefix !== '') missing(app, parts)
      paymentRoutes(app, wire, payments, ids)
      expireRoute(app, wire, checkouts, ids)
      sessionRoute(app, wire, pages, ids)
    }, { prefix: wire.prefix })
  }
  http.register(async (app) => checkoutPage(app, checkouts, catalogue, log))
  http.register(async (app) => paymentPage(app, pages, catalogue, log))
  await http.ready()

  return {
    http,
    links,
    directory,
    start: async () => {
      await outbox.recover()
      await ticker.start()
    },
    settle: () => ticker.settle(),
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
