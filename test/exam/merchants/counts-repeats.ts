import Merchant, { type Payment } from './good.ts'

/** Delivers at every COMPLETED. */
export default class extends Merchant {
  static override fails = ['IDE-01', 'IDE-02', 'IDE-06']

  // A job that asks between a completion and its callback would be a repeat.
  override jobEveryMs = 2000

  override async apply (payment: Payment, record: any) {
    if (payment.state === 'completed' && record.status === 'COMPLETED') payment.state = 'pending'
    await super.apply(payment, record)
  }
}
