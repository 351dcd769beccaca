import { stopwatch, type SystemClock } from '../../src/lib/clock.ts'

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
   * Reads the clock of the database. It was read at some moment of the round trip: the difference
   * changes only as far as it must, so that a slow reading does not disturb the clock.
   */
  async adjust (readTime: () => Promise<number>): Promise<void> {
    const sent = stopwatch()
    const time = await readTime()
    const latest = time - sent
    const earliest = time - stopwatch()
    const known = this.#difference ?? (earliest + latest) / 2
    this.#difference = Math.min(Math.max(known, earliest), latest)
  }
}
