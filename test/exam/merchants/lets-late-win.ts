import Merchant, { type Payment } from './good.ts'

/** Takes the last callback for the true one. */
export default class extends Merchant {
  static override fails = ['IDE-03']

  override async apply (payment: Payment, record: any) {
    const { order } = payment
    if (record.status === 'FAILED' && payment.state === 'completed') {
      order.paid = false
      order.failed = true
    }
    await super.apply(payment, record)
  }
}
