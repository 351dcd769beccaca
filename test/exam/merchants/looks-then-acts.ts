import { setTimeout as sleep } from 'node:timers/promises'
import Merchant, { type Payment } from './good.ts'

/** Looks whether it is paid, and acts a moment later on what it saw. */
export default class extends Merchant {
  static override fails = ['IDE-02']
  // The job can come between a look and an act, too.
  static override also = ['STA-06', 'STA-07', 'REC-03']

  // The job must not come between the completion of a payment and its callback in other checks.
  override jobEveryMs = 2000

  override async apply (payment: Payment, record: any) {
    const seen = { ...payment }
    if (seen.state !== 'pending') return
    await sleep(100)
    await super.apply(seen, record)
    payment.state = seen.state
  }
}
