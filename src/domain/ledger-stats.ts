import type { callbackFates } from './coverage.ts'
import type { KindName } from './kinds.ts'
import type { Status } from './payment.ts'

/** How many payments of a kind are in a state. */
export interface Headcount {
  kind: KindName
  status: Status
  count: number
}

/** Counts what there is, of all accounts together. */
export interface Census {
  /** By what each account's clock shows. */
  payments: (now: (account: number) => number) => Promise<Headcount[]>
  /** Callbacks that are neither acknowledged nor given up. */
  pending: () => Promise<number>
}

/** What has become of the callbacks of an account. */
export type CallbackFates = (account: number) => Promise<Array<(typeof callbackFates)[number]>>
