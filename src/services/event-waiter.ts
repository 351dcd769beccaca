import { setTimeout as pause } from 'node:timers/promises'
import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import type { ExpectedStep } from '../verification/expectation.ts'
import type { SeenEvent, UnmetExpectation } from '../verification/expectations.ts'
import { stopwatch, systemTimeOf, type SystemClock } from '../lib/clock.ts'
import { Sleeper } from '../lib/sleeper.ts'
import type { ChangeListeners } from '../monitoring/change-listeners.ts'
import type { Journal } from '../monitoring/request-journal.ts'
import type { Verification } from './verification.ts'

/** Event to wait for, and the number of them. */
export interface WaitedEvent {
  step: ExpectedStep
  count: number
}

/** Parts that tell of changes. */
export interface EventWaiterParts {
  verification: Verification
  accounts: Accounts
  journal: Pick<Journal, 'watch'>
  changeListeners: Pick<ChangeListeners, 'listen'>
  systemClock: SystemClock
}

/** Longest time between two looks. */
const longestPauseMs = 1000
/**
 * Rest after a look, in milliseconds, and in times of its duration: an account that is busy always
 * has news.
 */
const rest = { least: 5, factor: 3 }

/** Waits for requests, callbacks and payments. It looks again when something has changed. */
export class EventWaiter {
  readonly #parts: EventWaiterParts
  readonly #closing = new AbortController()

  constructor (parts: EventWaiterParts) {
    this.#parts = parts
  }

  /** Waits for so many events. Returns the newest of them, or why it ended without them. */
  async wait (
    account: Account,
    waited: WaitedEvent,
    timeoutMs: number,
    abandoned: AbortSignal
  ): Promise<{ found: SeenEvent } | { unmet: UnmetExpectation }> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    const end = AbortSignal.any([late.signal, abandoned, this.#closing.signal])
    const { wake, sleep } = new Sleeper()
    end.addEventListener('abort', wake)
    const ignore = this.#listen(account, waited.step, wake)
    try {
      return await this.#parts.accounts.changes.keepInUse(account, () =>
        this.#lookUntil(account, waited, end, sleep)
      )
    } finally {
      ignore()
      end.removeEventListener('abort', wake)
      clearTimeout(timer)
    }
  }

  /** Ends every wait: the server stops. */
  close (): void {
    this.#closing.abort()
  }

  #listen (account: Account, { request, payment }: ExpectedStep, wake: () => void): () => void {
    const { journal, changeListeners } = this.#parts
    if (request !== undefined) return journal.watch(account.id, wake)
    const topic = payment?.id === undefined ? { any: true as const } : { id: payment.id }
    return changeListeners.listen(account.id, [topic], wake)
  }

  async #lookUntil (
    account: Account,
    { step, count }: WaitedEvent,
    end: AbortSignal,
    sleep: (ms: number) => Promise<void>
  ): Promise<{ found: SeenEvent } | { unmet: UnmetExpectation }> {
    const { verification } = this.#parts
    for (;;) {
      const isLast = end.aborted
      const started = stopwatch()
      const { events, nextMove } = await verification.find(account, step, count)
      const newest = events.at(-1)
      if (newest !== undefined && events.length >= count) return { found: newest }
      if (isLast) {
        const { failed } = await verification.verify(account, [{ ...step, atLeast: count }])
        // It happened between the two looks.
        if (failed.length === 0) continue
        return { unmet: failed[0] }
      }
      const restMs = Math.max(rest.least, (stopwatch() - started) * rest.factor)
      await pause(restMs, undefined, { signal: end }).catch(() => {})
      await sleep(this.#pauseMs(account, nextMove))
    }
  }

  /** Returns the time until something may be new although nobody is told of it. */
  #pauseMs ({ clock }: Account, nextMove: number): number {
    const { systemClock } = this.#parts
    const untilMove = Math.ceil(systemTimeOf(clock, nextMove) - systemClock.now())
    return untilMove > 0 ? Math.min(untilMove, longestPauseMs) : longestPauseMs
  }
}
