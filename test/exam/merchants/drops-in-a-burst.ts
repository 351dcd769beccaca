import { setTimeout as sleep } from 'node:timers/promises'
import Merchant, { type Received } from './good.ts'

/** Has room for 21 callbacks at a time, and drops the others with a 200. */
export default class extends Merchant {
  static override fails = ['END-04', 'REC-03']

  busy = 0
  // So that the job does not make up for it within the time of the check.
  override jobEveryMs = 60_000

  override async onCallback (received: Received) {
    if (this.busy >= 21) return 200
    this.busy++
    await sleep(300)
    return await super.onCallback(received).finally(() => {
      this.busy--
    })
  }
}
