import type { callbackOutcomes } from './coverage.ts'
import type { KindName } from './kinds.ts'
import type { Status } from './status.ts'

/** How many payments of a kind are in a state. */
export interface StatusCount {
  kind: KindName
  status: Status
  count: number
}

/** Counts what there is, of all accounts together. */
export interface LedgerStats {
  /** By what each account's clock shows. */
  payments: (now: (account: number) => number) => Promise<StatusCount[]>
  /** Callbacks that are neither acknowledged nor given up. */
  pending: () => Promise<number>
}

/** What has become of the callbacks of an account. */
export type CallbackOutcomes = (
  account: number
) => Promise<Array<(typeof callbackOutcomes)[number]>>
