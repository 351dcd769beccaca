import Merchant, { type Payment } from './good.ts'

/** Takes DUPLICATE_IGNORED for a failure. */
export default class extends Merchant {
  static override fails = ['STA-05']
  static override also = ['STA-07', 'REC-02']

  override async answered (payment: Payment, { json }: { status: number; json: any }) {
    if (json.status !== 'ACCEPTED') this.fail(payment)
  }
}
