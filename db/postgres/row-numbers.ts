/** Numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** The fewest that one of several servers takes for a transaction. */
const leastNumbers = 4

/** Takes numbers out of the sequence of a column, lowest first. */
type ReadNumbers = (table: string, column: string, count: number) => number[]

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #isShared: boolean
  readonly #read: ReadNumbers
  readonly #numbers = new Map<string, number[]>()
  #countToTake = numbersAhead

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, read: ReadNumbers) {
    this.#isShared = isShared
    this.#read = read
  }

  /**
   * Prepares a transaction with a number of requests. Each transaction of one of several servers
   * takes its own numbers, which costs a round trip: requests that a client sends one after another
   * to different servers get numbers in this order.
   */
  prepare (requests: number): void {
    if (!this.#isShared) return
    this.#numbers.clear()
    this.#countToTake = Math.min(Math.max(requests, leastNumbers), numbersAhead)
  }

  /** Returns an unused number for a row of a table. */
  take (table: string, column: string): number {
    const numbers = this.#numbers.get(table) ?? []
    if (numbers.length === 0) {
      numbers.push(...this.#read(table, column, this.#countToTake).reverse())
      // Work that needs more than expected needs many.
      this.#countToTake = Math.min(2 * this.#countToTake, numbersAhead)
      this.#numbers.set(table, numbers)
    }
    return Number(numbers.pop())
  }
}
