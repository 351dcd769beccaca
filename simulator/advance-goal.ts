import type { DueQueue } from '../src/ports/due-queue.ts'
import { latestTime } from '../src/lib/clock.ts'

/** Goal of an advance: a time, the next due time, or the time when nothing is due any more. */
export type AdvanceGoal = number | 'next' | 'idle'

/** Longest time that one advance by a duration or to a time covers. */
export const longestAdvanceMs = 366 * 86_400_000

/** Returns the latest time of an advance. If nothing is due, the next due time is now. */
export async function findTarget (
  dueQueue: DueQueue,
  account: number,
  goal: AdvanceGoal,
  now: number
): Promise<number> {
  if (goal === 'idle') return latestTime
  if (goal !== 'next') return goal
  const queues = await dueQueue.listQueuesOf(account)
  const due = queues.length === 0 ? now : Math.min(...queues.map((queue) => queue.due))
  return Math.min(Math.max(due, now), latestTime)
}
