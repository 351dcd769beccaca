import Merchant, { type Payment } from './good.ts'

/** Compares amounts as text, after it has taken .00 away. */
export default class extends Merchant {
  static override fails = ['TRU-04']

  override isPrice ({ kind, order }: Payment, record: any) {
    const text = (amount: string) => amount.replace(/\.00$/, '')
    return (
      kind === 'checkout' ||
      (text(record.amount) === text(order.amount) && record.currency === order.currency)
    )
  }
}
