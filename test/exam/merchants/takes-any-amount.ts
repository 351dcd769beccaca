import Merchant, { type Payment } from './good.ts'

/** Does not compare the amount. */
export default class extends Merchant {
  static override fails = ['TRU-01']

  override isPrice ({ kind, order }: Payment, record: any) {
    return kind === 'checkout' || record.currency === order.currency
  }
}
