import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import type { ExpectedStep } from '../domain/expectation.ts'
import type { SeenEvent, UnmetExpectation } from '../domain/expectations.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { Verification } from './verification.ts'

/** Event to wait for, and the number of them. */
export interface WaitedEvent {
  step: ExpectedStep
  count: number
}

/** Pause between two looks, in milliseconds: at least, at most, and in times of a look. */
const pause = { least: 20, most: 1000, factor: 3 }

/**
 * Waits for requests, callbacks and payments. It looks again and again, so that the requests of
 * others cost nothing more while nobody waits.
 */
export class EventWaiter {
  readonly #verification: Verification
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #closing = new AbortController()

  constructor (verification: Verification, accounts: Accounts, systemClock: SystemClock) {
    this.#verification = verification
    this.#accounts = accounts
    this.#systemClock = systemClock
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
    try {
      return await this.#accounts.changes.keepInUse(account, () =>
        this.#lookUntil(account, waited, end)
      )
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends every wait: the server stops. */
  close (): void {
    this.#closing.abort()
  }

  async #lookUntil (
    account: Account,
    { step, count }: WaitedEvent,
    end: AbortSignal
  ): Promise<{ found: SeenEvent } | { unmet: UnmetExpectation }> {
    for (;;) {
      const started = this.#systemClock.now()
      const matches = await this.#verification.find(account, step)
      const newest = matches.at(-1)
      if (newest !== undefined && matches.length >= count) return { found: newest }
      if (end.aborted) {
        const { failed } = await this.#verification.verify(account, [{ ...step, atLeast: count }])
        // It happened between the two looks.
        if (failed.length === 0) continue
        return { unmet: failed[0] }
      }
      const ms = (this.#systemClock.now() - started) * pause.factor
      await sleep(Math.min(Math.max(ms, pause.least), pause.most), undefined, {
        signal: end
      }).catch(() => {})
    }
  }
}
