import { setTimeout as sleep } from 'node:timers/promises'
import Merchant, { type Received } from './good.ts'

/** Does everything before it answers, and that takes longer than the service waits. */
export default class extends Merchant {
  static override fails = ['END-01']
  static override only = ['END-01']

  override async onCallback (received: Received) {
    const answer = await super.onCallback(received)
    await sleep(4500)
    return answer
  }
}
