import type { Counter, Losses } from './figures.ts'
import type { RequestKind } from './mix.ts'
import type { RequestSequence, Target } from './request-sequence.ts'

/** What a load is to be. */
export interface LoadPlan extends Target {
  round: readonly RequestKind[]
  /** Requests per second; 0 for as many as it can. */
  rate: number
  seconds: number
  connections: number
}

/** A way to send the requests. It ends when the time is over, or when it is told to stop. */
export type LoadRunner = (
  plan: LoadPlan,
  rounds: RequestSequence,
  counter: Counter,
  stop: AbortSignal
) => Promise<Losses>

/** An answer that takes longer counts as none, in seconds. */
export const patienceSeconds = 10
/** So many errors of connections, and it ends: the mock is gone. */
export const everyRequestFails = 1000
