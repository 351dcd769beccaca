import { stopwatch } from '../../src/lib/clock.ts'

/** Numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** The same for a few requests, on one of several servers. */
const fewNumbers = 4
/** The same for each of many requests: taking numbers costs a round trip. */
const numbersForEach = 8
/** Least numbers for many requests. */
const leastNumbers = 64
/** Requests that are few: their rows must be in the order of the requests to all servers. */
const fewRequests = 2
/** Time for which one of several servers uses the numbers it has taken. */
const usableMs = 100

/** Takes numbers out of the sequence of a column, lowest first. */
type ReadNumbers = (table: string, column: string, count: number) => number[]

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #isShared: boolean
  readonly #read: ReadNumbers
  readonly #numbers = new Map<string, number[]>()
  #countToTake = numbersAhead
  /** True if the transaction uses no numbers that were taken before it. */
  #isFresh = false
  #isFew = false
  /** True if the numbers were taken for few requests: the next ones get their own. */
  #wasFew = false
  /** Time on the stopwatch at which the oldest numbers were taken. */
  #taken = 0

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, read: ReadNumbers) {
    this.#isShared = isShared
    this.#read = read
  }

  /**
   * Prepares a transaction. On one of several servers it uses no numbers that were taken a while
   * ago, so that new rows have higher numbers than those of other servers. Few requests get new
   * numbers, which costs a round trip; many requests at once have no order.
   */
  prepare (requests: number): void {
    this.#countToTake = numbersAhead
    if (!this.#isShared) return
    this.#isFew = requests <= fewRequests
    this.#countToTake = this.#isFew
      ? fewNumbers
      : Math.min(Math.max(numbersForEach * requests, leastNumbers), numbersAhead)
    this.#isFresh = this.#isFew || this.#wasFew || stopwatch() - this.#taken > usableMs
  }

  /** Returns an unused number for a row of a table. */
  take (table: string, column: string): number {
    if (this.#isFresh) this.#numbers.clear()
    this.#isFresh = false
    const numbers = this.#numbers.get(table) ?? []
    if (numbers.length === 0) {
      if (this.#numbers.size === 0) {
        this.#taken = stopwatch()
        this.#wasFew = this.#isFew
      }
      numbers.push(...this.#read(table, column, this.#countToTake).reverse())
      // Work that needs more than expected needs many.
      this.#countToTake = Math.min(2 * this.#countToTake, numbersAhead)
      this.#numbers.set(table, numbers)
    }
    return Number(numbers.pop())
  }
}
