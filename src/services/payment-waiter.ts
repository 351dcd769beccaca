import type { Accounts } from '../accounts/registry.ts'
import type { SystemClock } from '../lib/clock.ts'
import { accountTime, originalClock, systemTimeOf } from '../lib/clock.ts'
import { Sleeper } from '../lib/sleeper.ts'
import { callbackUrl, type Account } from '../domain/account.ts'
import type { Kind } from '../domain/kinds.ts'
import type { Status } from '../domain/status.ts'
import { isFinal } from '../domain/status.ts'
import type { Listeners } from '../listening/listeners.ts'
import type { ChangeListeners } from '../monitoring/change-listeners.ts'
import type { PaymentRecord, PaymentInspector } from './payment-inspector.ts'

/** Goal of a wait: a final status, a final status with acknowledged callbacks, or a status. */
export type WaitGoal = 'final' | 'acknowledged' | Status

/** Result of a wait. `unmet` says why the goal was not reached. */
export interface WaitOutcome {
  record: PaymentRecord
  unmet?: { why: string; because: 'late' | 'never' | 'nowhere' | 'frozen' | 'stopping' }
}

/** Longest time between two looks at a payment. */
const longestPauseMs = 1000

/** Waits for payments without polling. */
export class PaymentWaiter {
  readonly #paymentInspector: PaymentInspector
  readonly #changeListeners: ChangeListeners
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #listeners: Listeners
  readonly #open = new Set<WaitEnd>()
  #isClosed = false

  constructor (
    paymentInspector: PaymentInspector,
    changeListeners: ChangeListeners,
    accounts: Accounts,
    systemClock: SystemClock,
    listeners: Listeners
  ) {
    this.#listeners = listeners
    this.#accounts = accounts
    this.#paymentInspector = paymentInspector
    this.#changeListeners = changeListeners
    this.#systemClock = systemClock
  }

  /**
   * Waits until the goal is reached, can no longer be reached, or the time is up. Returns undefined
   * if the payment does not exist.
   */
  async wait (
    account: Account,
    kind: Kind,
    id: string,
    goal: WaitGoal,
    timeoutMs: number,
    abandoned: AbortSignal
  ): Promise<WaitOutcome | undefined> {
    const end = new WaitEnd(timeoutMs, abandoned)
    this.#open.add(end)
    if (this.#isClosed) end.stop()
    try {
      return await this.#accounts.changes.keepInUse(account, () =>
        this.#wait(account, kind, id, goal, end)
      )
    } finally {
      end.dispose()
      this.#open.delete(end)
    }
  }

  async #wait (
    account: Account,
    kind: Kind,
    id: string,
    goal: WaitGoal,
    end: WaitEnd
  ): Promise<WaitOutcome | undefined> {
    let unlisten: (() => void) | undefined
    try {
      for (;;) {
        const record = await this.#paymentInspector.find(account, kind, id)
        if (record === undefined) return undefined
        const outcome = this.#judge(account, record, goal, end)
        if (outcome !== undefined) return outcome
        // The first look may have missed a change, so it is followed by another one.
        if (unlisten === undefined) {
          const topics = [{ seq: record.view.payment.seq }, { id }]
          unlisten = this.#changeListeners.listen(account.id, topics, end.wake)
        } else await end.sleep(this.#pauseMs(account, record))
      }
    } finally {
      unlisten?.()
    }
  }

  /** Ends every wait: the server stops. */
  close (): void {
    this.#isClosed = true
    for (const end of this.#open) end.stop()
  }

  /** Returns the outcome, or undefined if the wait continues. */
  #judge (
    account: Account,
    record: PaymentRecord,
    goal: WaitGoal,
    { isOver }: WaitEnd
  ): WaitOutcome | undefined {
    const { reached, never, now } = standing(record, goal)
    if (reached) return { record }
    if (goal === 'acknowledged' && this.#isWithoutUrl(account, record)) {
      const { callback } = record.view.payment.kind
      const why = `${now}, and no callback URL is set for ${callback}: nothing will be sent`
      return { record, unmet: { why, because: 'nowhere' } }
    }
    if (never) {
      return { record, unmet: { why: `${now}, and will never be ${goal}`, because: 'never' } }
    }
    if (originalClock(account.clock).mode === 'frozen') {
      const why = `${now}, and the clock of this account is frozen: nothing happens by itself`
      return { record, unmet: { why, because: 'frozen' } }
    }
    if (!isOver) return undefined
    return this.#isClosed
      ? { record, unmet: { why: `${now}, and the server is being stopped`, because: 'stopping' } }
      : { record, unmet: { why: now, because: 'late' } }
  }

  /** Tells whether a payment has no callback because there is no URL and no listener for it. */
  #isWithoutUrl (
    { id, settings }: Account,
    { view: { payment, state }, callbacks }: PaymentRecord
  ): boolean {
    if (callbacks.length > 0) return false
    return isFinal(state.to)
      ? state.noCallbackReason === 'nowhere'
      : callbackUrl(settings, payment.kind) === undefined && !this.#listeners.has(id)
  }

  /** Returns the time until the plan of the payment has its next step. */
  #pauseMs (account: Account, { view: { payment } }: PaymentRecord): number {
    const systemNow = this.#systemClock.now()
    const clock = account.clock
    const now = accountTime(clock, systemNow)
    const next = payment.plan.steps.find(({ at }) => at > now)
    return next === undefined
      ? longestPauseMs
      : Math.min(Math.ceil(systemTimeOf(clock, next.at) - systemNow), longestPauseMs)
  }
}

/** End of one wait: its time is up, its caller has disconnected, or the server stops. */
class WaitEnd extends Sleeper {
  isOver = false
  readonly #abandoned: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor (timeoutMs: number, abandoned: AbortSignal) {
    super()
    this.#abandoned = abandoned
    this.#timer = setTimeout(this.stop, timeoutMs)
    abandoned.addEventListener('abort', this.stop)
    if (abandoned.aborted) this.isOver = true
  }

  readonly stop = (): void => {
    this.isOver = true
    this.wake()
  }

  dispose (): void {
    clearTimeout(this.#timer)
    this.#abandoned.removeEventListener('abort', this.stop)
  }
}

/** Compares a payment with a goal. */
function standing (
  { view: { payment, state }, history, callbacks }: PaymentRecord,
  goal: WaitGoal
): { reached: boolean; never: boolean; now: string } {
  const ended = isFinal(state.to)
  const now = `${payment.kind.name} ${payment.details.id} is ${state.to}`
  if (goal === 'final') return { reached: ended, never: false, now }
  // An earlier status counts too, so that a late call does not wait in vain.
  if (goal !== 'acknowledged') {
    return { reached: history.some(({ to }) => to === goal), never: ended, now }
  }
  // Only the callbacks of the final status; a redirect has a callback before it.
  const states = callbacks
    .filter(({ body }) => !ended || JSON.parse(body).status === state.to)
    .map(({ state }) => state)
  const description =
    states.length === 0
      ? ended
        ? `${now} and has no callback`
        : now
      : `${now}, its callbacks are ${[...new Set(states)].join(' and ')}`
  // Once no callback is pending, the newest one counts: a resend may have replaced the first.
  const settled = ended && !states.includes('PENDING')
  const newest = states.at(-1)
  return {
    reached: settled && newest === 'ACKNOWLEDGED',
    never: settled && (newest === undefined || newest === 'EXHAUSTED'),
    now: description
  }
}
