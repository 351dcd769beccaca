import Merchant, { type Payment } from './good.ts'

/** Looks at the HTTP status, and takes whatever is not ACCEPTED for done already. */
export default class extends Merchant {
  static override fails = ['STA-04']

  override async answered (payment: Payment, { status, json }: { status: number; json: any }) {
    if (status === 200 && json.status === 'REJECTED') this.book(payment)
  }
}
