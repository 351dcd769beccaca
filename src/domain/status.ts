import type { Kind } from './kinds.ts'

/** States of payments, and the transition table. */

export const statuses = [
  'ACCEPTED',
  'WAITING_PAYMENT',
  'ENQUEUED',
  'PROCESSING',
  'IN_RECONCILIATION',
  'COMPLETED',
  'PAYOUT_FAILED',
  'FAILED',
  'EXPIRED',
  'CANCELLED'
] as const
export type Status = (typeof statuses)[number]

/** Reason of a failed payment. */
export interface FailureReason {
  failureCode: string
  failureMessage: string
}

type TransitionTable = Record<Kind['stateMachine'], Partial<Record<Status, readonly Status[]>>>

/** Transition table: the states that can follow each state. A final state has no row. */
const transitionTables: TransitionTable = {
  immediate: {
    ACCEPTED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
    IN_RECONCILIATION: ['COMPLETED', 'FAILED']
  },
  queueing: {
    ACCEPTED: ['ENQUEUED', 'PROCESSING', 'FAILED'],
    ENQUEUED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['IN_RECONCILIATION', 'COMPLETED', 'FAILED'],
    IN_RECONCILIATION: ['COMPLETED', 'FAILED']
  },
  split: {
    ACCEPTED: ['PROCESSING', 'FAILED'],
    PROCESSING: ['COMPLETED', 'PAYOUT_FAILED', 'FAILED']
  },
  checkout: {
    WAITING_PAYMENT: ['PROCESSING', 'FAILED', 'EXPIRED', 'CANCELLED'],
    PROCESSING: ['WAITING_PAYMENT', 'COMPLETED', 'FAILED', 'EXPIRED']
  }
}

/** States that can follow a state of a kind; an empty list after a final state. */
export function movesFrom (kind: Kind, from: Status): readonly Status[] {
  return transitionTables[kind.stateMachine][from] ?? []
}

/** Tells whether a payment of a kind may move from one state to the other. */
export function mayMove (kind: Kind, from: Status, to: Status): boolean {
  return movesFrom(kind, from).includes(to)
}

/** States on the shortest way from one state of a kind to another; none if there is no way. */
export function findWay (kind: Kind, from: Status, to: Status): Status[] {
  const ways: Status[][] = [[from]]
  for (const way of ways) {
    const last = way[way.length - 1]
    if (last === to) return way.slice(1)
    for (const next of movesFrom(kind, last)) {
      if (!ways.some((known) => known.includes(next))) ways.push([...way, next])
    }
  }
  return []
}

/** All states of a kind. */
export function statusesOf (kind: Kind): Status[] {
  const table = transitionTables[kind.stateMachine]
  return statuses.filter(
    (status) => status in table || Object.values(table).some((next) => next.includes(status))
  )
}

/** First state of a kind. */
export function firstStatus (kind: Kind): Status {
  return kind.stateMachine === 'checkout' ? 'WAITING_PAYMENT' : 'ACCEPTED'
}

const finalStatuses: readonly Status[] = [
  'COMPLETED',
  'PAYOUT_FAILED',
  'FAILED',
  'EXPIRED',
  'CANCELLED'
]

/** Tells whether a state is final. */
export function isFinal (status: Status): boolean {
  return finalStatuses.includes(status)
}
