import Merchant, { type Payment } from './good.ts'

/** Takes everything but COMPLETED for a failure. */
export default class extends Merchant {
  static override fails = ['STA-02']
  static override also = ['STA-05', 'REC-02', 'STA-06', 'REC-05', 'STA-03', 'REC-03', 'STA-07']

  // The job must not find payments that a check holds for a moment.
  override jobEveryMs = 2000

  override async apply (payment: Payment, record: any) {
    await super.apply(
      payment,
      record.status === 'COMPLETED' ? record : { ...record, status: 'FAILED' }
    )
  }
}
