import type { Accounts } from '../src/accounts/registry.ts'
import type { Clock, SystemClock } from '../src/lib/clock.ts'
import { accountTime, frozenClock, originalClock } from '../src/lib/clock.ts'
import { listOutageEnds, type Account } from '../src/domain/account.ts'
import { outageQueue, type DueQueue, type Queue } from '../src/ports/due-queue.ts'
import type { Courier } from './courier.ts'
import {
  advanceSteps,
  findTarget,
  newAdvanceCounts,
  type AdvanceCounts,
  type AdvanceGoal
} from './advance.ts'
import { AccountTurns, untilAborted } from './account-turns.ts'
import type { Ticker } from './ticker.ts'

/**
 * Does the work that is due in a queue, counts it, and returns when it is done. Returns false if
 * nothing was done.
 */
export type CountingWorker = (queue: Queue, now: number, counts: AdvanceCounts) => Promise<boolean>

/** Parts that the clock control needs. */
export interface ClockControlParts {
  dueQueue: DueQueue
  accounts: Accounts
  ticker: Ticker
  courier: Courier
  systemClock: SystemClock
  work: CountingWorker
  /** Records the states of payments at a time; states never go back, but a clock may. */
  recordStates: (account: number, now: number) => Promise<void>
}

/** Advance from the time of a clock to a goal, begun at a system time. */
interface Advance {
  original: Clock
  start: number
  began: number
  goal: AdvanceGoal
}

/** Sets the clocks of accounts, and advances them with everything that falls due on the way. */
export class ClockControl {
  readonly #parts: ClockControlParts
  readonly #turns = new AccountTurns()

  constructor (parts: ClockControlParts) {
    this.#parts = parts
  }

  /** Returns the time of an account. An advance moves it from step to step. */
  now (account: Account): number {
    return this.#parts.accounts.now(account)
  }

  /**
   * Sets the clock of an account. Work that is due by then is done in its own time on a running
   * clock, and not at all on a frozen one. Outages that are over by then end.
   */
  setClock (
    account: Account,
    { mode, now, speed }: { mode: Clock['mode']; now?: number; speed?: number }
  ): Promise<void> {
    return this.#turns.interrupt(account.id, 'PUT /__admin/clock', async () => {
      await this.#replaceClock(account, mode, now, speed)
      await this.#endOutages(account)
    })
  }

  /** Records the states of payments, if the clock is going to be set back to a time. */
  async recordStates (account: Account, now?: number): Promise<void> {
    const before = this.now(account)
    if (now !== undefined && now < before) await this.#parts.recordStates(account.id, before)
  }

  /** Stores another clock. The old one stands still meanwhile: nobody sees a later time of it. */
  async #replaceClock (
    account: Account,
    mode: Clock['mode'],
    now: number | undefined,
    speed = account.clock.speed
  ): Promise<void> {
    const before = this.now(account)
    await this.#whileHeld(account, before, async () => {
      await this.recordStates(account, now)
      await this.#storeClock(account, mode, now ?? before, speed)
    })
  }

  /**
   * Runs work while the clock of an account stands still at a time. A clock that the work has not
   * replaced then goes on. The ticker sets no timers for a held clock, so the end of the hold is
   * what sets them, whatever has failed.
   */
  async #whileHeld<T>(account: Account, at: number, work: () => Promise<T>): Promise<T> {
    const { accounts, ticker } = this.#parts
    accounts.changes.holdClock(account, at)
    try {
      return await work()
    } finally {
      accounts.changes.releaseClock(account)
      ticker.armAccount(account.id)
    }
  }

  /** Ends the outages that are over. A frozen clock that was set forward does no other work. */
  async #endOutages (account: Account): Promise<void> {
    const now = this.now(account)
    if (listOutageEnds(account.outageEnds).every((end) => end > now)) return
    await this.#parts.work({ account: account.id, queue: outageQueue }, now, newAdvanceCounts())
  }

  /**
   * Advances the clock of an account by a duration, to a time, to the next due time, or until
   * nothing is due. Returns when all due work is done, in due order. Throws an `InterruptedTurn`
   * when a change of the account ends it early; the clock then stays at the time that was reached.
   */
  advanceClock (account: Account, to: (now: number) => AdvanceGoal): Promise<AdvanceCounts> {
    return this.#turns.runInterruptible(account.id, async (interrupted) => {
      const began = this.#parts.systemClock.now()
      const start = accountTime(account.clock, began)
      const advance = { original: account.clock, start, began, goal: to(start) }
      // Held, so that neither the ticker nor a request sees the time between two steps.
      return await this.#whileHeld(account, start, () =>
        this.#advanceHeldClock(account, advance, interrupted)
      )
    })
  }

  async #advanceHeldClock (
    account: Account,
    { original: { mode, speed }, start, began, goal }: Advance,
    interrupted: AbortSignal
  ): Promise<AdvanceCounts> {
    const { accounts, dueQueue, ticker, courier } = this.#parts
    const counts = newAdvanceCounts()
    try {
      await untilAborted(interrupted, ticker.waitForWork(account.id))
      await untilAborted(interrupted, courier.waitForDeliveries(account.id))
      const target = await findTarget(dueQueue, account.id, goal, start)
      const plan = { target, counts, interrupted, waitsForReceivers: true }
      for (;;) {
        const last = await advanceSteps(this.#parts, account, plan)
        const end = goal === 'idle' ? last : target
        // The time that an advance takes counts on a running clock.
        await this.#storeClock(account, mode, end, speed, began)
        // A request before the end may have added work: it is done, too.
        if (!(await this.#hasDueWork(account, end))) return counts
        accounts.changes.holdClock(account, this.now(account))
      }
    } catch (error) {
      // The advance ends at its current time. A clock that cannot be stored goes on as before.
      await this.#storeClock(account, mode, account.clock.base, speed, began)
      throw error
    }
  }

  /**
   * Does the work of a frozen account that is due now, and waits for no receiver. The ticker does
   * the work of a running one.
   */
  async catchUp (account: Account): Promise<void> {
    if (originalClock(account.clock).mode !== 'frozen') return
    const turn = this.#turns.runInterruptible(account.id, async (interrupted) => {
      const target = this.now(account)
      const plan = { target, counts: newAdvanceCounts(), interrupted, waitsForReceivers: false }
      await this.#whileHeld(account, target, () => advanceSteps(this.#parts, account, plan))
    })
    await this.#turns.ignoreInterruption(turn)
  }

  /** Runs work on an account between its advances. */
  runInTurn<T>(account: Account, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(account.id, work)
  }

  /** Runs work on an account; an advance that waits for a receiver is interrupted for it. */
  interruptFor<T>(account: Account, reason: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.interrupt(account.id, reason, work)
  }

  /** Ends the work on an account that leaves this server. */
  leaveAccount (account: number): void {
    const { courier, ticker } = this.#parts
    this.#turns.interruptNow(account, 'the move of the account to another server')
    ticker.forgetAccount(account)
    courier.leaveAccount(account)
  }

  /**
   * Runs work on a whole account while nothing else happens to it: its clock is held, work in
   * progress ends, and callbacks in progress are aborted unless they are kept. Work that leaves the
   * clock held has changed nothing.
   */
  runAlone<T>(account: Account, reason: string, kept: boolean, work: () => Promise<T>): Promise<T> {
    const { ticker, courier } = this.#parts
    const workAlone = async (): Promise<T> => {
      courier.holdAccount(account.id)
      try {
        await ticker.waitForWork(account.id)
        if (kept) return await work()
        courier.abortDeliveries(account.id)
        return await work()
      } finally {
        if (account.gone === true) this.#forgetAccount(account)
        else await this.#resumeCallbacks(account, kept)
      }
    }
    return this.#turns.interrupt(account.id, reason, () =>
      this.#whileHeld(account, this.now(account), workAlone)
    )
  }

  async #resumeCallbacks (account: Account, kept: boolean): Promise<void> {
    const { ticker, courier } = this.#parts
    const hasChanged = account.clock.instead === undefined
    const refresh = (): Promise<void> => ticker.refreshAccount(account.id)
    try {
      if (hasChanged || kept) courier.releaseAccount(account.id)
      else await courier.resumeAccount(account.id, refresh)
    } finally {
      await refresh()
    }
  }

  #forgetAccount ({ id }: Account): void {
    this.#parts.courier.releaseAccount(id)
    this.#parts.ticker.forgetAccount(id)
    this.#turns.forget(id)
  }

  /** Tells whether work of an account is left that was due by a time. */
  async #hasDueWork ({ id }: Account, target: number): Promise<boolean> {
    const queues = await this.#parts.dueQueue.listQueuesOf(id)
    return queues.some(({ due }) => due <= target)
  }

  async #storeClock (
    account: Account,
    mode: Clock['mode'],
    now: number,
    speed: number,
    since = this.#parts.systemClock.now()
  ): Promise<void> {
    const clock: Clock =
      mode === 'frozen' ? { ...frozenClock(now), speed } : { mode, base: now, since, speed }
    await this.#parts.accounts.changes.setClock(account, clock)
    await this.#parts.ticker.refreshAccount(account.id)
  }
}
