import { SqliteAccounts } from '../../db/accounts.ts'
import { Balances } from '../../db/balances.ts'
import { Database } from '../../db/database.ts'
import { SqliteDueQueue } from '../../db/due-queue.ts'
import { SqliteKeys } from '../../db/keys.ts'
import { SqliteLedger } from '../../db/ledger.ts'
import { SqliteOutbox } from '../../db/outbox.ts'
import { SqlitePageSessions } from '../../db/page-sessions.ts'
import { SqliteScenarioUses } from '../../db/scenario-uses.ts'
import { SqliteSetAside } from '../../db/set-aside.ts'
import { SqliteWalletStatements } from '../../db/wallet-statements.ts'
import { SqliteWallets } from '../../db/wallets.ts'
import { Accounts } from '../accounts/registry.ts'
import { buildClock, buildOpeningBalances } from '../config/configured.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { KeyRecord } from '../domain/stores.ts'
import { ChangeListeners } from '../monitoring/change-listeners.ts'
import { Keys } from '../security/keys.ts'
import type { Setup } from './setup.ts'

/** Ledger file and everything that is kept in it. */
export interface Storage {
  database: Database
  changeListeners: ChangeListeners
  accountStore: SqliteAccounts
  accounts: Accounts
  keys: Keys
  ledger: SqliteLedger
  dueQueue: SqliteDueQueue
  outbox: SqliteOutbox
  setAside: SqliteSetAside
  scenarioUses: SqliteScenarioUses
  pageSessions: SqlitePageSessions
  wallets: SqliteWallets
  statements: SqliteWalletStatements
}

/** Opens the ledger. Throws a LedgerUnusable if it cannot be used. */
export async function buildStorage (
  { config, systemClock, catalogue, counters, observation }: Setup,
  settings: [AccountSettings, ...AccountSettings[]],
  configuredKeys: KeyRecord[]
): Promise<Storage> {
  const { batches } = counters
  const database = new Database(config.db, batches.observe.bind(batches))
  const changeListeners = new ChangeListeners()
  const dueQueue = new SqliteDueQueue(database)
  const outbox = new SqliteOutbox(database, dueQueue, changeListeners)
  const scenarioUses = new SqliteScenarioUses(database)
  const accountStore = new SqliteAccounts(database, scenarioUses, dueQueue)
  await finishAccountWork(database, accountStore, outbox)
  const accounts = await Accounts.open(
    {
      store: accountStore,
      clock: buildClock(config, systemClock),
      systemClock,
      sandboxLimit: config.sandboxLimit,
      notifier: changeListeners,
      catalogue
    },
    settings
  )
  const keys = await Keys.open(new SqliteKeys(database), configuredKeys)
  const balances = new Balances(database.connection, buildOpeningBalances(accounts))
  const setAside = new SqliteSetAside(database, dueQueue)
  return {
    database,
    changeListeners,
    accountStore,
    accounts,
    keys,
    ledger: new SqliteLedger(database, {
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
    pageSessions: new SqlitePageSessions(database, dueQueue),
    wallets: new SqliteWallets(database, balances),
    statements: new SqliteWalletStatements(database, dueQueue, outbox)
  }
}

/** Finishes work on whole accounts that a crash has interrupted. Most starts find none. */
async function finishAccountWork (
  database: Database,
  accounts: SqliteAccounts,
  outbox: SqliteOutbox
): Promise<void> {
  const unfinished = database.connection.prepare('SELECT 1 FROM unfinished_work').get()
  if (unfinished === undefined) return
  const { AccountWork } = await import('../../db/account-work.ts')
  await new AccountWork({ database, accounts, outbox }).finishAll()
}
