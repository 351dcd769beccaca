import type { Logger } from 'pino'
import { SqlAccounts } from '../../db/accounts.ts'
import type { AccountWorkParts } from '../../db/account-work.ts'
import { Balances } from '../../db/balances.ts'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { SqlDueQueue } from '../../db/due-queue.ts'
import { SqlKeys } from '../../db/keys.ts'
import { SqlLedger } from '../../db/ledger.ts'
import { SqlOutbox } from '../../db/outbox.ts'
import type { StorageFaults } from '../../db/storage-faults.ts'
import type { Clocks, SharedLedger } from '../../db/postgres/share-ledger.ts'
import { SqlPageSessions } from '../../db/page-sessions.ts'
import { SqlScenarioUses } from '../../db/scenario-uses.ts'
import { SqlSetAside } from '../../db/set-aside.ts'
import { SqlWalletStatements } from '../../db/wallet-statements.ts'
import { SqlWallets } from '../../db/wallets.ts'
import { nameForLog } from '../accounts/sandbox-tokens.ts'
import { Accounts } from '../accounts/registry.ts'
import { buildClock, buildOpeningBalances } from '../config/configured.ts'
import { isShared } from '../config/servers.ts'
import type { Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { QueueLeases } from '../domain/due-queue.ts'
import type { LedgerUnusableError } from '../domain/ledger-error.ts'
import type { KeyRecord } from '../domain/stores.ts'
import type { Clock } from '../lib/clock.ts'
import type { ErrorCounter } from '../lib/ids.ts'
import { ChangeListeners } from '../monitoring/change-listeners.ts'
import type { PeerAddress } from '../peers/peer-listener.ts'
import type { Peers } from '../peers/peers.ts'
import { version } from '../lib/package.ts'
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
  /** Leases of queues, if several servers share the ledger. */
  leases: QueueLeases | undefined
  /** Counts of failed requests, if several servers share the ledger. */
  errorCounter: ErrorCounter | undefined
  /** The other servers, if several share the ledger. */
  peers: Peers | undefined
  /** Finishes the work on a whole account that a dead server has begun. */
  finishAccountWork: (account: number) => Promise<void>
}

/** Opens the ledger. Throws a LedgerUnusable if it cannot be used. */
export async function buildStorage (
  setup: Setup,
  settings: [AccountSettings, ...AccountSettings[]],
  configuredKeys: KeyRecord[]
): Promise<Storage> {
  const database = await openDatabase(setup)
  return await orClose(database, () => buildStores(database, setup, settings, configuredKeys))
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
  configuredKeys: KeyRecord[]
): Promise<Storage> {
  const { config, systemClock, log, catalogue, observation } = setup
  const changeListeners = new ChangeListeners((call) => database.afterTransaction(call))
  const dueQueue = new SqlDueQueue(database)
  const clock = buildClock(config, systemClock)
  const firstClock = (): Clock | undefined => (config.clock === 'frozen' ? clock() : undefined)
  const shared = isShared(config)
    ? await openSharing(database, { systemClock, firstClock }, config, log)
    : undefined
  const outbox = new SqlOutbox(database, dueQueue, changeListeners, shared?.outboxSql)
  const scenarioUses = new SqlScenarioUses(database)
  const accountParts = { uses: scenarioUses, dueQueue }
  const accountStore =
    shared === undefined
      ? new SqlAccounts(database, accountParts)
      : shared.openAccounts(accountParts)
  const workParts = { database, accounts: accountStore, outbox }
  await finishBegunWork(workParts)
  const accounts = await Accounts.open(
    {
      store: accountStore,
      clock,
      systemClock,
      sandboxLimit: config.sandboxLimit,
      notifier: changeListeners,
      reportSetAside: (account, reason) => reportSetAside(log, account, reason),
      catalogue
    },
    settings
  )
  const keys = await Keys.open(new SqlKeys(database), configuredKeys)
  shared?.listenForKeys((records) => keys.adoptKeys(records))
  const balances = new Balances(database.connection, buildOpeningBalances(accounts))
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
    leases: shared?.leases,
    errorCounter: shared?.errorCounter,
    peers: shared?.peers,
    finishAccountWork: async (account) => {
      const { AccountWork } = await import('../../db/account-work.ts')
      await new AccountWork(workParts).lockAndFinish(account)
    }
  }
}

function reportSetAside (log: Logger, account: Account, reason: string): void {
  log.error(
    `account '${nameForLog(account)}' is set aside, because what the ledger has of it cannot be ` +
      `used: ${reason}; the other accounts go on; POST /__admin/reset with its token empties it, ` +
      'DELETE /__admin/accounts/NAME deletes it'
  )
}

async function openDatabase ({ config, log, stop }: Setup): Promise<Database> {
  const warn = (message: string): void => log.warn(message)
  const engine = await openEngine(config.db, isShared(config), warn)
  const database = new Database(engine)
  database.faults.listener = logFaults(log, database)
  database.faults.reportWork = (error, account) =>
    log.error({ err: error, account }, 'work on an account failed; it is tried again every second')
  database.faults.reportRestore = (error, account) =>
    log.error({ err: error, account }, 'a snapshot cannot be restored; its account is emptied')
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

/** Opens the parts of a ledger that several servers share. */
async function openSharing (
  database: Database,
  clocks: Clocks,
  address: PeerAddress,
  log: Logger
): Promise<SharedLedger & { peers: Peers }> {
  const { shareLedger } = await import('../../db/postgres/share-ledger.ts')
  const { PostgresServers } = await import('../../db/postgres/servers.ts')
  const { Peers } = await import('../peers/peers.ts')
  const shared = await shareLedger(database, clocks)
  const servers = await PostgresServers.open(database, shared.leases.owner, version)
  try {
    return { ...shared, peers: await Peers.join({ servers, log }, address) }
  } catch (error) {
    // It is not one of the servers, so nobody has to wait for it.
    await shared.leases.leave()
    throw error
  }
}

/** Finishes work on whole accounts that a crash has interrupted. Most starts find none. */
async function finishBegunWork (parts: AccountWorkParts): Promise<void> {
  const { database } = parts
  const unfinished = await database.read(undefined, () =>
    database.connection.prepare('SELECT 1 FROM unfinished_work').get()
  )
  if (unfinished === undefined) return
  const { AccountWork } = await import('../../db/account-work.ts')
  await new AccountWork(parts).finishAll()
}
