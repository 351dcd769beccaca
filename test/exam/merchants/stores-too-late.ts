import Merchant, { type Payment } from './good.ts'

/** Stores the identifier when the answer has come. */
export default class extends Merchant {
  static override fails = ['IDE-05']
  static override also = ['STA-05', 'STA-07', 'REC-02', 'REC-05']

  // The job would find the payment soon.
  override jobEveryMs = 2000

  override async initiate (payment: Payment) {
    this.payments.delete(payment.id)
    const answer = await this.call('POST', this.path(payment), this.instruction(payment)).catch(
      () => undefined
    )
    if (answer === undefined) return
    this.payments.set(payment.id, payment)
    await this.answered(payment, answer)
  }
}
