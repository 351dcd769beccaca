import { setTimeout as sleep } from 'node:timers/promises'
import { idsIn } from './evidence.ts'
import { systemClock, type JournalEntry, type MomockClient, type PaymentSummary } from './mock.ts'
import type { Settings } from './settings.ts'

/** Intervals between looks while the exam waits. They grow. */
const lookMs = 20
const longestLookMs = 300

/** Watcher of the mock: requests of the merchant, and deliveries to it. */
export class MockWatcher {
  readonly #mock: MomockClient
  readonly #settings: Settings
  readonly #stop: AbortSignal
  /** Payments of earlier checks, which the merchant may still ask about. */
  readonly #earlier: ReadonlySet<string>

  constructor (
    mock: MomockClient,
    settings: Settings,
    stop: AbortSignal,
    earlier: ReadonlySet<string>
  ) {
    this.#mock = mock
    this.#settings = settings
    this.#stop = stop
    this.#earlier = earlier
  }

  /** The requests of the merchant to the API, oldest first. */
  async journal (): Promise<JournalEntry[]> {
    const isOurs = ({ request }: JournalEntry): boolean =>
      request.headers['x-momock-exam'] !== undefined
    const isEarlier = (entry: JournalEntry): boolean =>
      idsIn(entry).some((id) => this.#earlier.has(id))
    return (await this.#mock.requests())
      .reverse()
      .filter((entry) => !isOurs(entry) && !isEarlier(entry))
  }

  /** Waits until the requests of the merchant are as wanted, or the time is up. */
  async waitForJournal (
    isEnough: (entries: JournalEntry[]) => boolean,
    ms: number
  ): Promise<JournalEntry[]> {
    const deadline = systemClock.now() + ms
    for (let pauseMs = lookMs; ; pauseMs = Math.min(pauseMs * 1.5, longestLookMs)) {
      const entries = await this.journal()
      const left = deadline - systemClock.now()
      if (isEnough(entries) || left <= 0) return entries
      await this.#pause(Math.min(pauseMs, left))
    }
  }

  /** The deposits of the account, as soon as there are so many, or when the time is up. */
  async waitForPayments (count: number): Promise<PaymentSummary[]> {
    const deadline = systemClock.now() + this.#settings.patienceMs
    for (;;) {
      const all = await this.#mock.payments({ kind: 'deposit' })
      const payments = all.filter(({ id }) => !this.#earlier.has(id))
      if (payments.length >= count || systemClock.now() >= deadline) return payments
      await this.#pause(lookMs)
    }
  }

  /** Waits until the mock has tried to deliver a callback of a payment. */
  async delivered (id: string, tries = 1): Promise<void> {
    const deadline =
      systemClock.now() + this.#settings.limits.callbackTimeoutMs + this.#settings.settleMs
    for (;;) {
      const callbacks = await this.#mock.callbacks({ paymentId: id })
      if (callbacks.some((callback) => callback.tries >= tries) || systemClock.now() >= deadline) {
        return
      }
      await this.#pause(lookMs)
    }
  }

  async #pause (ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop })
  }
}
