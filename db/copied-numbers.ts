import type { Connection } from './connection.ts'
import {
  keyColumns,
  numberedTables,
  references,
  subjectsOf,
  type NumberedTable
} from './ledger-rows.ts'

/**
 * Numbers of the rows of a copy, of a ledger or of a snapshot file. Other ledgers have rows with
 * these numbers, so a copy gets new ones, in the same order.
 */

/** A row that is copied: values by column. */
export type CopiedRow = Record<string, unknown>

/** Returns the references of a row: column, table and number. */
function * listReferences (
  table: string,
  row: CopiedRow
): Generator<[column: string, target: NumberedTable, number: number]> {
  const own: Record<string, NumberedTable> = { ...references[table] }
  const subjects = table === 'due_queue' ? subjectsOf(Number(row.queue)) : undefined
  if (subjects !== undefined) own.subject = subjects
  for (const [column, target] of Object.entries(own)) {
    const number = row[column]
    if (typeof number === 'number') yield [column, target, number]
  }
}

/** Numbers of the rows of a table, in their order: of the rows, and of their copies. */
class RowNumbers {
  readonly #given: number[] = []
  readonly #reserved: number[] = []

  /** Adds the number of the next row. Returns false unless it is larger than the one before. */
  add (number: number): boolean {
    if (number <= (this.#given.at(-1) ?? 0)) return false
    this.#given.push(number)
    return true
  }

  has (number: number): boolean {
    return this.#placeOf(number) !== undefined
  }

  /** Reserves numbers for the rows that have none. */
  async reserve (reserve: (count: number) => Promise<number[]>): Promise<void> {
    const count = this.#given.length - this.#reserved.length
    if (count > 0) this.#reserved.push(...(await reserve(count)))
  }

  /** Returns the new number of a row. */
  renumber (number: number): number | undefined {
    const place = this.#placeOf(number)
    return place === undefined ? undefined : this.#reserved[place]
  }

  #placeOf (number: number): number | undefined {
    let [low, high] = [0, this.#given.length - 1]
    while (low <= high) {
      const middle = (low + high) >>> 1
      if (this.#given[middle] === number) return middle
      if (this.#given[middle] < number) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }
}

/**
 * Numbers of the rows of a file. The tables with numbers come first in a file, each in its order,
 * so that every number that a later row refers to is known.
 */
export class CopiedNumbers {
  readonly #tables = new Map(numberedTables.map((table) => [table as string, new RowNumbers()]))

  /** Adds the next row. Returns the problem of its numbers, or undefined. */
  addRow (table: string, row: CopiedRow): string | undefined {
    const key = keyColumns[table as NumberedTable]
    if (key !== undefined && this.#tables.get(table)?.add(Number(row[key])) !== true) {
      return `${key} must be larger than in the ${table} before it, got ${row[key]}`
    }
    for (const [column, target, number] of listReferences(table, row)) {
      if (this.#tables.get(target)?.has(number) === true) continue
      return `${column} refers to number ${number} of ${target}, which is not before it in the file`
    }
    return undefined
  }

  /** Reserves numbers in the ledger for the rows that came. Called inside a transaction. */
  async reserve (connection: Connection): Promise<void> {
    for (const [table, numbers] of this.#tables) {
      await numbers.reserve((count) => connection.reserveNumbers(table, count))
    }
  }

  /** Returns a row with new numbers. */
  renumber (table: string, row: CopiedRow): CopiedRow {
    const changed: CopiedRow = { ...row }
    for (const [column, target, number] of listReferences(table, row)) {
      changed[column] = this.#tables.get(target)?.renumber(number)
    }
    return changed
  }
}
