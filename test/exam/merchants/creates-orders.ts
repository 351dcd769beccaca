import Merchant from './good.ts'

/** Makes an order of every callback about a payment it does not know. */
export default class extends Merchant {
  static override fails = ['TRU-05']

  override async onUnknown ({ depositId, amount, currency, status }: any) {
    if (depositId === undefined || status !== 'COMPLETED') return 200
    this.orders.set(depositId, {
      orderId: depositId,
      kind: 'deposit',
      amount,
      currency,
      phoneNumber: '',
      provider: '',
      paid: true,
      failed: false,
      effects: 1,
      refunded: false,
      refunds: 0,
      paymentIds: [depositId]
    })
    return 200
  }
}
