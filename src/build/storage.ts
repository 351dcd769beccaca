import type { Logger } from 'pino'
import { SqlAccounts } from '../../db/accounts.ts'
import { Balances } from '../../db/balances.ts'
import { Database } from '../../db/database.ts'
import type { Engine } from '../../db/connection.ts'
import { LedgerCleaner } from '../../db/ledger-cleaner.ts'
import { LedgerNumbers } from '../../db/ledger-numbers.ts'
import { openEngine } from '../../db/open-engine.ts'
import { SqlDueQueue } from '../../db/due-queue.ts'
import { SqlKeys } from '../../db/keys.ts'
import { SqlLedger } from '../../db/ledger.ts'
import { SqlOutbox } from '../../db/outbox.ts'
import type { StorageFaults } from '../../db/storage-faults.ts'
import { SqlPageSessions } from '../../db/page-sessions.ts'
import { SqlScenarioUses } from '../../db/scenario-uses.ts'
import { SqlSetAside } from '../../db/set-aside.ts'
import { SqlWalletStatements } from '../../db/wallet-statements.ts'
import { SqlWallets } from '../../db/wallets.ts'
import type { PostgresEngine } from '../../db/postgres/engine.ts'
import type { JoinedServers } from './servers.ts'
import { nameForLog } from '../accounts/sandbox-tokens.ts'
import { Accounts } from '../accounts/registry.ts'
import { buildClock, buildOpeningBalances } from '../config/configured.ts'
import type { SystemClock } from '../lib/clock.ts'
import { isPostgresUrl } from '../lib/url.ts'
import type { Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { LedgerUnusableError } from '../ports/ledger-error.ts'
import type { KeyRecord } from '../ports/stores.ts'
import { ChangeListeners } from '../monitoring/change-listeners.ts'
import { Keys } from '../security/keys.ts'
import type { Setup } from './setup.ts'

/** Time without faults after which the ledger can be used again. */
const calmMs = 1000

/** Ledger file and everything that is kept in it. */
export interface Storage {
  database: Database
  changeListeners: ChangeListeners
  accountStore: SqlAccounts
  accounts: Accounts
  keys: Keys
  ledger: SqlLedger
  dueQueue: SqlDueQueue
  outbox: SqlOutbox
  setAside: SqlSetAside
  scenarioUses: SqlScenarioUses
  pageSessions: SqlPageSessions
  wallets: SqlWallets
  statements: SqlWalletStatements
  /** The servers of the ledger, if there can be several. */
  servers: JoinedServers | undefined
  /** Gives up what a server that is gone has begun on a whole account. */
  endCopies: (account: number) => Promise<void>
}

/** Opens the ledger. Throws a LedgerUnusable if it cannot be used. */
export async function buildStorage (
  setup: Setup,
  settings: [AccountSettings, ...AccountSettings[]],
  configuredKeys: KeyRecord[]
): Promise<Storage> {
  const engine = await openEngine(setup.config.db)
  const database = prepareDatabase(setup, engine)
  return await orClose(database, async () => {
    const servers = await joinServers(database, engine, setup.systemClock)
    return await buildStores(database, setup, settings, configuredKeys, servers)
  })
}

/** Joins the servers of a ledger in PostgreSQL. Most servers load nothing for it. */
async function joinServers (
  database: Database,
  engine: Engine,
  systemClock: SystemClock
): Promise<JoinedServers | undefined> {
  if (!('beginSession' in engine)) return undefined
  const { join } = await import('./servers.ts')
  return await join(database, engine as PostgresEngine, systemClock)
}

/** Builds parts that use a database, or closes it: a start that fails leaves no ledger open. */
export async function orClose<T> (database: Database, build: () => Promise<T>): Promise<T> {
  try {
    return await build()
  } catch (error) {
    await database.close()
    throw error
  }
}

async function buildStores (
  database: Database,
  setup: Setup,
  settings: [AccountSettings, ...AccountSettings[]],
  configuredKeys: KeyRecord[],
  servers: Storage['servers']
): Promise<Storage> {
  const { config, systemClock, log, catalogue, observation } = setup
  const changeListeners = new ChangeListeners()
  const dueQueue = new SqlDueQueue(database)
  const clock = buildClock(config, systemClock)
  const outbox = new SqlOutbox(database, dueQueue, changeListeners)
  const scenarioUses = new SqlScenarioUses(database)
  const isShared = isPostgresUrl(config.db)
  const accountStore = new SqlAccounts(database, {
    uses: scenarioUses,
    dueQueue,
    // Wherever the account is, its clock began at this time.
    firstState: () => (isShared && config.clock === 'frozen' ? { clock: clock() } : {})
  })
  const accounts = await Accounts.open(
    {
      store: accountStore,
      clock,
      systemClock,
      sandboxLimit: config.sandboxLimit,
      notifier: changeListeners,
      reportSetAside: (account, reason) => reportSetAside(log, account, reason),
      catalogue,
      isShared
    },
    settings
  )
  const ledgerNumbers = new LedgerNumbers(database)
  const cleaner = new LedgerCleaner(database)
  if (!isShared) await ledgerNumbers.endCopies()
  cleaner.wake()
  const keys = await Keys.open(new SqlKeys(database), configuredKeys)
  const balances = new Balances(database, buildOpeningBalances(accounts))
  const setAside = new SqlSetAside(database, dueQueue)
  return {
    database,
    changeListeners,
    accountStore,
    accounts,
    keys,
    ledger: new SqlLedger(database, {
      dueQueue,
      balances,
      outbox,
      uses: scenarioUses,
      setAside,
      changes: changeListeners,
      observation
    }),
    dueQueue,
    outbox,
    setAside,
    scenarioUses,
    pageSessions: new SqlPageSessions(database, dueQueue),
    wallets: new SqlWallets(database, balances),
    statements: new SqlWalletStatements(database, dueQueue, outbox),
    servers,
    endCopies: (account) => ledgerNumbers.endCopies(account)
  }
}

function reportSetAside (log: Logger, account: Account, reason: string): void {
  log.error(
    `account '${nameForLog(account)}' is set aside, because what the ledger has of it cannot be ` +
      `used: ${reason}; the other accounts go on; POST /__admin/reset with its token empties it, ` +
      'DELETE /__admin/accounts/NAME deletes it'
  )
}

function prepareDatabase ({ log, stop }: Setup, engine: Engine): Database {
  const database = new Database(engine)
  database.faults.listener = logFaults(log, database)
  // The signal may have come while the ledger was opened.
  database.isStopping = stop?.aborted === true
  stop?.addEventListener('abort', () => {
    database.isStopping = true
  })
  return database
}

/**
 * Returns a function that logs faults of the ledger: the first of a series, those that need another
 * advice than the last one, and the end of the series. With a full disk, for example, reads still
 * work in between.
 */
function logFaults (log: Logger, database: Database): StorageFaults['listener'] {
  let reported: LedgerUnusableError | undefined
  let calm: NodeJS.Timeout | undefined
  const waitForCalm = (): void => {
    const timer = setTimeout(() => {
      // A transaction that is under way may fail, too.
      database.afterTransaction(() => {
        if (timer !== calm) return
        reported = undefined
        log.info('the ledger can be used again')
      })
    }, calmMs).unref()
    calm = timer
  }
  return (fault) => {
    clearTimeout(calm)
    calm = undefined
    if (fault === undefined) return waitForCalm()
    if (reported === undefined || reported.fix !== fault.fix) {
      log.error(`${fault.message}; requests are refused until it can be used again`)
    }
    reported = fault
  }
}
