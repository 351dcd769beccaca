import Merchant, { type Payment } from './good.ts'

/** Closes an order for good when a payment fails. */
export default class extends Merchant {
  static override fails = ['IDE-04']

  closed = new Set()

  override fail (payment: Payment) {
    this.closed.add(payment.order)
    super.fail(payment)
  }

  override book (payment: Payment) {
    if (!this.closed.has(payment.order)) super.book(payment)
  }
}
