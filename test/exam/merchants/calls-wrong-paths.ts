import Merchant, { type Payment } from './good.ts'

/** Looks for a path that does not exist, before each payment. */
export default class extends Merchant {
  static override fails = ['REQ-01']

  override async initiate (payment: Payment) {
    await this.call('GET', '/v2/active-configuration').catch(() => {})
    await super.initiate(payment)
  }
}
