import Merchant, { type Payment } from './good.ts'

/** Takes every status but FAILED and the pending ones for success. */
export default class extends Merchant {
  static override fails = ['STA-03']

  override async apply (payment: Payment, record: any) {
    const isPending = [
      'ACCEPTED',
      'ENQUEUED',
      'PROCESSING',
      'IN_RECONCILIATION',
      'FAILED'
    ].includes(record.status)
    await super.apply(payment, isPending ? record : { ...record, status: 'COMPLETED' })
  }
}
