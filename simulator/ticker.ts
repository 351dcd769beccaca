import { isUnavailable } from '../src/ports/ledger-error.ts'
import type { Logger } from 'pino'
import type { Accounts } from '../src/accounts/registry.ts'
import {
  accountTime,
  stopwatch,
  systemTimeOf,
  type Clock,
  type SystemClock
} from '../src/lib/clock.ts'
import type { DueQueue, Queue } from '../src/ports/due-queue.ts'

/**
 * Does the work of a queue that is due at a time of its account's clock, or a part of it. Returns
 * false if nothing was done.
 */
export type Worker = (queue: Queue, now: number) => Promise<boolean>

/** Due work is gathered for this long, so that a busy server does it in few large transactions. */
const gatherMs = 20
/**
 * Work that failed, because the disk is full perhaps, is tried again after this long, in real time:
 * a disk knows nothing of the speed of a clock.
 */
const retryMs = 1000
/**
 * Longest time without a look at the clock. A timer does not notice that the system time was set
 * forward, or that the machine was suspended.
 */
const longestSleepMs = 1000

interface Entry extends Queue {
  due: number
  busy: boolean
  /** Time of the stopwatch until which it rests after a failure. */
  restsUntil: number
}

/**
 * Sleeps until work is due on the clock of any account, then runs it. There is one timer for all
 * payments. Due work is stored in the due queue, so a restart continues it.
 */
export class Ticker {
  readonly #dueQueue: DueQueue
  readonly #accounts: Pick<Accounts, 'byId' | 'find'>
  readonly #systemClock: SystemClock
  readonly #log: Logger
  readonly #worker: Worker
  readonly #queues = new Map<string, Entry>()
  readonly #running = new Map<Promise<void>, Queue>()
  #timer: NodeJS.Timeout | undefined
  #wakeAt = Infinity
  #stopped = false

  constructor (
    dueQueue: DueQueue,
    accounts: Pick<Accounts, 'byId' | 'find'>,
    systemClock: SystemClock,
    log: Logger,
    worker: Worker
  ) {
    this.#dueQueue = dueQueue
    this.#accounts = accounts
    this.#systemClock = systemClock
    this.#log = log
    this.#worker = worker
  }

  async start (): Promise<void> {
    this.#dueQueue.listen((queue, due) => this.expectWork(queue, due))
    for (const queue of await this.#dueQueue.listQueues()) this.expectWork(queue, queue.due)
  }

  /** Does all work that is due now, and the work that becomes due by it. */
  async runDueWork (): Promise<void> {
    for (;;) {
      this.#wake()
      if (this.#running.size === 0) return
      await Promise.all(this.#running.keys())
    }
  }

  /** Starts no new work, and waits for the work in progress. */
  async stop (): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await Promise.all(this.#running.keys())
  }

  /** Waits for the work of an account that is under way. */
  async waitForWork (account: number): Promise<void> {
    await Promise.all(
      [...this.#running].filter(([, queue]) => queue.account === account).map(([work]) => work)
    )
  }

  /** Reads the due times of an account again, because its clock was changed. */
  async refreshAccount (account: number): Promise<void> {
    // Forgotten before the wait, so that work added meanwhile is not lost.
    const forgotten: Array<Queue & { due: number }> = []
    for (const entry of this.#queues.values()) {
      if (entry.account !== account || entry.busy) continue
      forgotten.push({ ...entry })
      entry.due = Infinity
    }
    const queues = await this.#dueQueue.listQueuesOf(account).catch((error: unknown) => {
      for (const entry of forgotten) this.expectWork(entry, entry.due)
      throw error
    })
    for (const { queue, due } of queues) this.expectWork({ account, queue }, due)
    for (const [key, entry] of this.#queues) {
      if (entry.account === account && !entry.busy && entry.due === Infinity) {
        this.#queues.delete(key)
      }
    }
    this.armAccount(account)
  }

  /** Sets the timer for an account whose clock has changed. */
  armAccount (account: number): void {
    for (const entry of this.#queues.values()) {
      if (entry.account === account && !entry.busy) this.#arm(entry)
    }
  }

  /** Forgets a deleted account. */
  forgetAccount (account: number): void {
    for (const [key, entry] of this.#queues) if (entry.account === account) this.#queues.delete(key)
  }

  /** Works on a queue when it is due, unless it is known to be due earlier. */
  expectWork ({ account, queue }: Queue, due: number): void {
    const key = `${account}/${queue}`
    let entry = this.#queues.get(key)
    if (entry === undefined) {
      this.#queues.set(key, (entry = { account, queue, due: Infinity, busy: false, restsUntil: 0 }))
    }
    if (due >= entry.due) return
    entry.due = due
    if (!entry.busy) this.#arm(entry)
  }

  #arm (entry: Entry): void {
    const clock = this.#clockOf(entry)
    if (this.#stopped || entry.due === Infinity || clock === undefined) return
    const now = this.#systemClock.now()
    const waitMs = Math.max(gatherMs, entry.restsUntil - stopwatch())
    const at = Math.max(systemTimeOf(clock, entry.due), now + waitMs)
    if (at >= this.#wakeAt) return
    clearTimeout(this.#timer)
    this.#wakeAt = Math.min(at, now + longestSleepMs)
    this.#timer = setTimeout(() => this.#wake(), this.#wakeAt - now)
  }

  #wake (): void {
    this.#wakeAt = Infinity
    const machineNow = this.#systemClock.now()
    for (const entry of this.#queues.values()) {
      const clock = this.#clockOf(entry)
      // An account with a frozen clock does nothing by itself.
      if (entry.busy || clock === undefined || clock.mode === 'frozen') continue
      const now = accountTime(clock, machineNow)
      if (entry.due <= now && entry.restsUntil <= stopwatch()) this.#work(entry, now)
      else this.#arm(entry)
    }
  }

  /** Returns the clock of an account. Forgets an account that was deleted since. */
  #clockOf ({ account }: Entry): Clock | undefined {
    const clock = this.#accounts.find(account)?.clock
    if (clock === undefined) this.forgetAccount(account)
    return clock
  }

  #work (entry: Entry, now: number): void {
    entry.busy = true
    entry.due = Infinity
    const work = this.#worker(entry, now)
      .then(async () => {
        const next = (await this.#dueQueue.findNextDue(entry)) ?? Infinity
        // Read after the wait: the due queue may have changed meanwhile.
        entry.due = Math.min(entry.due, next)
      })
      .catch((error: unknown) => {
        // The ledger itself reports once that it cannot be reached.
        if (!isUnavailable(error)) {
          this.#log.error(
            { err: error, account: entry.account, queue: entry.queue },
            'work that was due failed and will be tried again'
          )
        }
        entry.due = Math.min(entry.due, now)
        entry.restsUntil = stopwatch() + retryMs
      })
      .finally(() => {
        this.#running.delete(work)
        entry.busy = false
        if (entry.due === Infinity) this.#queues.delete(`${entry.account}/${entry.queue}`)
        else this.#arm(entry)
      })
    this.#running.set(work, entry)
  }
}
