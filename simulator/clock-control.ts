import type { Accounts } from '../src/accounts/registry.ts'
import type { Clock, SystemClock } from '../src/lib/clock.ts'
import { frozenClock, heldClock, accountTime } from '../src/lib/clock.ts'
import type { Account } from '../src/domain/account.ts'
import type { DueQueue, Queue } from '../src/domain/due-queue.ts'
import type { Courier } from './courier.ts'
import { newAdvanceCounts, type AdvanceCounts } from './advance-counts.ts'
import type { Ticker } from './ticker.ts'

/** Does what is due in a lane, counts it, and is done when it returns. */
export type CountingWorker = (queue: Queue, now: number, counts: AdvanceCounts) => Promise<void>

/** An advance goes at most this far at once. */
export const longestAdvanceMs = 366 * 86_400_000

/**
 * Keeps the accounts' clocks: sets them, and moves them on with everything that falls due on the
 * way.
 */
export class ClockControl {
  readonly #dueQueue: DueQueue
  readonly #accounts: Accounts
  readonly #ticker: Ticker
  readonly #courier: Courier
  readonly #systemClock: SystemClock
  readonly #worker: CountingWorker
  readonly #queues = new Map<number, Promise<unknown>>()

  constructor (
    dueQueue: DueQueue,
    accounts: Accounts,
    ticker: Ticker,
    courier: Courier,
    systemClock: SystemClock,
    worker: CountingWorker
  ) {
    this.#dueQueue = dueQueue
    this.#accounts = accounts
    this.#ticker = ticker
    this.#courier = courier
    this.#systemClock = systemClock
    this.#worker = worker
  }

  now (account: Account): number {
    return accountTime(account.clock, this.#systemClock.now())
  }

  /**
   * Sets an account's clock. What is due by then happens in its own time on a running clock, and
   * not at all on a frozen one.
   */
  setClock (
    account: Account,
    { mode, now, speed }: { mode: Clock['mode']; now?: number; speed?: number }
  ): Promise<void> {
    return this.#inTurn(account, () =>
      this.#put(account, mode, now ?? this.now(account), speed ?? account.clock.speed)
    )
  }

  /**
   * Moves an account's clock on by a while, to a time, or until nothing more is due; answers when
   * everything that fell due has happened, in due order. One advance of an account at a time.
   */
  advanceClock (account: Account, to: (now: number) => number | 'idle'): Promise<AdvanceCounts> {
    return this.#inTurn(account, async () => {
      const { mode, speed } = account.clock
      const began = this.#systemClock.now()
      const start = accountTime(account.clock, began)
      const goal = to(start)
      const target = goal === 'idle' ? start + longestAdvanceMs : goal
      // Held still, so that neither the ticker nor a request sees the time between two steps.
      account.clock = heldClock(account.clock, start)
      const counts = newAdvanceCounts()
      try {
        await this.#ticker.waitForWork(account.id)
        await this.#courier.waitForDeliveries(account.id)
        const last = await this.#happen(account, target, counts)
        // The time that an advance takes counts, on a clock that runs.
        await this.#put(account, mode, goal === 'idle' ? last : target, speed, began)
      } catch (error) {
        await this.#put(account, mode, accountTime(account.clock, 0), speed, began)
        throw error
      }
      return counts
    })
  }

  /** Does something to an account between its advances. */
  runInTurn<T>(account: Account, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(account, work)
  }

  /**
   * Does something to a whole account while nothing else happens to it: its clock is held, what is
   * under way ends, and callbacks on their way are given up unless they are kept. Work that gives
   * the account no other clock has done nothing.
   */
  runAlone<T>(account: Account, kept: boolean, work: (clock: Clock) => Promise<T>): Promise<T> {
    return this.#inTurn(account, async () => {
      const { clock } = account
      const still = (account.clock = frozenClock(this.now(account)))
      this.#courier.holdAccount(account.id)
      try {
        await this.#ticker.waitForWork(account.id)
        if (!kept) this.#courier.abortDeliveries(account.id)
        return await work(clock)
      } finally {
        this.#courier.releaseAccount(account.id)
        if (account.gone === true) this.#forget(account)
        else await this.#goOn(account, still, clock, kept)
      }
    })
  }

  async #goOn (account: Account, still: Clock, clock: Clock, kept: boolean): Promise<void> {
    if (account.clock === still) {
      account.clock = clock
      if (!kept) await this.#courier.requeueAborted(account.id)
    }
    await this.#ticker.refreshAccount(account.id)
  }

  #forget ({ id }: Account): void {
    this.#ticker.forgetAccount(id)
    this.#queues.delete(id)
  }

  /** Goes from one due time to the next, up to a time; the last of them. */
  async #happen (account: Account, target: number, counts: AdvanceCounts): Promise<number> {
    for (;;) {
      const queues = await this.#dueQueue.listQueuesOf(account.id)
      const due = Math.min(...queues.map((queue) => queue.due))
      if (queues.length === 0 || due > target) return account.clock.base
      const now = Math.max(due, account.clock.base)
      account.clock = heldClock(account.clock, now)
      for (const queue of queues) if (queue.due <= now) await this.#worker(queue, now, counts)
      await this.#courier.waitForDeliveries(account.id)
    }
  }

  async #put (
    account: Account,
    mode: Clock['mode'],
    now: number,
    speed: number,
    since = this.#systemClock.now()
  ): Promise<void> {
    account.clock =
      mode === 'frozen' ? { ...frozenClock(now), speed } : { mode, base: now, since, speed }
    await this.#accounts.save(account)
    await this.#ticker.refreshAccount(account.id)
  }

  #inTurn<T>(account: Account, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(account.id) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#queues.set(
      account.id,
      turn.catch(() => {})
    )
    return turn
  }
}
