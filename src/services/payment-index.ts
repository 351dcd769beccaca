import type { PaymentScan, ScannedPayment } from '../domain/payment-scan.ts'
import { PaymentColumns } from './payment-columns.ts'

/** Payments that are read in one turn of the event loop: about 5 ms. */
const pageSize = 500
/** Changed payments that are kept for the next search; beyond it, all are read again. */
const mostChanged = 50_000

/**
 * Index of the payments of an account in memory. It is built with the first search, from the newest
 * payment on, and a search can use the part that is built. Later searches read what has changed.
 */
export class PaymentIndex {
  readonly #scan: PaymentScan
  readonly #account: number
  readonly #before: number | undefined
  readonly #changed = new Set<number>()
  /** Payments that were there when the index was begun, newest first, as far as they are read. */
  #older = new PaymentColumns(false)
  /** Payments that came later, oldest first. */
  #newer = new PaymentColumns(true)
  /** Number of the oldest payment that was read; undefined after the last one. */
  #end: number | undefined = Number.MAX_SAFE_INTEGER
  #isBegun = false
  #replacements = 0
  #work: Promise<void> = Promise.resolve()

  /** Creates an index of all payments, or of those before a number. */
  constructor (scan: PaymentScan, account: number, before?: number) {
    this.#scan = scan
    this.#account = account
    this.#before = before
  }

  /** True if all payments are in the index. */
  get isComplete (): boolean {
    return this.#end === undefined
  }

  /** Number of the oldest payment that was read, while there may be older ones. */
  get end (): number | undefined {
    return this.#end
  }

  /** Notes a payment that has changed. */
  noteChange (seq: number): void {
    if (this.#changed.size < mostChanged) this.#changed.add(seq)
    else this.#isBegun = false
  }

  /** Reads what has changed since the last search. */
  update (now: number): Promise<void> {
    return this.#runAlone(async () => {
      this.#beginIfReplaced()
      if (this.#older.size === 0) await this.#readOlder(now)
      if (this.#before === undefined) await this.#readNewer(now)
      const changed = [
        ...this.#changed,
        ...this.#older.listChanged(now),
        ...this.#newer.listChanged(now)
      ]
      this.#changed.clear()
      for (let n = 0; n < changed.length; n += pageSize) {
        const page = changed.slice(n, n + pageSize)
        this.#replace(await this.#scan.scanEach(this.#account, page, now))
      }
    })
  }

  /** Reads the next older payments that are not in the index. */
  extend (now: number): Promise<void> {
    return this.#runAlone(() => {
      this.#beginIfReplaced()
      return this.#readOlder(now)
    })
  }

  /** Both columns, the newer payments first. */
  get columns (): readonly [newer: PaymentColumns, older: PaymentColumns] {
    return [this.#newer, this.#older]
  }

  /** Begins again if the rows of the account are others, or if too many have changed. */
  #beginIfReplaced (): void {
    const replacements = this.#scan.countReplacements(this.#account)
    if (this.#isBegun && replacements === this.#replacements) return
    this.#older = new PaymentColumns(false)
    this.#newer = new PaymentColumns(true)
    this.#changed.clear()
    this.#end = this.#before ?? Number.MAX_SAFE_INTEGER
    this.#isBegun = true
    this.#replacements = replacements
  }

  async #readOlder (now: number): Promise<void> {
    if (this.#end === undefined) return
    const { payments, next } = await this.#scan.scanBefore(this.#account, this.#end, {
      limit: pageSize,
      now
    })
    for (const payment of payments) this.#older.put(payment)
    this.#end = next
  }

  async #readNewer (now: number): Promise<void> {
    let after = this.#newer.last ?? (this.#older.size === 0 ? 0 : this.#older.seqAt(0))
    for (let next: number | undefined = after; next !== undefined; after = next ?? after) {
      const page = await this.#scan.scanAfter(this.#account, after, { limit: pageSize, now })
      for (const payment of page.payments) this.#newer.put(payment)
      next = page.next
    }
  }

  /** Replaces payments of the index. Others are read later. */
  #replace (payments: readonly ScannedPayment[]): void {
    for (const payment of payments) {
      for (const columns of this.columns) {
        if (columns.find(payment.seq) !== undefined) columns.put(payment)
      }
    }
  }

  /** Runs work after the work before it. */
  #runAlone (work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work)
    // The next work does not fail with this one.
    this.#work = done.catch(() => {})
    return done
  }
}
