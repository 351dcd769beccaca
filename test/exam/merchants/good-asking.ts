import Merchant, { type Payment } from './good.ts'

/**
 * A good merchant who verifies nothing: a callback only makes it ask the API what is true.
 * Every merchant who asks and is bad is this one with one thing changed.
 */
export default class extends Merchant {
  static override fails: string[] = []

  override async problemOf () {
    return undefined
  }

  override async onRecord (record: any) {
    const payment = this.payments.get(this.idIn(record))
    if (payment === undefined) return await this.onUnknown(record)
    const confirmed = await this.confirmed(payment, record)
    if (confirmed === undefined) return 503
    await this.apply(payment, confirmed)
    return 200
  }

  /** What the API says of a payment; nothing, if it does not say. */
  async confirmed (payment: Payment, _record: any): Promise<any> {
    const answer = await this.call('GET', `${this.path(payment)}/${payment.id}`).catch(
      () => undefined
    )
    return answer?.status === 200 ? answer.json.data : undefined
  }
}
