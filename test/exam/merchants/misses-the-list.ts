import Merchant, { type Payment } from './good.ts'

/** Asks v1, and reads its list as an object. */
export default class extends Merchant {
  static override fails = ['STA-06']

  override version = ''

  override instruction (payment: Payment) {
    const { id, kind, order } = payment
    if (kind === 'checkout') return super.instruction(payment)
    const { amount, currency, phoneNumber, provider } = order
    const party = { type: 'MSISDN', address: { value: phoneNumber } }
    const terms = {
      amount,
      currency,
      correspondent: provider,
      customerTimestamp: new Date().toISOString(),
      statementDescription: 'Corner Shop'
    }
    if (kind === 'refund') return { refundId: id, depositId: order.paymentIds[0], amount }
    return kind === 'payout'
      ? { payoutId: id, recipient: party, ...terms }
      : { depositId: id, payer: party, ...terms }
  }

  override path ({ kind }: Payment) {
    return kind === 'checkout' ? '/v2/checkouts' : `/${kind}s`
  }

  override async found (payment: Payment, json: any) {
    await this.apply(payment, json)
  }
}
