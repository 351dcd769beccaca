import type { SystemClock } from '../lib/clock.ts'
import type { Counters } from './counters.ts'

/** Numbers of events in one interval. */
export interface RateSample {
  /** System time at the end of the interval. */
  at: number
  durationMs: number
  requests: number
  payments: number
  callbacks: number
}

interface Totals {
  requests: number
  payments: number
  callbacks: number
}

export const sampleMs = 1000
/** Number of samples that are kept: two minutes. */
const keptSamples = 120
/** Without a reader for this long, nothing is sampled any more. */
const idleMs = 60_000

/**
 * Rates of the whole server: requests to the API, accepted payments and callback attempts. They
 * come from counters that every request updates anyway. Samples are taken only while somebody
 * reads them.
 */
export class Rates {
  readonly #counters: Counters
  readonly #systemClock: SystemClock
  #samples: RateSample[] = []
  #last: (Totals & { at: number }) | undefined
  #lastRead = 0
  #timer: NodeJS.Timeout | undefined

  constructor (counters: Counters, systemClock: SystemClock) {
    this.#counters = counters
    this.#systemClock = systemClock
  }

  /** Returns the samples, oldest first, and begins to take them. */
  read (): readonly RateSample[] {
    this.#lastRead = this.#systemClock.now()
    if (this.#timer === undefined) {
      // After a pause the first interval would be too long.
      this.#last = undefined
      this.sample()
      this.#timer = setInterval(() => this.#tick(), sampleMs)
      this.#timer.unref()
    }
    return this.#samples
  }

  /** Takes a sample: the events since the last one. */
  sample (): void {
    const at = this.#systemClock.now()
    const totals = this.#countTotals()
    const last = this.#last
    this.#last = { at, ...totals }
    if (last === undefined || at === last.at) return
    this.#samples.push({
      at,
      durationMs: at - last.at,
      requests: totals.requests - last.requests,
      payments: totals.payments - last.payments,
      callbacks: totals.callbacks - last.callbacks
    })
    this.#samples = this.#samples.slice(-keptSamples)
  }

  close (): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick (): void {
    if (this.#systemClock.now() - this.#lastRead > idleMs) this.close()
    else this.sample()
  }

  #countTotals (): Totals {
    const { routes, initiations, attempts } = this.#counters
    let [requests, payments, callbacks] = [0, 0, 0]
    for (const { route, statuses } of routes) {
      if (/^\/(__admin|static|health|ready)/.test(route)) continue
      for (const count of statuses.values()) requests += count
    }
    for (const [name, count] of initiations) if (name.endsWith(' ACCEPTED')) payments += count
    for (const [, count] of attempts) callbacks += count
    return { requests, payments, callbacks }
  }
}
