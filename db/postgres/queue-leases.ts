import { setTimeout as sleep } from 'node:timers/promises'
import type { LeaseView, Queue, QueueLeases } from '../../src/domain/due-queue.ts'
import { aloneQueue, firstCallbackQueue, lockQueue } from '../../src/domain/due-queue.ts'
import { LeaseLostError } from '../../src/domain/ledger-error.ts'
import type { Database } from '../database.ts'
import type { DatabaseClock } from './database-clock.ts'
import {
  leaseSeconds,
  prepareLeaseStatements,
  prepareLookStatements,
  readLook,
  writeJoin
} from './lease-statements.ts'
import { writeOnlyServerCheck } from './ledger.ts'
import { askAgainMs, LockLeases, tryUntilDone } from './lock-leases.ts'

/**
 * Leases in the tables `server_leases` and `due_leases`. No transaction is open while a server
 * works on a queue. A callback that was taken has no entry in the due queue, so its lease is given
 * up only after its result is stored, or together with a new entry.
 */
export class PostgresQueueLeases implements QueueLeases {
  readonly leaseMs = leaseSeconds * 1000
  readonly owner: number
  readonly locks: LockLeases
  readonly #database: Database
  readonly #clock: DatabaseClock | undefined
  readonly #statements
  readonly #looks
  #onLoss: () => void = () => {}
  #hasLeft = false

  private constructor (database: Database, clock: DatabaseClock | undefined, owner: number) {
    this.#database = database
    this.#clock = clock
    this.owner = owner
    this.#statements = prepareLeaseStatements(database.connection, this.owner)
    this.#looks = prepareLookStatements(database.connection, this.owner)
    this.locks = new LockLeases(database, this.#statements, this.owner)
  }

  /** Joins the servers of the ledger. The clock is read with each renewal. */
  static async open (
    database: Database,
    clock: DatabaseClock | undefined
  ): Promise<PostgresQueueLeases> {
    const numbers = database.connection.prepare("SELECT nextval('lease_owners')").pluck()
    const owner = Number(await database.write(undefined, () => numbers.get()))
    const leases = new PostgresQueueLeases(database, clock, owner)
    await leases.#join()
    await leases.#readClock()
    return leases
  }

  async #readClock (): Promise<void> {
    await this.#clock?.adjust(async () => Number(await this.#statements.time.get()))
  }

  /** Begins the lease of this server. Called outside a transaction. */
  #join (): Promise<void> {
    // A server that does not share the ledger either holds its lock, or sees the new row.
    return this.#database.connection.exec(`${writeOnlyServerCheck()}; ${writeJoin(this.owner)}`)
  }

  listenForLoss (listener: () => void): void {
    this.#onLoss = listener
  }

  /** Begins a new lease, because the last one has ended. Called outside a transaction. */
  async joinAgain (): Promise<void> {
    // Work of a server that has left is done by others.
    if (this.#hasLeft) throw new LeaseLostError()
    await this.#join()
    this.locks.loseAll()
    this.#onLoss()
  }

  acquireQueue ({ account, queue }: Queue): Promise<boolean> {
    return this.#database.write(
      undefined,
      async () => (await this.#statements.acquire.change(account, queue, account)) === 1
    )
  }

  /** Takes a queue as soon as no server has it. */
  async acquireWhenFree (queue: Queue): Promise<void> {
    while (!(await this.acquireQueue(queue))) await sleep(askAgainMs)
  }

  renewLeases (): Promise<Queue[]> {
    return this.#database.write(undefined, async () => {
      this.#statements.renew.run()
      await this.#readClock()
      return await this.#statements.own.all()
    })
  }

  releaseQueue ({ account, queue }: Queue): Promise<void> {
    return this.#database.write(undefined, () => {
      this.#statements.release.run(account, queue, this.owner)
    })
  }

  hasLock (account: number): boolean {
    return this.locks.isUsed(account)
  }

  endAgreement ({ account, queue }: Queue): Promise<void> {
    return tryUntilDone(this.#database, () => {
      this.#statements.release.run(account, queue, this.owner)
    })
  }

  recoverQueues (queues: readonly Queue[]): Promise<void> {
    return this.#database.write(undefined, async () => {
      for (const queue of queues) await this.#recover(queue, this.owner)
    })
  }

  async leave (): Promise<void> {
    if (this.#hasLeft) return
    try {
      await this.#database.write(undefined, () => {
        this.#statements.leave.run()
        // Before the commit: work of the same moment must not join again.
        this.#hasLeft = true
      })
    } catch (error) {
      this.#hasLeft = false
      throw error
    }
  }

  isCallbackTakenElsewhere (account: number, dueBy: number): Promise<boolean> {
    return this.#database.read(
      undefined,
      async () => (await this.#looks.callbacksElsewhere.get(account, dueBy)) !== undefined
    )
  }

  readLastPayment (account: number): Promise<number> {
    return this.#database.write(
      account,
      async () => (await this.#looks.lastPayment.get(account)) ?? 0
    )
  }

  findWorkUntil (account: number, lastPayment: number): Promise<number> {
    return this.#database.write(account, async () => {
      const parameters = [account, lastPayment, account, lastPayment, account] as const
      return (await this.#looks.oldWork.get(...parameters)) ?? Infinity
    })
  }

  askForTurn (account: number, by: string): Promise<void> {
    return this.#database.write(undefined, () => {
      this.#statements.ask.run(by, account)
    })
  }

  async takeAlone (account: number): Promise<void> {
    await this.acquireWhenFree({ account, queue: aloneQueue })
    // A server that has not seen it may still take a queue until the end of its transaction.
    await this.waitForTransactions()
    const isTaken = async (): Promise<boolean> =>
      (await this.#statements.others.get(account)) !== undefined
    while (await this.#database.write(undefined, isTaken)) await sleep(askAgainMs)
  }

  /** Waits until all transactions have ended that other servers began before. */
  async waitForTransactions (): Promise<void> {
    const { serversUnderWay } = this.#statements
    const look = async (open: string | null): Promise<string | null> =>
      (await serversUnderWay.get(open)) ?? null
    let open = await this.#database.write(undefined, () => look(null))
    while (open !== null) {
      await sleep(askAgainMs)
      const known = open
      open = await this.#database.write(undefined, () => look(known))
    }
  }

  /** Looks for work. The check of the transaction also learns what other servers have changed. */
  look (): Promise<LeaseView> {
    const { look } = this.#looks
    return this.#database.read(
      undefined,
      async () => {
        const row = await look.get()
        if (row === undefined) throw new Error('a look for work has no row')
        return readLook(row)
      },
      { firstRead: { statement: look, parameters: [] } }
    )
  }

  recoverDead (): Promise<number[]> {
    const { endDead, leftOver, takeOver } = this.#statements
    return this.#database.write(undefined, async () => {
      endDead.run()
      const locked: number[] = []
      for (const { owner, ...queue } of await leftOver.all()) {
        if (queue.queue !== lockQueue) await this.#recover(queue, owner)
        else {
          takeOver.run(queue.account, owner)
          locked.push(queue.account)
        }
      }
      return locked
    })
  }

  /** Ends a lease whose callbacks are not under way any more. Called inside a transaction. */
  async #recover ({ account, queue }: Queue, owner: number): Promise<void> {
    // A queue that was released meanwhile may have callbacks under way on another server.
    const changes = await this.#statements.release.change(account, queue, owner)
    if (changes === 1 && queue >= firstCallbackQueue) this.#statements.requeue.run(account, queue)
  }
}
