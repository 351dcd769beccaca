import Merchant, { type Received } from './good.ts'

/** Believes whoever says in a header that he has an address of the service. */
export default class extends Merchant {
  static override fails = ['SIG-10']

  override async problemOf (received: Received) {
    return received.headers['x-forwarded-for'] === '3.64.89.224'
      ? undefined
      : await super.problemOf(received)
  }
}
