import Merchant, { type Payment } from './good.ts'

/** Finds the order by clientReferenceId, in callbacks and in status checks. */
export default class extends Merchant {
  static override fails = ['TRU-06']

  override instruction (payment: Payment) {
    return { ...super.instruction(payment), clientReferenceId: payment.order.orderId }
  }

  override async apply (payment: Payment, record: any) {
    if (record.clientReferenceId === payment.order.orderId) await super.apply(payment, record)
  }
}
