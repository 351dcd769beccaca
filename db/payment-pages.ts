import type { AnyPayment } from '../src/domain/payment.ts'
import type { PaymentQuery } from '../src/domain/ports.ts'
import type { Database } from './database.ts'
import type { PaymentPage, PaymentRows } from './payments.ts'

/** Payments that are read in one turn of the event loop: about 5 ms. */
const pageSize = 250

/** Lists of payments, which are read in several transactions. */
export class PaymentPages {
  readonly #database: Database
  readonly #payments: PaymentRows

  constructor (database: Database, payments: PaymentRows) {
    this.#database = database
    this.#payments = payments
  }

  /** Returns the wanted payments of an account. */
  list (
    account: number,
    query: PaymentQuery,
    isWanted: (payment: AnyPayment) => boolean
  ): Promise<AnyPayment[]> {
    return this.#database.replacements.readPages(account, () =>
      this.#search(account, query, isWanted)
    )
  }

  async #search (
    account: number,
    { kind, newest = false, after = newest ? Number.MAX_SAFE_INTEGER : 0, limit }: PaymentQuery,
    isWanted: (payment: AnyPayment) => boolean
  ): Promise<AnyPayment[]> {
    const wanted: AnyPayment[] = []
    for (let last = after, full = true; full && wanted.length < limit;) {
      const size = Math.min(pageSize, Math.max(limit, 50))
      const list = (): PaymentPage =>
        newest
          ? this.#payments.listBefore(account, last, size)
          : this.#payments.listAfter(account, last, size)
      const page = await this.#database.transactFor(account, list, { isRead: true })
      wanted.push(
        ...page.payments.filter(
          (payment) => (kind === undefined || payment.kind === kind) && isWanted(payment)
        )
      )
      full = page.count === size
      last = page.last ?? last
    }
    return wanted.slice(0, limit)
  }
}
