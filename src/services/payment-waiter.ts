import type { Accounts } from '../accounts/registry.ts'
import type { SystemClock } from '../lib/clock.ts'
import { systemTimeOf, accountTime } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import type { Kind } from '../domain/kinds.ts'
import type { Status } from '../domain/status.ts'
import { isFinal } from '../domain/status.ts'
import type { ChangeListeners } from '../monitoring/change-listeners.ts'
import type { PaymentRecord, PaymentInspector } from './payment-inspector.ts'

/**
 * What is waited for: the end, the end and the merchant's word that it has heard of it, or a state.
 */
export type WaitGoal = 'final' | 'acknowledged' | Status

/** How a wait ended: it came true; it did not, or cannot, and why. */
export interface WaitOutcome {
  record: PaymentRecord
  unmet?: { why: string; because: 'late' | 'never' | 'frozen' | 'stopping' }
}

/** It is looked again after this long at the latest, whatever was heard. */
const longestNapMs = 1000

/** Waits for payments, without asking again and again. */
export class PaymentWaiter {
  readonly #paymentInspector: PaymentInspector
  readonly #changeListeners: ChangeListeners
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #closing = new AbortController()

  constructor (
    paymentInspector: PaymentInspector,
    changeListeners: ChangeListeners,
    accounts: Accounts,
    systemClock: SystemClock
  ) {
    this.#accounts = accounts
    this.#paymentInspector = paymentInspector
    this.#changeListeners = changeListeners
    this.#systemClock = systemClock
  }

  /**
   * Answers the moment the goal is reached, or when it cannot be any more, or when the time is up;
   * nothing, if there is no such payment.
   */
  async wait (
    account: Account,
    kind: Kind,
    id: string,
    goal: WaitGoal,
    timeoutMs: number,
    given: AbortSignal
  ): Promise<WaitOutcome | undefined> {
    return await this.#accounts.changes.keepInUse(account, () =>
      this.#wait(account, kind, id, goal, timeoutMs, given)
    )
  }

  async #wait (
    account: Account,
    kind: Kind,
    id: string,
    goal: WaitGoal,
    timeoutMs: number,
    given: AbortSignal
  ): Promise<WaitOutcome | undefined> {
    const late = AbortSignal.timeout(timeoutMs)
    const end = AbortSignal.any([late, given, this.#closing.signal])
    for (;;) {
      // Listened for before it is looked, so that nothing is missed in between.
      const change = this.#change(account, end)
      const record = await this.#paymentInspector.find(account, kind, id)
      if (record === undefined) return undefined
      const seen = standing(record, goal)
      if (seen.reached) return { record }
      if (seen.never) {
        return {
          record,
          unmet: { why: `${seen.now}, and will never be ${goal}`, because: 'never' }
        }
      }
      if (account.clock.mode === 'frozen') {
        return {
          record,
          unmet: {
            why: `${seen.now}, and the clock of this account is frozen: nothing happens by itself`,
            because: 'frozen'
          }
        }
      }
      if (end.aborted) {
        return {
          record,
          unmet: this.#closing.signal.aborted
            ? { why: `${seen.now}, and the server is being stopped`, because: 'stopping' }
            : { why: seen.now, because: 'late' }
        }
      }
      await change(this.#napMs(account, record))
    }
  }

  /** Ends every wait: the server stops. */
  close (): void {
    this.#closing.abort()
  }

  /** How long until the plan of the payment says something else. */
  #napMs (account: Account, { view: { payment } }: PaymentRecord): number {
    const machineNow = this.#systemClock.now()
    const now = accountTime(account.clock, machineNow)
    const next = payment.plan.steps.find(({ at }) => at > now)
    return next === undefined
      ? longestNapMs
      : Math.min(Math.ceil(systemTimeOf(account.clock, next.at) - machineNow), longestNapMs)
  }

  /** Begins to listen; what is returned waits until something was heard, or so long, or the end. */
  #change (account: Account, end: AbortSignal): (ms: number) => Promise<void> {
    let heard = false
    let wake = (): void => {
      heard = true
    }
    const unfollow = this.#changeListeners.listen(account.id, () => wake())
    return async (ms) => {
      if (!heard && !end.aborted) {
        await new Promise<void>((resolve) => {
          const nap = setTimeout(resolve, Math.max(ms, 1))
          wake = () => {
            clearTimeout(nap)
            resolve()
          }
          end.addEventListener('abort', wake, { once: true })
        })
      }
      end.removeEventListener('abort', wake)
      unfollow()
    }
  }
}

/** How a payment stands to a goal: there, on the way, or where it can never get there. */
function standing (
  { view: { payment, state }, history, callbacks }: PaymentRecord,
  goal: WaitGoal
): { reached: boolean; never: boolean; now: string } {
  const ended = isFinal(state.to)
  const now = `${payment.kind.name} ${payment.details.id} is ${state.to}`
  if (goal === 'final') return { reached: ended, never: false, now }
  // A state it has left again counts: who asks a moment too late has not waited in vain.
  if (goal !== 'acknowledged') {
    return { reached: history.some(({ to }) => to === goal), never: ended, now }
  }
  // Those that tell of the end: others may have told of a state on the way.
  const states = callbacks
    .filter(({ body }) => !ended || JSON.parse(body).status === state.to)
    .map(({ state }) => state)
  const told =
    states.length === 0
      ? ended
        ? `${now} and has no callback`
        : now
      : `${now}, its callbacks are ${[...new Set(states)].join(' and ')}`
  // What counts is the newest one, once none is on its way any more: who was told by another try
  // has been told.
  const settled = ended && !states.includes('PENDING')
  const newest = states.at(-1)
  return {
    reached: settled && newest === 'ACKNOWLEDGED',
    never: settled && (newest === undefined || newest === 'EXHAUSTED'),
    now: told
  }
}
