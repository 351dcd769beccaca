import Merchant, { type Payment } from './good.ts'

/** Acknowledges every callback, and waits for a status that does not exist. */
export default class extends Merchant {
  static override fails = ['SIG-07']
  static override also = [
    'SIG-06',
    'SIG-08',
    'SIG-09',
    'TRU-04',
    'IDE-01',
    'IDE-02',
    'IDE-03',
    'IDE-04',
    'IDE-05',
    'IDE-06',
    'STA-02',
    'STA-03',
    'STA-05',
    'STA-07',
    'REC-02',
    'REC-04',
    'END-04',
    'STA-06'
  ]

  override async apply (payment: Payment, record: any) {
    await super.apply(
      payment,
      record.status === 'COMPLETED' ? { ...record, status: 'SUCCESSFUL' } : record
    )
  }
}
