import { Turns } from '../lib/turns.ts'
import type { Logger } from 'pino'
import type { Accounts } from '../accounts/registry.ts'
import { nameForLog } from '../accounts/sandbox-tokens.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import type { AccountLifecycle } from './account-lifecycle.ts'

/** Looked at no more often than this, and no less often, whatever the idle time is. */
const shortestRoundMs = 50
const longestRoundMs = 10 * 60_000

/**
 * Deletes sandbox accounts that were not used for a while, by the system clock, with all their
 * payments. Their tokens can open them again. One timer for all of them.
 */
export class SandboxCleanup {
  readonly #accounts: Accounts
  readonly #remove: AccountLifecycle['removeAccount']
  readonly #systemClock: SystemClock
  readonly #log: Logger
  readonly #idleMs: number
  #timer: NodeJS.Timeout | undefined
  readonly #rounds = new Turns()

  /** An idle time of 0 means for good. */
  constructor (
    accounts: Accounts,
    remove: AccountLifecycle['removeAccount'],
    systemClock: SystemClock,
    log: Logger,
    idleMs: number
  ) {
    this.#accounts = accounts
    this.#remove = remove
    this.#systemClock = systemClock
    this.#log = log
    this.#idleMs = idleMs
  }

  start (): void {
    if (this.#idleMs === 0) return
    const every = Math.min(Math.max(this.#idleMs / 4, shortestRoundMs), longestRoundMs)
    this.#timer = setInterval(() => {
      this.removeIdle().catch((error: unknown) =>
        this.#log.error(
          { err: error },
          'unused sandbox accounts could not be deleted; the next round tries again'
        )
      )
    }, every).unref()
  }

  /** Deletes the accounts that are idle now. */
  removeIdle (): Promise<void> {
    return this.#rounds.run(() => this.#tidy())
  }

  /** Starts no further round and waits for the one under way. */
  async stop (): Promise<void> {
    clearInterval(this.#timer)
    await this.#rounds.end()
  }

  async #tidy (): Promise<void> {
    if (this.#idleMs === 0) return
    for (const account of this.#accounts.here) {
      if (!this.#isIdle(account)) continue
      if (!(await this.#remove(account, () => !this.#isIdle(account)))) continue
      this.#log.debug({ account: nameForLog(account) }, 'an unused sandbox account was deleted')
    }
  }

  #isIdle ({ origin, lastUsed, opened, waiting = 0 }: Account): boolean {
    return (
      origin === 'sandbox' &&
      waiting === 0 &&
      this.#systemClock.now() - (lastUsed ?? opened) >= this.#idleMs
    )
  }
}
