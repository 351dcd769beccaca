import Merchant, { type Payment } from './good.ts'

/** Compares the number, and not the currency. */
export default class extends Merchant {
  static override fails = ['TRU-02']

  override isPrice (payment: Payment, record: any) {
    return super.isPrice(payment, { ...record, currency: payment.order.currency })
  }
}
