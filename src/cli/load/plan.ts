import type { Counter, Losses } from './figures.ts'
import type { Lives } from './lives.ts'
import type { RequestKind } from './mix.ts'
import type { RequestSequence, Target } from './request-sequence.ts'

/** Plan of a run. */
export interface LoadPlan extends Target {
  round: readonly RequestKind[]
  /** Requests per second; 0 for no limit. */
  rate: number
  seconds: number
  connections: number
  /** Follows each payment to its callback. */
  lives?: Lives
}

/** Function that sends the requests until the time is over or `stop` is aborted. */
export type LoadRunner = (
  plan: LoadPlan,
  sequence: RequestSequence,
  counter: Counter,
  stop: AbortSignal
) => Promise<Losses>

/** Time to wait for an answer, in seconds. */
export const timeoutSeconds = 10
/** Number of connection errors after which the run stops, because the mock has stopped. */
export const mostErrors = 1000
