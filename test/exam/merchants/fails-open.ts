import AskingMerchant from './good-asking.ts'
import type { Payment } from './good.ts'

/** Asks the API, and believes the callback when there is no answer. */
export default class extends AskingMerchant {
  static override fails = ['SIG-11']

  override async confirmed (payment: Payment, record: any) {
    const answer = await this.call('GET', `${this.path(payment)}/${payment.id}`).catch(
      () => undefined
    )
    return answer?.status === 200 ? answer.json.data : record
  }
}
