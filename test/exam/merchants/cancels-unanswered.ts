import Merchant, { type Payment } from './good.ts'

/** Tries once, and cancels a payment whose initiation got no answer. */
export default class extends Merchant {
  static override fails = ['STA-07', 'REC-02']
  static override also = ['REC-05']

  override pauses: number[] = []

  override async gaveUp (payment: Payment) {
    this.fail(payment)
  }
}
