import { setTimeout as sleep } from 'node:timers/promises'
import { aloneQueue, firstCallbackQueue, lockQueue, turnQueue } from '../src/domain/due-queue.ts'
import type { Queue, QueueLeases } from '../src/domain/due-queue.ts'
import { stopwatch } from '../src/lib/clock.ts'
import type { Interruption } from './account-turns.ts'
import type { Courier } from './courier.ts'
import { TakenLocks, type TakenLocksParts } from './taken-locks.ts'

/** Time between two looks for work that other servers have added, without the random part. */
const pollMs = 150
/** Least time between two looks of a server without work: the others do all of it. */
const idlePollMs = 500
/** Time without a queue after which a server is one without work. */
const idleAfterMs = 2000
/** Longest random part: servers that start together must not look at the same moment for ever. */
const jitterMs = 100
/** Wait before work that must be done asks again for a queue of another server. */
const askAgainMs = 20

/** A queue of this server. */
interface Lease {
  queue: Queue
  /** False if another server has it. */
  isOurs: Promise<boolean>
  /** End of the lease on the stopwatch of this server, which begins earlier than the real one. */
  until: number
  /** Pieces of work under way. */
  users: number
  isReleasing: boolean
  /** True if callbacks of it were aborted: they are due again when it is released. */
  isAborted: boolean
}

/** Parts that the lease keeper needs. */
export interface LeaseKeeperParts extends TakenLocksParts {
  leases: QueueLeases
  courier: Pick<Courier, 'waitForQueue' | 'abortQueue'>
  /** Learns what other servers have changed. */
  refresh: () => Promise<void>
  /** Called for each queue that this server may work on, with its earliest due time. */
  expectWork: (queue: Queue, due: number) => void
  /** Ends work on an account early, because a call of another server waits for its turn. */
  interruptTurn: (account: number, by: string) => void
  /** Returns a number from 0 to 1. */
  random: () => number
}

/**
 * Keeps the leases of a server that shares its ledger with others. It has a queue while it works on
 * it and while callbacks of it are under way.
 */
export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts
  readonly #held = new Map<string, Lease>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #takenLocks: TakenLocks
  /** Times of the latest queue and of the latest look, on the stopwatch. */
  #lastHeldAt = 0
  #lookedAt = 0
  #isStopped = false
  #underWay: Promise<void> = Promise.resolve()

  constructor (parts: LeaseKeeperParts) {
    this.#parts = parts
    this.#takenLocks = new TakenLocks(parts)
  }

  start (): void {
    const { leases, random } = this.#parts
    leases.listenForLoss(() => {
      for (const lease of this.#held.values()) this.#lose(lease)
      this.#takenLocks.clear()
    })
    this.#repeat(
      () => this.#poll(),
      () => pollMs + random() * jitterMs
    )
    this.#repeat(
      () => this.#renew(),
      () => leases.leaseMs / 5
    )
  }

  /** Ends the work and gives all queues back, also those whose callbacks were aborted. */
  async stop (endWork: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all([endWork(), this.#underWay])
    this.#held.clear()
    const { leases } = this.#parts
    try {
      // The others finish what the locks were taken for.
      const queues = (await leases.renewLeases()).filter(({ queue }) => queue !== lockQueue)
      await leases.recoverQueues(queues)
      await leases.leave()
    } catch {
      // Without a connection to the ledger, the others take over when the lease has ended.
    }
  }

  /** Works on a queue. Returns undefined, without any work, if another server has it. */
  async run<T>(queue: Queue, work: () => Promise<T>): Promise<{ value: T } | undefined> {
    const lease = this.#held.get(keyOf(queue)) ?? this.#take(queue)
    // Its callbacks are due again when those under way have ended. No others are taken before.
    if (lease.isAborted) return undefined
    lease.users++
    try {
      if (!(await lease.isOurs) || lease.until < stopwatch()) return undefined
      await this.#parts.refresh()
      return { value: await work() }
    } catch (error) {
      // If only the answer to a commit was lost, callbacks were taken that nobody sends.
      lease.isAborted ||= queue.queue >= firstCallbackQueue
      throw error
    } finally {
      lease.users--
      // A lease that cannot be given back now is given back with the next renewal.
      this.#releaseWhenIdle(lease).catch(() => {})
    }
  }

  /** Works on a queue as soon as no other server has it. */
  async runWhenFree<T>(queue: Queue, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const result = await this.run(queue, work)
      if (result !== undefined) return result.value
      await sleep(askAgainMs)
    }
  }

  /**
   * Runs work in its turn: no server does other work of this sort on the account meanwhile. Work
   * with a name interrupts the turn of another server.
   */
  async runTurn<T>(account: number, work: () => Promise<T>, by?: string): Promise<T> {
    const { leases } = this.#parts
    for (;;) {
      const result = await this.run({ account, queue: turnQueue }, work)
      if (result !== undefined) return result.value
      if (by !== undefined) await leases.askForTurn(account, by)
      await sleep(askAgainMs)
    }
  }

  /** Runs work on an account while no other server works on it. */
  async runAlone<T>(account: number, work: () => Promise<T>): Promise<T> {
    const { leases } = this.#parts
    try {
      await leases.takeAlone(account)
      return await work()
    } finally {
      await leases.endAgreement({ account, queue: aloneQueue })
    }
  }

  /**
   * Waits until no other server has a callback of an account that was due by a time. Returns
   * whether one had. Only the pauses can be interrupted, not the reads of the ledger.
   */
  async waitForCallbacksElsewhere (
    account: number,
    dueBy: number,
    race: Interruption['race'] = (work) => work
  ): Promise<boolean> {
    const { leases } = this.#parts
    let hasWaited = false
    for (; await leases.isCallbackTakenElsewhere(account, dueBy); hasWaited = true) {
      await race(sleep(askAgainMs))
    }
    return hasWaited
  }

  /** Watches the work of payments that exist now: see `ClockControlParts`. */
  async watchOldWork (account: number): Promise<() => Promise<number>> {
    const { leases } = this.#parts
    const last = await leases.readLastPayment(account)
    return () => leases.findWorkUntil(account, last)
  }

  get #isIdle (): boolean {
    return this.#held.size === 0 && stopwatch() - this.#lastHeldAt > idleAfterMs
  }

  #take (queue: Queue): Lease {
    const key = keyOf(queue)
    this.#lastHeldAt = stopwatch()
    const { leases } = this.#parts
    const lease: Lease = {
      queue: { account: queue.account, queue: queue.queue },
      isOurs: leases.acquireQueue(queue).then(
        (isOurs) => {
          if (!isOurs) this.#held.delete(key)
          return isOurs
        },
        (error: unknown) => {
          this.#held.delete(key)
          throw error
        }
      ),
      until: stopwatch() + leases.leaseMs,
      users: 0,
      isReleasing: false,
      isAborted: false
    }
    this.#held.set(key, lease)
    return lease
  }

  async #releaseWhenIdle (lease: Lease): Promise<void> {
    const key = keyOf(lease.queue)
    if (lease.isReleasing || this.#isStopped || this.#held.get(key) !== lease) return
    lease.isReleasing = true
    await this.#parts.courier.waitForQueue(lease.queue)
    lease.isReleasing = false
    if (lease.users > 0 || this.#isStopped || this.#held.get(key) !== lease) return
    this.#held.delete(key)
    this.#lastHeldAt = stopwatch()
    const { leases } = this.#parts
    if (lease.isAborted) await leases.recoverQueues([lease.queue])
    else await leases.releaseQueue(lease.queue)
  }

  /** Does work again and again, with a wait before each time. */
  #repeat (work: () => Promise<void>, waitMs: () => number): void {
    if (this.#isStopped) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      // The ledger itself reports once that it cannot be reached. A long look for work must not
      // delay the renewal of the leases.
      const done = work()
        .catch(() => {})
        .then(() => this.#repeat(work, waitMs))
      this.#underWay = Promise.all([this.#underWay, done]).then(() => {})
    }, waitMs())
    this.#timers.add(timer)
  }

  async #poll (): Promise<void> {
    if (this.#isIdle && stopwatch() - this.#lookedAt < idlePollMs) return
    this.#lookedAt = stopwatch()
    const { leases, expectWork, interruptTurn } = this.#parts
    const { free, evicted, wanted, hasDead } = await leases.look()
    for (const queue of free) expectWork(queue, queue.due)
    for (const account of evicted) this.#endWork(account)
    for (const { account, by } of wanted) interruptTurn(account, by)
    if (hasDead) for (const account of await leases.recoverDead()) this.#takenLocks.add(account)
    this.#takenLocks.end()
  }

  /** Ends the work on an account that another server wants to use alone. */
  #endWork (account: number): void {
    for (const lease of this.#held.values()) {
      if (lease.queue.account !== account || lease.queue.queue === turnQueue) continue
      lease.isAborted = true
      this.#parts.courier.abortQueue(lease.queue)
      this.#releaseWhenIdle(lease).catch(() => {})
    }
  }

  async #renew (): Promise<void> {
    const { leases } = this.#parts
    const began = stopwatch()
    const known = new Map(this.#held)
    try {
      const kept = await leases.renewLeases()
      for (const queue of kept) {
        const lease = known.get(keyOf(queue))
        known.delete(keyOf(queue))
        if (lease !== undefined) lease.until = began + leases.leaseMs
      }
      for (const lease of known.values()) if (lease.until > began) lease.until = began
      // No work of this server uses this lock: its commit was not answered, or it was not ended.
      for (const { account, queue } of kept) {
        if (queue === lockQueue && !leases.hasLock(account)) this.#takenLocks.add(account)
      }
      const unknown = kept.filter(
        ({ account, queue }) =>
          queue !== lockQueue && queue !== aloneQueue && !this.#held.has(keyOf({ account, queue }))
      )
      if (unknown.length > 0) await leases.recoverQueues(unknown)
    } finally {
      for (const lease of this.#held.values()) if (lease.until <= stopwatch()) this.#lose(lease)
    }
  }

  /** Stops the callbacks of a queue that another server may have by now. */
  #lose (lease: Lease): void {
    this.#held.delete(keyOf(lease.queue))
    this.#parts.courier.abortQueue(lease.queue)
  }
}

function keyOf ({ account, queue }: Queue): string {
  return `${account}/${queue}`
}
