/** Most numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** Numbers that a server has in reserve. To take 500 takes 0.7 ms. */
const reserve = 100

/** Takes numbers out of the sequence of a table. */
type TakeNumbers = (table: string, count: number) => Promise<number[]>

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #take: TakeNumbers
  /** Numbers by table, last first. */
  readonly #numbers = new Map<string, number[]>()
  /** Numbers that were asked for before they are needed. */
  readonly #asked = new Map<string, Promise<number[]>>()

  constructor (take: TakeNumbers) {
    this.#take = take
  }

  /** Asks for numbers together with the end of a transaction: the next ones do not wait. */
  askForMore (): void {
    for (const [table, { length }] of this.#numbers) {
      if (length < reserve && !this.#asked.has(table)) this.#ask(table)
    }
  }

  /** Forgets the unused numbers, of a table or of all: rows may have larger ones by now. */
  forget (table?: string): void {
    for (const name of table === undefined ? this.#numbers.keys() : [table]) {
      this.#numbers.delete(name)
      this.#asked.delete(name)
    }
  }

  /** Returns an unused number for a row of a table. */
  async next (table: string): Promise<number> {
    const number = this.#numbers.get(table)?.pop()
    if (number !== undefined) return number
    const asked = this.#asked.get(table)
    this.#asked.delete(table)
    const taken = await (asked ?? this.#take(table, numbersAhead))
    this.#numbers.set(table, [...(this.#numbers.get(table) ?? []), ...taken.reverse()])
    return await this.next(table)
  }

  #ask (table: string): void {
    const asked = this.#take(table, reserve)
    this.#asked.set(table, asked)
    // A transaction that fails brings none.
    asked.catch(() => {
      if (this.#asked.get(table) === asked) this.#asked.delete(table)
    })
  }
}
