import { firstCallbackQueue } from '../src/ports/due-queue.ts'
import type { Account } from '../src/domain/account.ts'
import { InterruptedTurn, type Interruption } from './account-turns.ts'
import type { AdvanceCounts } from './advance-counts.ts'
import type { ClockControlParts } from './clock-control.ts'

/** What an advance has to do. */
interface AdvancePlan {
  target: number
  counts: AdvanceCounts
  race: Interruption['race']
  /** False to leave callbacks on their way: their receivers may take long. */
  waitsForReceivers: boolean
}

/** Moves from one due time to the next, up to a time. Returns the last due time. */
export async function runDueWork (
  { dueQueue, accounts, courier, work }: ClockControlParts,
  account: Account,
  { target, counts, race, waitsForReceivers }: AdvancePlan
): Promise<number> {
  for (;;) {
    const queues = await dueQueue.listQueuesOf(account.id)
    const next = Math.min(...queues.map(({ due }) => due))
    if (queues.length === 0 || next > target) return account.clock.base
    const now = Math.max(next, account.clock.base)
    accounts.changes.holdClock(account, now)
    for (const queue of queues) {
      if (queue.due > now) continue
      const done = work(queue, now, counts)
      // Only callbacks can wait for somebody else; the other work is short and is finished.
      await (queue.queue >= firstCallbackQueue ? race(done) : done)
    }
    if (waitsForReceivers) await race(courier.waitForDeliveries(account.id))
    // They stay due, so the advance would never end.
    if (courier.isClosing) throw new InterruptedTurn('the stop of the server')
  }
}
