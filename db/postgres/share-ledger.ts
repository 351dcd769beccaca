import type { QueueLeases } from '../../src/domain/due-queue.ts'
import type { SqlAccountParts } from '../accounts.ts'
import type { Database } from '../database.ts'
import { AccountVersions } from './account-versions.ts'
import { PostgresConnection } from './connection.ts'
import { PostgresQueueLeases, writeUntakenCondition } from './queue-leases.ts'
import { SharedAccounts } from './shared-accounts.ts'
import { PostgresSharing } from './sharing.ts'

/** Parts of a ledger that several servers share. */
export interface SharedLedger {
  leases: QueueLeases
  /** SQL condition for callbacks that no other server may have taken. */
  untaken: string
  openAccounts: (parts: SqlAccountParts) => SharedAccounts
}

/** Joins the servers of a ledger. From now on its transactions keep the rules for several. */
export function shareLedger (database: Database): SharedLedger {
  const { connection } = database
  if (!(connection instanceof PostgresConnection)) {
    throw new Error('only a ledger in PostgreSQL can be shared')
  }
  const versions = new AccountVersions(connection)
  const leases = new PostgresQueueLeases(database)
  database.sharing = new PostgresSharing({ connection, leases, versions })
  return {
    leases,
    untaken: writeUntakenCondition(leases.owner),
    openAccounts: (parts) => new SharedAccounts(database, parts, versions)
  }
}
