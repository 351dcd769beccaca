import { firstCallbackQueue } from '../src/domain/due-queue.ts'
import type { Account } from '../src/domain/account.ts'
import { latestTime } from '../src/lib/clock.ts'
import { InterruptedTurn, type Interruption } from './account-turns.ts'
import type { AdvanceCounts } from './advance-counts.ts'
import type { ClockControlParts } from './clock-control.ts'

/** Most steps of an advance with work that came later: other servers may add it for ever. */
const mostLateSteps = 5

/** Returns the due time of the earliest work, or infinity. */
export type FindOldWork = () => Promise<number>

/** What an advance has to do. */
interface AdvancePlan {
  target: number
  counts: AdvanceCounts
  race: Interruption['race']
  findOldWork?: FindOldWork
  /** False to leave callbacks on their way: their receivers may take long. */
  waitsForReceivers: boolean
}

/**
 * Moves from one due time to the next, up to a time. Returns the last due time. If other servers
 * accept payments all the time, it does not follow all of them, and ends after the older work: on
 * their clocks the advance has not begun.
 */
export async function runDueWork (
  parts: ClockControlParts,
  account: Account,
  { target, counts, race, findOldWork, waitsForReceivers }: AdvancePlan
): Promise<number> {
  const { dueQueue, accounts, courier, work, waitForCallbacksElsewhere } = parts
  let newSteps = 0
  for (let lateSteps = 0; lateSteps < mostLateSteps;) {
    const queues = await dueQueue.listQueuesOf(account.id)
    const next = Math.min(...queues.map((queue) => queue.due))
    if (queues.length === 0 || next > target) {
      if (!(await waitForCallbacksElsewhere(account.id, target, race))) break
      continue
    }
    const old = (await findOldWork?.()) ?? next
    if (next < account.clock.base || old > target) lateSteps++
    else if (old > next) newSteps++
    // Without this jump, new work of every moment would keep the advance from older work.
    const due = newSteps > mostLateSteps && old <= target ? old : next
    const now = Math.max(due, account.clock.base)
    accounts.changes.holdClock(account, now)
    let isDone = false
    for (const queue of queues) {
      if (queue.due > now) continue
      const done = work(queue, now, counts)
      // Only callbacks can wait for somebody else; the other work is short and is finished.
      const hasWorked = await (queue.queue >= firstCallbackQueue ? race(done) : done)
      isDone ||= hasWorked
    }
    if (waitsForReceivers) await race(courier.waitForDeliveries(account.id))
    // They stay due, so the advance would never end.
    if (courier.isClosing) throw new InterruptedTurn('the stop of the server')
    // Callbacks of other servers are before those that are due here.
    if (!isDone) await waitForCallbacksElsewhere(account.id, latestTime, race)
  }
  return account.clock.base
}
