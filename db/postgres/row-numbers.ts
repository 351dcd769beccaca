import type { PostgresConnection } from './connection.ts'
import { numberColumns } from './schema.ts'
import { PostgresStatement } from './statement.ts'

/** Numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** The fewest that one of several servers takes for a transaction. */
const leastNumbers = 4
/** Table whose numbers requests need. */
const requestTable = 'payments'

/** Takes numbers out of the sequence of a column. The returned function reads them, in order. */
type ReadNumbers = (table: string, column: string, count: number) => () => number[]

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #isShared: boolean
  readonly #read: ReadNumbers
  readonly #numbers = new Map<string, number[]>()
  /** Reads the numbers for requests that were asked for with the first reads. */
  #readAhead: (() => number[]) | undefined
  #countToTake = numbersAhead

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, read: ReadNumbers) {
    this.#isShared = isShared
    this.#read = read
  }

  /**
   * Prepares a transaction with a number of requests. Each transaction of one of several servers
   * takes its own numbers, which costs a round trip: requests that a client sends one after another
   * to different servers get numbers in this order. `isAhead` is true if the numbers must be asked
   * for with the first reads.
   */
  prepare (requests: number, isAhead: boolean): void {
    this.#readAhead = undefined
    if (this.#isShared) {
      this.#numbers.clear()
      this.#countToTake = Math.min(Math.max(requests, leastNumbers), numbersAhead)
    }
    const left = this.#numbers.get(requestTable)?.length ?? 0
    if (isAhead && requests > left) {
      this.#readAhead = this.#read(requestTable, numberColumns[requestTable], this.#countToTake)
    }
  }

  /** Returns an unused number for a row of a table. */
  take (table: string, column: string): number {
    const numbers = this.#numbers.get(table) ?? []
    if (numbers.length === 0) {
      numbers.push(...this.#takeMore(table, column).reverse())
      this.#numbers.set(table, numbers)
    }
    return Number(numbers.pop())
  }

  #takeMore (table: string, column: string): number[] {
    const readAhead = table === requestTable ? this.#readAhead : undefined
    if (readAhead !== undefined) {
      this.#readAhead = undefined
      return readAhead()
    }
    const read = this.#read(table, column, this.#countToTake)
    // Work that needs more than expected needs many.
    this.#countToTake = Math.min(2 * this.#countToTake, numbersAhead)
    return read()
  }
}

/** Creates a function that takes numbers out of the sequences of a database. */
export function createNumberReader (connection: PostgresConnection): ReadNumbers {
  const statements = new Map<string, PostgresStatement<[number], number>>()
  return (table, column, count) => {
    let next = statements.get(table)
    if (next === undefined) {
      // OFFSET lets PostgreSQL look for the sequence once, and not for each number: 3 µs each.
      next = new PostgresStatement<[number], number>(
        connection,
        `SELECT nextval(sequence) FROM (
          SELECT pg_get_serial_sequence('${table}', '${column}')::regclass AS sequence OFFSET 0
        ) AS named CROSS JOIN generate_series(1, ?)`
      ).pluck()
      statements.set(table, next)
    }
    return next.allLater(count)
  }
}
