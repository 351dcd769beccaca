import Merchant, { type Payment } from './good.ts'

/** Books payouts when the API has accepted them. */
export default class extends Merchant {
  static override fails = ['STA-01']

  override async answered (payment: Payment, answer: { status: number; json: any }) {
    if (payment.kind === 'payout' && answer.json.status === 'ACCEPTED') this.book(payment)
    await super.answered(payment, answer)
  }
}
