import type { PostgresConnection } from './connection.ts'
import type { PendingResult } from './waiting-statements.ts'

/** Rows that were read for a list of parameters at once. */
export class RowsAhead {
  readonly pending: PendingResult
  /** Rows by the places of their parameters in the list. */
  rows: unknown[] | undefined
  readonly #list: ReadonlyArray<readonly unknown[]>
  /** Transaction of the read. */
  readonly #transaction: number
  /** Number of changes at the time of the read; undefined if they do not matter. */
  readonly #changes: number | undefined
  /** Place that was found last: the next one follows, because work is done in this order. */
  #last = 0

  constructor (
    { transactionNumber, changes }: PostgresConnection,
    pending: PendingResult,
    list: ReadonlyArray<readonly unknown[]>,
    isStable: boolean
  ) {
    this.pending = pending
    this.#list = list
    this.#transaction = transactionNumber
    this.#changes = isStable ? undefined : changes
  }

  /** Tells whether the rows are still true: in the same transaction, and before a change. */
  isCurrent ({ transactionNumber, changes }: PostgresConnection): boolean {
    return this.#transaction === transactionNumber && (this.#changes ?? changes) === changes
  }

  /** Returns the place of parameters in the list, or undefined. */
  findPlace (parameters: readonly unknown[]): number | undefined {
    // A statement without parameters is read once for all.
    if (parameters.length === 0) return 0
    const list = this.#list
    for (let i = 0; i < list.length; i++) {
      const place = (this.#last + i) % list.length
      if (areSame(list[place], parameters)) return (this.#last = place)
    }
    return undefined
  }
}

/** Leaves out parameters that equal the ones before them: several payouts read one wallet. */
export function skipRepeated (list: ReadonlyArray<readonly unknown[]>): Array<readonly unknown[]> {
  return list.filter((parameters, i) => i === 0 || !areSame(list[i - 1], parameters))
}

function areSame (some: readonly unknown[], others: readonly unknown[]): boolean {
  for (let i = 0; i < others.length; i++) {
    const [one, other] = [some[i], others[i]]
    if (one === other) continue
    if (!Buffer.isBuffer(one) || !Buffer.isBuffer(other) || !one.equals(other)) return false
  }
  return true
}
