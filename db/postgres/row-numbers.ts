import { stopwatch } from '../../src/lib/clock.ts'

/** Numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** The same for a few pieces of work, on one of several servers. */
const fewNumbers = 10
/** Pieces of work that are few: their rows must be in the order of the requests to all servers. */
const fewPieces = 2
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
  /** Time on the stopwatch at which the oldest numbers were taken. */
  #taken = 0

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, read: ReadNumbers) {
    this.#isShared = isShared
    this.#read = read
  }

  /**
   * Prepares a transaction. On one of several servers it drops numbers that were taken a while ago,
   * so that new rows have higher numbers than those of other servers. Few requests get new numbers,
   * which costs a round trip; many requests at once have no order.
   */
  prepare (pieces: number): void {
    if (!this.#isShared) return
    const isFew = pieces <= fewPieces
    this.#countToTake = isFew ? fewNumbers : numbersAhead
    if (this.#numbers.size === 0) return
    if (isFew || stopwatch() - this.#taken > usableMs) this.#numbers.clear()
  }

  /** Returns an unused number for a row of a table. */
  take (table: string, column: string): number {
    const numbers = this.#numbers.get(table) ?? []
    if (numbers.length === 0) {
      numbers.push(...this.#read(table, column, this.#countToTake).reverse())
      if (this.#numbers.size === 0) this.#taken = stopwatch()
      this.#numbers.set(table, numbers)
    }
    return Number(numbers.pop())
  }
}
