import Merchant, { type Payment } from './good.ts'

/** Takes no answer to a payout for a no, and gives the money back. */
export default class extends Merchant {
  static override fails = ['REC-02']
  static override also = ['REC-05']

  override pauses: number[] = []

  override async gaveUp (payment: Payment) {
    if (payment.kind !== 'payout') return
    this.fail(payment)
    payment.order.effects++
  }
}
