import { AsyncLocalStorage } from 'node:async_hooks'
import type { Job } from './jobs.ts'

/** Wait before work is tried again whose account another server has locked. */
const lockedMs = 20

/** Lock that work has. */
export interface OwnedLock {
  account: number
  /** False after the lock: a timer that the work has started may run later. */
  isHeld: boolean
}

/** Accounts that are locked, and the work that waits for them. */
export class AccountLocks {
  /** Locked accounts, with the end of the last lock. */
  readonly #ends = new Map<number, Promise<void>>()
  /** Work of locked accounts. */
  readonly #parked = new Map<number, Job[]>()
  /** Work of accounts that other servers have locked. */
  readonly #postponed = new Set<Job>()
  /** Lock that the current work has. */
  readonly #owned = new AsyncLocalStorage<OwnedLock>()

  /** Lock that the current work has. */
  get owned (): OwnedLock | undefined {
    return this.#owned.getStore()
  }

  get isEmpty (): boolean {
    return this.#ends.size === 0
  }

  /** Lists the locked accounts. */
  list (): number[] {
    return [...this.#parked.keys()]
  }

  /** Lets a job wait if its account is locked by other work. Returns whether it does. */
  park (job: Job): boolean {
    const parked = job.account === undefined ? undefined : this.#parked.get(job.account)
    if (parked === undefined || isOwned(job)) return false
    parked.push(job)
    return true
  }

  /** Runs work that has locked an account: its own jobs do not wait for it. */
  async runAsOwner<T>(account: number, work: () => Promise<T>): Promise<T> {
    const owned = { account, isHeld: true }
    try {
      return await this.#owned.run(owned, work)
    } finally {
      owned.isHeld = false
    }
  }

  /** Locks an account as soon as it is free. The returned function unlocks it: see `#unlock`. */
  async lock (account: number): Promise<() => Job[]> {
    const before = this.#ends.get(account)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ends.set(account, promise)
    await before
    this.#parked.set(account, this.#parked.get(account) ?? [])
    return () => {
      resolve()
      return this.#unlock(account, promise)
    }
  }

  /** Lets jobs wait for a moment: another server has locked their account. */
  postpone (jobs: readonly Job[], enqueue: (job: Job) => void): void {
    for (const job of jobs) {
      this.#postponed.add(job)
      setTimeout(() => this.#postponed.delete(job) && enqueue(job), lockedMs)
    }
  }

  /** Returns the work that waits for the end of a lock, and forgets it. */
  takeParked (): Job[] {
    return [...this.#parked.values()].flatMap((jobs) => jobs.splice(0))
  }

  /** Returns all work that waits, and forgets it. */
  takeAll (): Job[] {
    const jobs = [...this.takeParked(), ...this.#postponed]
    this.#parked.clear()
    this.#postponed.clear()
    return jobs
  }

  /** Ends a lock. Returns the work that has waited, or none if somebody waits for the lock. */
  #unlock (account: number, end: Promise<void>): Job[] {
    if (this.#ends.get(account) !== end) return []
    this.#ends.delete(account)
    const jobs = this.#parked.get(account) ?? []
    this.#parked.delete(account)
    return jobs
  }
}

/** Returns whether a job belongs to the work that has locked its account. */
function isOwned ({ account, owned }: Job): boolean {
  return owned !== undefined && owned.isHeld && owned.account === account
}
