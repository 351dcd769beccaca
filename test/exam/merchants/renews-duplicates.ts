import Merchant, { type Payment } from './good.ts'

/** Makes a new identifier when it is told DUPLICATE_IGNORED. */
export default class extends Merchant {
  static override fails = ['STA-05', 'REC-01']
  static override also = ['REC-02']

  override async answered (payment: Payment, answer: { status: number; json: any }) {
    if (answer.json.status === 'DUPLICATE_IGNORED') {
      return await this.initiate(this.store(payment.order, payment.kind))
    }
    await super.answered(payment, answer)
  }
}
