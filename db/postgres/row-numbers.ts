import type { Connection, Statement } from '../connection.ts'

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

/** Creates a function that takes numbers out of the sequences of a database. */
export function createNumberReader (connection: Pick<Connection, 'prepare'>): ReadNumbers {
  const statements = new Map<string, Statement<[number], number>>()
  return (table, column, count) => {
    let next = statements.get(table)
    if (next === undefined) {
      // OFFSET lets PostgreSQL look for the sequence once, and not for each number: 3 µs each.
      next = connection
        .prepare<[number], number>(
          `SELECT nextval(sequence) FROM (
            SELECT pg_get_serial_sequence('${table}', '${column}')::regclass AS sequence OFFSET 0
          ) AS named CROSS JOIN generate_series(1, ?)`
        )
        .pluck()
      statements.set(table, next)
    }
    return next.all(count)
  }
}
