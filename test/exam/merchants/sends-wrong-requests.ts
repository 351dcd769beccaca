import Merchant, { type Payment } from './good.ts'

/** Writes the amount with three decimals. */
export default class extends Merchant {
  static override fails = ['REQ-01']

  override instruction (payment: Payment) {
    return payment.kind === 'payout'
      ? { ...super.instruction(payment), amount: '15.123' }
      : super.instruction(payment)
  }
}
