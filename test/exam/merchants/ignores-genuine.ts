import Merchant, { type Payment } from './good.ts'

/** Acknowledges every callback, and waits for a status that does not exist. */
export default class extends Merchant {
  static override fails = ['SIG-07']
  static override also = ['STA-06']

  override async apply (payment: Payment, record: any) {
    await super.apply(
      payment,
      record.status === 'COMPLETED' ? { ...record, status: 'SUCCESSFUL' } : record
    )
  }
}
