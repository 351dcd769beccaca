/** Most numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** Numbers that a server has in reserve. To take 500 takes 0.7 ms. */
const reserve = 100
/** The fewest that one of several servers takes for a transaction. */
const leastNumbers = 4

/** Takes numbers out of the sequence of a table. */
type TakeNumbers = (table: string, count: number) => Promise<number[]>

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #isShared: boolean
  readonly #take: TakeNumbers
  /** Numbers by table, last first. */
  readonly #numbers = new Map<string, number[]>()
  /** Numbers that were asked for before they are needed. */
  readonly #asked = new Map<string, Promise<number[]>>()
  #countToTake = numbersAhead

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, take: TakeNumbers) {
    this.#isShared = isShared
    this.#take = take
  }

  /**
   * Prepares a transaction with a number of requests. Each transaction of one of several servers
   * takes its own numbers: requests that a client sends one after another to different servers get
   * numbers in this order.
   */
  prepare (requests: number): void {
    if (!this.#isShared) return
    this.#numbers.clear()
    this.#asked.clear()
    this.#countToTake = Math.min(Math.max(requests, leastNumbers), numbersAhead)
    if (requests > 0) this.#ask('payments', this.#countToTake)
  }

  /** Asks for numbers together with the end of a transaction: the next ones do not wait. */
  askForMore (): void {
    if (this.#isShared) return
    for (const [table, { length }] of this.#numbers) {
      if (length < reserve && !this.#asked.has(table)) this.#ask(table, reserve)
    }
  }

  /** Forgets the unused numbers of a table. */
  forget (table: string): void {
    this.#numbers.delete(table)
    this.#asked.delete(table)
  }

  /** Returns an unused number for a row of a table. */
  async next (table: string): Promise<number> {
    const number = this.#numbers.get(table)?.pop()
    if (number !== undefined) return number
    const asked = this.#asked.get(table)
    this.#asked.delete(table)
    const taken = await (asked ?? this.#take(table, this.#countToTake))
    // Work that needs more than expected needs many.
    if (this.#isShared) this.#countToTake = Math.min(2 * this.#countToTake, numbersAhead)
    this.#numbers.set(table, [...(this.#numbers.get(table) ?? []), ...taken.reverse()])
    return await this.next(table)
  }

  #ask (table: string, count: number): void {
    const asked = this.#take(table, count)
    this.#asked.set(table, asked)
    // A transaction that fails brings none.
    asked.catch(() => {
      if (this.#asked.get(table) === asked) this.#asked.delete(table)
    })
  }
}
