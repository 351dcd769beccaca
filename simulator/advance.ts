import { latestTime } from '../src/lib/clock.ts'
import type { Account } from '../src/domain/account.ts'
import { firstCallbackQueue, type DueQueue } from '../src/ports/due-queue.ts'
import { InterruptedTurn, untilAborted } from './account-turns.ts'
import type { ClockControlParts } from './clock-control.ts'

/** An advance of the clock of an account: how far it goes, what it does, and what it counts. */

/** Goal of an advance: a time, the next due time, or the time when nothing is due any more. */
export type AdvanceGoal = number | 'next' | 'idle'

/** Longest time that one advance by a duration or to a time covers. */
export const longestAdvanceMs = 366 * 86_400_000

/** Numbers of what happened during an advance. */
export interface AdvanceCounts {
  /** Payments that went from one state to another. */
  transitions: number
  /** Attempts at delivering a callback. */
  callbacks: number
  /** Checkouts and links that ran out. */
  expirations: number
  /** Checkouts among the payments. */
  expiredCheckouts: number
}

/** What an advance has to do. */
export interface AdvancePlan {
  target: number
  counts: AdvanceCounts
  /** Ends the waits for callbacks. */
  interrupted: AbortSignal
  /** False to leave callbacks on their way: their receivers may take long. */
  waitsForReceivers: boolean
}

export function newAdvanceCounts (): AdvanceCounts {
  return { transitions: 0, callbacks: 0, expirations: 0, expiredCheckouts: 0 }
}

/** Adds counts to others. */
export function addCounts (counts: AdvanceCounts, added: AdvanceCounts): void {
  counts.transitions += added.transitions
  counts.callbacks += added.callbacks
  counts.expirations += added.expirations
  counts.expiredCheckouts += added.expiredCheckouts
}

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

/** Moves from one due time to the next, up to a time. Returns the last due time. */
export async function advanceSteps (
  { dueQueue, accounts, courier, work }: ClockControlParts,
  account: Account,
  { target, counts, interrupted, waitsForReceivers }: AdvancePlan
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
      await (queue.queue >= firstCallbackQueue ? untilAborted(interrupted, done) : done)
    }
    if (waitsForReceivers) {
      await untilAborted(interrupted, courier.waitForDeliveries(account.id))
    }
    // They stay due, so the advance would never end.
    if (courier.isClosing) throw new InterruptedTurn('the stop of the server')
  }
}
