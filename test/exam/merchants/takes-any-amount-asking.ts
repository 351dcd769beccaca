import AskingMerchant from './good-asking.ts'
import type { Payment } from './good.ts'

/** Asks the API, and does not compare the amount it says. */
export default class extends AskingMerchant {
  static override fails = ['TRU-01']

  override isPrice ({ kind, order }: Payment, record: any) {
    return kind === 'checkout' || record.currency === order.currency
  }
}
