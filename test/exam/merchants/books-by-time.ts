import Merchant from './good.ts'

/** Books a payment that is not final after two seconds. */
export default class extends Merchant {
  static override fails = ['STA-06']
  static override also = ['REC-02', 'REC-05', 'SIG-11', 'STA-02', 'STA-05', 'STA-07']

  override async job () {
    for (const payment of this.payments.values()) {
      if (payment.state === 'pending' && Date.now() - payment.startedAt > 2000) this.book(payment)
    }
    await super.job()
  }
}
