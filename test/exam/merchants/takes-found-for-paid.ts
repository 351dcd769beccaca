import Merchant, { type Payment } from './good.ts'

/** Takes FOUND for the status of the payment. */
export default class extends Merchant {
  static override fails = ['STA-06']

  // The job must not find payments that a check holds for a moment.
  override jobEveryMs = 2000
  static override also = ['REC-05', 'SIG-11', 'REC-02', 'STA-02', 'STA-05', 'STA-07']

  override async found (payment: Payment, json: any) {
    if (json.status === 'FOUND' && payment.state === 'pending') this.book(payment)
  }
}
