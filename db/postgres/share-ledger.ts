import type { QueueLeases } from '../../src/domain/due-queue.ts'
import type { KeyRecord } from '../../src/domain/stores.ts'
import type { Clock, SystemClock } from '../../src/lib/clock.ts'
import { OwnErrorCounter, type ErrorCounter } from '../../src/lib/ids.ts'
import type { SqlAccountParts } from '../accounts.ts'
import type { Database } from '../database.ts'
import type { SharedOutboxSql } from '../outbox.ts'
import { AccountVersions } from './account-versions.ts'
import { PostgresConnection } from './connection.ts'
import { DatabaseClock } from './database-clock.ts'
import { writeOutboxSql } from './outbox-sql.ts'
import { PostgresQueueLeases } from './queue-leases.ts'
import { SharedAccounts } from './shared-accounts.ts'
import { PostgresSharing } from './sharing.ts'

/** Parts of a ledger that several servers share. */
export interface SharedLedger {
  leases: QueueLeases
  outboxSql: SharedOutboxSql
  errorCounter: ErrorCounter
  openAccounts: (parts: SqlAccountParts) => SharedAccounts
  /** Calls the listener with all keys when a server has added one. */
  listenForKeys: (listener: (keys: KeyRecord[]) => void) => void
}

/** Clocks of a server. */
export interface Clocks {
  systemClock: SystemClock
  /** Returns the clock of a new account, if it must be stored. */
  firstClock: () => Clock | undefined
}

/** Counts of failed requests whose identifiers no other server gives. */
class NumberedErrorCounter extends OwnErrorCounter {
  readonly #server: number

  constructor (server: number) {
    super()
    this.#server = server
  }

  override add (account: string, request: string): string {
    return `${this.#server}-${super.add(account, request)}`
  }
}

/** Joins the servers of a ledger. From now on its transactions keep the rules for several. */
export async function shareLedger (database: Database, clocks: Clocks): Promise<SharedLedger> {
  const { connection } = database
  const { systemClock, firstClock } = clocks
  if (!(connection instanceof PostgresConnection)) {
    throw new Error('only a ledger in PostgreSQL can be shared')
  }
  const versions = new AccountVersions(connection)
  const clock = systemClock instanceof DatabaseClock ? systemClock : undefined
  const leases = await PostgresQueueLeases.open(database, clock)
  database.sharing = new PostgresSharing({ connection, leases, versions })
  return {
    leases,
    outboxSql: writeOutboxSql(leases.owner),
    errorCounter: new NumberedErrorCounter(leases.owner),
    openAccounts: (parts) => new SharedAccounts(database, parts, versions, firstClock),
    listenForKeys: (listener) => {
      versions.keyListener = listener
    }
  }
}
