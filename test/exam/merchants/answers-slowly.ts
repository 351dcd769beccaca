import { setTimeout as sleep } from 'node:timers/promises'
import Merchant, { type Received } from './good.ts'

/** Does everything before it answers. */
export default class extends Merchant {
  static override fails: string[] = []
  static override only = ['END-01', 'END-02', 'SIG-07']
  static override warns = ['END-01']

  override async onCallback (received: Received) {
    const answer = await super.onCallback(received)
    await sleep(600)
    return answer
  }
}
