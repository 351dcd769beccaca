import Merchant, { type Payment } from './good.ts'

/** Books when the API has accepted a payment. */
export default class extends Merchant {
  static override fails = ['STA-01']
  static override also = ['IDE-05', 'REC-05']

  override async answered (payment: Payment, answer: { status: number; json: any }) {
    if (answer.json.status === 'ACCEPTED') this.book(payment)
    await super.answered(payment, answer)
  }
}
