import Merchant, { type Payment } from './good.ts'

/** Looks for the status of the payment where the envelope has its own. */
export default class extends Merchant {
  static override fails = ['STA-06']

  override async found (payment: Payment, json: any) {
    await this.apply(payment, json)
  }
}
