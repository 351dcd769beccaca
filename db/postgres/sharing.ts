import { isUnavailable, LeaseLostError } from '../../src/domain/ledger-error.ts'
import { lockQueue } from '../../src/domain/due-queue.ts'
import type { SharedWork, Sharing, Statement } from '../connection.ts'
import type { AccountVersions } from './account-versions.ts'
import { PostgresError } from './postgres-error.ts'
import { checkFailures } from './checks.ts'
import type { PostgresConnection } from './connection.ts'
import { isConflict } from './faults.ts'
import type { PostgresQueueLeases } from './queue-leases.ts'

/** Error of work that must claim an account before its transaction begins. It is done again. */
class ClaimNeeded extends Error {
  override name = 'ClaimNeeded'
}

/**
 * Condition for a server that knows all accounts as they are, and uses none that is locked. As a
 * part of a statement it costs a quarter of the function that tests the same. The function is
 * called if the condition is false: then it fails, and says why. No server has the number 0, so
 * the second call also fails for the accounts that this server has locked itself.
 */
const isCurrent = `$2 >= (SELECT count FROM account_changes) AND NOT EXISTS (
  SELECT 1 FROM due_leases
  WHERE account = ANY ($3) AND queue = ${lockQueue} AND (owner <> $1 OR account = ANY ($4)))`

/** Check of a transaction that only reads. */
const checkStatement = `SELECT check_ledger($1, $2, $3), check_ledger(0, $2, $4)
  WHERE NOT (${isCurrent})`
/** Locks the row of the server: see `checkFunctions`. */
const lockStatement = 'SELECT 1 FROM server_leases WHERE owner = $1 FOR NO KEY UPDATE'
/** Claims accounts, in the same order as all servers. */
const claimStatement = 'SELECT 1 FROM accounts WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE'
/** Check of a transaction that may change something. */
const enterStatement = `SELECT enter_ledger($1, $2, $3, $5, $6, $7), check_ledger(0, $2, $4)
  WHERE NOT (
  EXISTS (SELECT 1 FROM server_leases WHERE owner = $1) AND ${isCurrent} AND NOT EXISTS (
    SELECT 1 FROM unnest($6, $7) AS needed (account, queue) WHERE NOT EXISTS (
      SELECT 1 FROM due_leases WHERE due_leases.account = needed.account
        AND due_leases.queue = needed.queue AND owner = $1)))`

/** Parts that the rules need. */
export interface SharingParts {
  connection: PostgresConnection
  leases: PostgresQueueLeases
  versions: AccountVersions
}

/**
 * Rules for a ledger in PostgreSQL that several servers share. The check of a transaction is sent
 * together with its first statements, so it costs no round trip.
 */
export class PostgresSharing implements Sharing {
  readonly #parts: SharingParts
  readonly #readLocked: Statement<[], number>
  /** Accounts that this transaction has claimed. */
  #claimed = new Set<number>()
  /** Accounts whose payments count the uses of scenarios: each of them claims the account. */
  readonly #counting = new Set<number>()

  constructor (parts: SharingParts) {
    this.#parts = parts
    this.#readLocked = parts.connection
      .prepare<[], number>(`SELECT account FROM due_leases WHERE queue = ${lockQueue}`)
      .pluck()
  }

  async enter (work: readonly SharedWork[], isRead: boolean): Promise<void> {
    const { connection, leases, versions } = this.#parts
    const used = new Set<number>()
    for (const { account } of work) if (account !== undefined) used.add(account)
    const unusable = [...used].filter((account) => !leases.locks.isUsable(account))
    const common = [leases.owner, versions.known, writeArray(used), writeArray(unusable)]
    this.#claimed = new Set()
    if (isRead) {
      connection.addCheck(checkStatement, common)
      return
    }
    for (const { account, claims, isRead } of work) {
      if (account === undefined) continue
      if (claims === true || (isRead !== true && this.#counting.has(account))) {
        this.#claimed.add(account)
      }
    }
    const needed = work.flatMap(({ lease }) => lease ?? [])
    const claimed = writeArray(this.#claimed)
    // Statements of their own: the check must see what was stored before the locks.
    connection.addCheck(lockStatement, [leases.owner])
    if (this.#claimed.size > 0) connection.addCheck(claimStatement, [claimed])
    connection.addCheck(enterStatement, [
      ...common,
      claimed,
      writeArray(needed.map(({ account }) => account)),
      writeArray(needed.map(({ queue }) => queue))
    ])
    // Work that is never done twice must not begin before the check has passed.
    if (work[0].committed !== undefined) await connection.flush()
  }

  claimAccount (account: number): void {
    if (this.#claimed.has(account)) return
    this.#counting.add(account)
    throw new ClaimNeeded(`account ${account} must be claimed first`)
  }

  hasClaimed (account: number): boolean {
    return this.#claimed.has(account)
  }

  async settle (error: unknown): Promise<readonly number[] | Error | undefined> {
    if (error instanceof ClaimNeeded) return []
    if (!(error instanceof PostgresError)) return undefined
    switch (error.code) {
      case checkFailures.outdated:
        return await prepare(() => this.#parts.versions.adoptChanges())
      case checkFailures.locked:
        return error.message.split(',').map(Number)
      case checkFailures.dead:
        return await prepare(() => this.#parts.leases.joinAgain())
    }
  }

  isCheck (error: unknown): boolean {
    if (error instanceof ClaimNeeded) return true
    const codes: readonly string[] = Object.values(checkFailures)
    return error instanceof PostgresError && codes.includes(error.code)
  }

  explain (error: unknown): Error | undefined {
    const isLost = error instanceof PostgresError && error.code === checkFailures.leaseLost
    return isLost ? new LeaseLostError() : undefined
  }

  listLocked (): Promise<number[]> {
    return this.#readLocked.all()
  }

  async runLocked<T>(lock: number, work: () => Promise<T>, adopts = false): Promise<T> {
    await this.#parts.leases.locks.acquire(lock, adopts)
    return await this.#runAndUnlock(lock, work)
  }

  async runIfUnlocked (lock: number, work: () => Promise<void>): Promise<void> {
    if (await this.#parts.leases.locks.tryAcquire(lock)) await this.#runAndUnlock(lock, work)
  }

  noteFinished (lock: number): void {
    this.#parts.leases.locks.noteFinished(lock)
  }

  async #runAndUnlock<T>(lock: number, work: () => Promise<T>): Promise<T> {
    const { leases } = this.#parts
    try {
      // Those that began before may still write.
      await leases.waitForTransactions()
      const value = await work()
      await leases.locks.end(lock, true)
      return value
    } catch (error) {
      const ended = leases.locks.end(lock, false)
      // The caller must not wait for a ledger that cannot be reached.
      if (!isUnavailable(error)) await ended
      throw error
    }
  }
}

/**
 * Prepares another try. After a conflict with another server, or if the connection is lost, that
 * try fails and deals with it. Returns any other error: each try would have it.
 */
async function prepare (preparation: () => Promise<void>): Promise<readonly number[] | Error> {
  try {
    await preparation()
    return []
  } catch (error) {
    if (error instanceof PostgresError && (error.isLost || isConflict(error))) return []
    return error instanceof Error ? error : new Error(String(error))
  }
}

function writeArray (numbers: Iterable<number>): string {
  return `{${[...numbers].join(',')}}`
}
