import type { Queue, QueueLeases } from '../../src/domain/due-queue.ts'
import { firstCallbackQueue } from '../../src/domain/due-queue.ts'
import type { Database } from '../database.ts'

/** Duration of a lease. A server renews it several times before it ends. */
const leaseSeconds = 15

/** Time at which a lease ends that is taken now, on the clock of the database. */
const end = `now() + interval '${leaseSeconds} s'`

/**
 * Leases in the table `due_leases`. No transaction is open while a server works on a queue. A
 * callback that was taken has no entry in the due queue, so its lease is given up only after its
 * result is stored, or together with a new entry.
 */
export class PostgresQueueLeases implements QueueLeases {
  readonly leaseMs = leaseSeconds * 1000
  /** Number of this server. */
  readonly owner: number
  readonly #database: Database
  readonly #acquire
  readonly #renew
  readonly #release
  readonly #expired
  readonly #requeue
  readonly #others
  readonly #free

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.owner = Number(connection.prepare("SELECT nextval('lease_owners')").pluck().get())
    this.#acquire = connection.prepare(
      `INSERT INTO due_leases (account, queue, owner, until) VALUES (?, ?, ?, ${end})
      ON CONFLICT DO NOTHING`
    )
    this.#renew = connection.prepare<[number], Queue>(
      `UPDATE due_leases SET until = ${end} WHERE owner = ? RETURNING account, queue`
    )
    this.#release = connection.prepare(
      'DELETE FROM due_leases WHERE account = ? AND queue = ? AND owner = ?'
    )
    // Of several servers that look at the same time, one gets each row.
    this.#expired = connection.prepare<[number], Queue & { owner: number }>(
      `SELECT account, queue, owner FROM due_leases WHERE until < now() AND owner <> ?
      FOR UPDATE SKIP LOCKED`
    )
    this.#requeue = connection.prepare(`
      INSERT INTO due_queue (account, queue, due, subject)
      SELECT account, queue, due, seq FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND queue = ? AND NOT EXISTS (
        SELECT 1 FROM due_queue WHERE due_queue.account = callbacks.account
          AND due_queue.queue = callbacks.queue AND subject = seq)`)
    this.#others = connection.prepare<[number, number], object>(
      'SELECT 1 FROM due_leases WHERE account = ? AND owner <> ? LIMIT 1'
    )
    // One step in the index for each queue, not one for each row: there may be a million of those.
    this.#free = connection.prepare<[number], Queue & { due: number }>(`
      WITH RECURSIVE queues AS (
        (SELECT account, queue, due FROM due_queue ORDER BY account, queue, due LIMIT 1)
        UNION ALL
        SELECT next.account, next.queue, next.due FROM queues CROSS JOIN LATERAL (
          SELECT account, queue, due FROM due_queue
          WHERE (due_queue.account, due_queue.queue) > (queues.account, queues.queue)
          ORDER BY account, queue, due LIMIT 1) AS next)
      SELECT account, queue, due FROM queues WHERE NOT EXISTS (
        SELECT 1 FROM due_leases WHERE due_leases.account = queues.account
          AND due_leases.queue = queues.queue AND owner <> ?)`)
  }

  acquireQueue ({ account, queue }: Queue): Promise<boolean> {
    return this.#database.transact(
      () => this.#acquire.run(account, queue, this.owner).changes === 1
    )
  }

  renewLeases (): Promise<Queue[]> {
    return this.#database.transact(() => this.#renew.all(this.owner))
  }

  releaseQueue ({ account, queue }: Queue): Promise<void> {
    return this.#database.transact(() => {
      this.#release.run(account, queue, this.owner)
    })
  }

  recoverQueues (queues: readonly Queue[]): Promise<void> {
    return this.#database.transact(() => {
      for (const queue of queues) this.#recover(queue, this.owner)
    })
  }

  isTakenElsewhere (account: number): Promise<boolean> {
    return this.#database.transact(() => this.#others.get(account, this.owner) !== undefined)
  }

  listFreeQueues (): Promise<Array<Queue & { due: number }>> {
    return this.#database.transact(() => {
      for (const lease of this.#expired.all(this.owner)) this.#recover(lease, lease.owner)
      return this.#free.all(this.owner)
    })
  }

  /** Ends a lease whose callbacks are not under way any more. Called inside a transaction. */
  #recover ({ account, queue }: Queue, owner: number): void {
    if (queue >= firstCallbackQueue) this.#requeue.run(account, queue)
    this.#release.run(account, queue, owner)
  }
}

/** Condition for callbacks that no other server than this one may have taken. */
export function writeUntakenCondition (owner: number): string {
  return `AND NOT EXISTS (
    SELECT 1 FROM due_leases WHERE due_leases.account = callbacks.account
      AND due_leases.queue = callbacks.queue AND owner <> ${owner})`
}
