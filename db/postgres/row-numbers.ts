import type { PostgresConnection } from './connection.ts'
import { numberColumns } from './schema.ts'
import { PostgresStatement } from './statement.ts'

/** Most numbers of rows that are taken out of a sequence at once. */
const numbersAhead = 500
/** Numbers that a server that is alone has in reserve. To take 500 takes 0.7 ms. */
const reserve = 100
/** The fewest that one of several servers takes for a transaction. */
const leastNumbers = 4
/** Table whose numbers requests need. */
const requestTable = 'payments'

/** Numbers that were asked for, in order. */
export interface AskedNumbers {
  /** True if the database has answered. */
  readonly areThere: boolean
  /** Returns the numbers. It waits for them, if that is necessary. */
  read: () => number[]
}

/** Takes numbers out of the sequence of a column. */
type AskForNumbers = (table: string, column: string, count: number) => AskedNumbers

/** Unused numbers for new rows, by table. */
export class RowNumbers {
  readonly #isShared: boolean
  readonly #ask: AskForNumbers
  /** Numbers by table, last first. */
  readonly #numbers = new Map<string, number[]>()
  /** Numbers for requests that were asked for with the first reads. */
  #ahead: AskedNumbers | undefined
  /** Numbers that were asked for with the end of a transaction. */
  readonly #more = new Map<string, AskedNumbers>()
  #countToTake = numbersAhead

  /** `isShared` is true if other servers use the ledger, too. */
  constructor (isShared: boolean, ask: AskForNumbers) {
    this.#isShared = isShared
    this.#ask = ask
  }

  /**
   * Prepares a transaction with a number of requests. Each transaction of one of several servers
   * takes its own numbers, which costs a round trip: requests that a client sends one after another
   * to different servers get numbers in this order. `isAhead` is true if the numbers must be asked
   * for with the first reads.
   */
  prepare (requests: number, isAhead: boolean): void {
    this.#ahead = undefined
    this.#addMore()
    if (this.#isShared) {
      this.#numbers.clear()
      this.#countToTake = Math.min(Math.max(requests, leastNumbers), numbersAhead)
    }
    const left = this.#numbers.get(requestTable)?.length ?? 0
    if (isAhead && requests > left) {
      this.#ahead = this.#ask(requestTable, numberColumns[requestTable], this.#countToTake)
    }
  }

  /**
   * Asks for numbers with the end of a transaction, if the server is alone and has few left: then
   * the next transactions do not wait for them.
   */
  askForMore (): void {
    if (this.#isShared) return
    for (const [table, { length }] of this.#numbers) {
      if (length < reserve) this.#more.set(table, this.#ask(table, numberColumns[table], reserve))
    }
  }

  /** Adds the numbers that have come with the end of a transaction. */
  #addMore (): void {
    if (this.#more.size === 0) return
    for (const [table, asked] of this.#more) {
      // A transaction that was taken back has brought none.
      if (asked.areThere) this.#numbers.get(table)?.unshift(...asked.read().reverse())
    }
    this.#more.clear()
  }

  /** Forgets the unused numbers of a table. */
  forget (table: string): void {
    this.#numbers.delete(table)
    this.#more.delete(table)
    if (table === requestTable) this.#ahead = undefined
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
    const ahead = table === requestTable ? this.#ahead : undefined
    if (ahead !== undefined) {
      this.#ahead = undefined
      return ahead.read()
    }
    const asked = this.#ask(table, column, this.#countToTake)
    // Work that needs more than expected needs many.
    this.#countToTake = Math.min(2 * this.#countToTake, numbersAhead)
    return asked.read()
  }
}

/** Creates a function that takes numbers out of the sequences of a database. */
export function createNumberReader (connection: PostgresConnection): AskForNumbers {
  const statements = new Map<string, PostgresStatement<[number], string>>()
  return (table, column, count) => {
    let next = statements.get(table)
    if (next === undefined) {
      // OFFSET lets PostgreSQL look for the sequence once, and not for each number: 3 µs each. One
      // row with all numbers is read faster than one for each.
      next = new PostgresStatement<[number], string>(
        connection,
        `SELECT string_agg(nextval(sequence)::text, ',') FROM (
          SELECT pg_get_serial_sequence('${table}', '${column}')::regclass AS sequence OFFSET 0
        ) AS named CROSS JOIN generate_series(1, ?)`
      ).pluck()
      statements.set(table, next)
    }
    const later = next.allLater(count)
    return {
      get areThere () {
        return later.areThere
      },
      read: () => later.read()[0].split(',').map(Number)
    }
  }
}
