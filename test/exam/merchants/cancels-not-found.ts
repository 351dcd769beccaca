import Merchant, { type Payment } from './good.ts'

/** Cancels a payment that is not found. */
export default class extends Merchant {
  static override fails = ['STA-07']

  override async found (payment: Payment, json: any) {
    if (json.status === 'NOT_FOUND') this.fail(payment)
    else await super.found(payment, json)
  }
}
