import { stopwatch, type SystemClock } from '../../src/lib/clock.ts'

/** A reading is late by a round trip, and by the work before it. */
const toleranceMs = 100

/**
 * Clock of the database. All servers of a ledger use it, so their own clocks may differ. Between
 * two readings it runs on the stopwatch of the server, which nobody sets.
 */
export class DatabaseClock implements SystemClock {
  readonly #before: SystemClock
  /** Time of the database minus the stopwatch; undefined before the first reading. */
  #difference: number | undefined

  /** `before` is the clock that counts before the first reading. */
  constructor (before: SystemClock) {
    this.#before = before
  }

  now (): number {
    return this.#difference === undefined
      ? this.#before.now()
      : Math.round(this.#difference + stopwatch())
  }

  /**
   * Takes the time that the database had a moment ago, in the middle of a round trip. The clock
   * changes only if it is far off, so that a slow reading does not disturb it.
   */
  adjust (time: number): void {
    const difference = time - stopwatch()
    const known = this.#difference
    if (known === undefined || Math.abs(difference - known) > toleranceMs) {
      this.#difference = difference
    }
  }
}
