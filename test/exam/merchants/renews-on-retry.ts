import { setTimeout as sleep } from 'node:timers/promises'
import Merchant, { type Payment } from './good.ts'

/** Makes a new identifier for every try. */
export default class extends Merchant {
  static override fails = ['REC-01', 'REC-02']
  static override also = ['REC-05']

  override async initiate (payment: Payment) {
    for (const pause of this.pauses) {
      const answer = await this.call('POST', this.path(payment), this.instruction(payment)).catch(
        () => undefined
      )
      if (answer !== undefined && answer.status === 200) return await this.answered(payment, answer)
      await sleep(pause)
      payment = this.store(payment.order, payment.kind)
    }
  }
}
