import type { KindName } from '../domain/kinds.ts'
import type { Status } from '../domain/status.ts'

/** Number of payments of a kind in a state. */
export interface StatusCount {
  kind: KindName
  status: Status
  count: number
}

/** Time of the clock of an account; undefined for one that is not counted here. */
export type AccountTime = (account: number) => number | undefined

/** Counts the rows of all accounts together. */
export interface LedgerStats {
  /** States at the time of each account's clock. */
  payments: (now: AccountTime) => Promise<StatusCount[]>
  /** Callbacks that are neither acknowledged nor exhausted. */
  pending: (now: AccountTime) => Promise<number>
  /** Payments that were set aside. */
  setAside: (now: AccountTime) => Promise<number>
}

/** Results of callbacks. */
export const callbackOutcomes = ['acknowledged', 'tried again', 'exhausted'] as const

/** States of the callbacks of an account. */
export type CallbackOutcomes = (
  account: number,
  most: number
) => Promise<Array<(typeof callbackOutcomes)[number]>>
