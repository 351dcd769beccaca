import type { callbackOutcomes } from './coverage.ts'
import type { KindName } from './kinds.ts'
import type { Status } from './status.ts'

/** Number of payments of a kind in a state. */
export interface StatusCount {
  kind: KindName
  status: Status
  count: number
}

/** Counts the rows of all accounts together. */
export interface LedgerStats {
  /** States at the time of each account's clock. */
  payments: (now: (account: number) => number) => Promise<StatusCount[]>
  /** Callbacks that are neither acknowledged nor exhausted. */
  pending: () => Promise<number>
}

/** States of the callbacks of an account. */
export type CallbackOutcomes = (
  account: number
) => Promise<Array<(typeof callbackOutcomes)[number]>>
