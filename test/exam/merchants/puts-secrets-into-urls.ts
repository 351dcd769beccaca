import Merchant, { type Payment } from './good.ts'

/** Puts a secret into the URLs that it gives to others. */
export default class extends Merchant {
  static override fails = ['REQ-02']

  override instruction (payment: Payment) {
    const instruction = super.instruction(payment)
    return payment.kind === 'deposit'
      ? { ...instruction, metadata: [{ back: 'https://shop.example/thanks?secret=4711' }] }
      : instruction
  }
}
