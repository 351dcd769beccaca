import type { Account } from '../domain/account.ts'
import type { KindName } from '../domain/kinds.ts'
import type { AnyPayment } from '../domain/payment.ts'
import type { PaymentScan } from '../domain/payment-scan.ts'
import { statuses, type Status } from '../domain/status.ts'
import type { ChangeListeners } from '../monitoring/change-listeners.ts'
import { kindNames, type ColumnFilter } from './payment-columns.ts'
import { PaymentIndex } from './payment-index.ts'

/** Accounts whose payments are in memory at most: those that were searched last. */
const mostIndexes = 20

/** Page of a list that somebody wants. */
export interface WantedPage {
  newest: boolean
  /** Number of the last payment of the previous page. */
  after?: number
  limit: number
}

/** Page that was found. */
export interface FoundPage {
  payments: AnyPayment[]
  /** Number to continue after; undefined at the end of the list. */
  next?: number
}

/** Number of payments in each status. */
export interface StatusCounts {
  counts: Array<{ kind: KindName; status: Status; count: number }>
  /** False if there are payments that were not counted yet. */
  isComplete: boolean
}

/** Search of the payments of accounts. Each account has an index from its first search on. */
export class PaymentSearch {
  readonly #scan: PaymentScan
  /** Absent if other servers change payments, too: then each search begins again. */
  readonly #changeListeners: ChangeListeners | undefined
  readonly #unfinished = new Set<PaymentIndex>()
  readonly #indexes = new Map<number, { index: PaymentIndex; unwatch: () => void }>()

  constructor (scan: PaymentScan, changeListeners: ChangeListeners | undefined) {
    this.#scan = scan
    this.#changeListeners = changeListeners
  }

  /**
   * Finds the payments of an account that match a filter. When `isLate` says so, the search ends
   * with what was found so far, and `next` continues it.
   */
  async findPage (
    account: Account,
    filter: ColumnFilter,
    { newest, after, limit }: WantedPage,
    now: number,
    isLate: () => boolean
  ): Promise<FoundPage> {
    const index = this.#indexOf(account, newest ? after : undefined)
    await index.update(now)
    for (;;) {
      const { isComplete } = index
      // A list from the oldest payment on needs all of them.
      const seqs = newest
        ? listNewest(index, filter, after ?? Infinity, limit)
        : isComplete
          ? listOldest(index, filter, after ?? -Infinity, limit)
          : []
      const isFull = seqs.length === limit
      if (isFull || isComplete || (newest && isLate())) {
        if (!isComplete) this.#completeLater(index, now)
        const payments = await this.#scan.readEach(account.id, seqs)
        const next = isFull ? seqs.at(-1) : isComplete ? undefined : index.end
        return { payments, ...(next !== undefined && { next }) }
      }
      await index.extend(now)
    }
  }

  /** Counts the payments of an account that match a filter, until `isLate` says so. */
  async count (
    account: Account,
    filter: ColumnFilter,
    now: number,
    isLate: () => boolean
  ): Promise<StatusCounts> {
    const index = this.#indexOf(account)
    await index.update(now)
    while (!index.isComplete && !isLate()) await index.extend(now)
    this.#completeLater(index, now)
    const tallies = index.columns.map((columns) => columns.countMatches(filter))
    const counts = statuses.flatMap((status, n) =>
      kindNames.flatMap((kind, k) => {
        const place = k * statuses.length + n
        const count = tallies.reduce((sum, tally) => sum + tally[place], 0)
        return count === 0 ? [] : [{ kind, status, count }]
      })
    )
    return { counts, isComplete: index.isComplete }
  }

  /** Completes an index between other requests, so that the next search is fast. */
  #completeLater (index: PaymentIndex, now: number): void {
    if (index.isComplete || this.#unfinished.has(index)) return
    if (this.#changeListeners === undefined) return
    const complete = async (): Promise<void> => {
      while (!index.isComplete) await index.extend(now)
    }
    this.#unfinished.add(index)
    complete()
      // The ledger was closed. Otherwise the next search meets the same error and reports it.
      .catch(() => {})
      .finally(() => this.#unfinished.delete(index))
  }

  /** Returns the index of an account. A search that begins again needs only what is before. */
  #indexOf ({ id }: Account, before?: number): PaymentIndex {
    const changeListeners = this.#changeListeners
    if (changeListeners === undefined) return new PaymentIndex(this.#scan, id, before)
    const known = this.#indexes.get(id)
    const entry = known ?? this.#open(id, changeListeners)
    // The last used one is last.
    this.#indexes.delete(id)
    this.#indexes.set(id, entry)
    const [[oldest, { unwatch }]] = this.#indexes
    if (this.#indexes.size > mostIndexes) {
      unwatch()
      this.#indexes.delete(oldest)
    }
    return entry.index
  }

  #open (
    account: number,
    changeListeners: ChangeListeners
  ): { index: PaymentIndex; unwatch: () => void } {
    const index = new PaymentIndex(this.#scan, account)
    const unwatch = changeListeners.watch(account, (seq) => index.noteChange(seq))
    return { index, unwatch }
  }
}

function listNewest (
  { columns: [newer, older] }: PaymentIndex,
  filter: ColumnFilter,
  before: number,
  limit: number
): number[] {
  const seqs: number[] = []
  const isNew = newer.createTest(filter)
  for (let n = newer.size - 1; n >= 0 && seqs.length < limit; n--) {
    if (newer.seqAt(n) < before && isNew(n)) seqs.push(newer.seqAt(n))
  }
  const isOld = older.createTest(filter)
  for (let n = 0; n < older.size && seqs.length < limit; n++) {
    if (older.seqAt(n) < before && isOld(n)) seqs.push(older.seqAt(n))
  }
  return seqs
}

function listOldest (
  { columns: [newer, older] }: PaymentIndex,
  filter: ColumnFilter,
  after: number,
  limit: number
): number[] {
  const seqs: number[] = []
  const isOld = older.createTest(filter)
  for (let n = older.size - 1; n >= 0 && seqs.length < limit; n--) {
    if (older.seqAt(n) > after && isOld(n)) seqs.push(older.seqAt(n))
  }
  const isNew = newer.createTest(filter)
  for (let n = 0; n < newer.size && seqs.length < limit; n++) {
    if (newer.seqAt(n) > after && isNew(n)) seqs.push(newer.seqAt(n))
  }
  return seqs
}
