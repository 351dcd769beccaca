import type { Static } from '@sinclair/typebox'
import type { CallbackQuery } from '../admin-api/callbacks.ts'
import type { CoverageQuery } from '../admin-api/coverage.ts'
import type { CountQuery, PaymentQuery } from '../admin-api/payments.ts'
import type { Scenario } from '../admin-api/scenarios.ts'
import type { WaitGoal, WaitRequest } from '../admin-api/wait.ts'
import type { Group } from '../verification/coverage.ts'
import type { KindName, Operation } from '../domain/kinds.ts'
import type { MockEvent } from '../monitoring/mock-event.ts'
import type { PayableKind } from '../domain/kinds.ts'
import type { Duration } from '../lib/typebox.ts'

/** Options of calls that only the client has. These imports disappear at run time. */

/** A query on the wire has texts only; the client also takes numbers and known kinds. */
type Filter<Query> = Omit<Query, 'kind' | 'after' | 'limit'> & {
  /** Kind of payment. */
  kind?: KindName
  /** The `next` of the page before. */
  after?: number
  /** Most entries that are returned; without it, all. */
  limit?: number
}

/** Filter of a list of payments. */
export interface PaymentFilter extends Filter<Static<typeof PaymentQuery>> {}

/** Filter of payments that are counted. */
export interface CountFilter extends Omit<Static<typeof CountQuery>, 'kind'> {
  /** Kind of payment. */
  kind?: KindName
}

/** Filter of a list of callbacks. */
export interface CallbackFilter extends Filter<Static<typeof CallbackQuery>> {}

/** Kind that waits in the queue of a provider that is down. */
export type QueueingKind = Exclude<PayableKind, 'deposit'>

/** Payments that a short form of a scenario is for, and their number. */
export interface EffectOptions extends Pick<Scenario, 'name' | 'times' | 'probability' | 'seed'> {
  /** Further conditions, such as `{ provider: 'MTN_MOMO_ZMB' }`. */
  when?: Omit<NonNullable<Scenario['when']>, 'kind'>
}

/** The same, and the duration until the end of a payment. */
export interface OutcomeOptions extends EffectOptions {
  /** `450ms` by default. */
  after?: Duration
}

/** Outage of a provider. */
export interface Outage {
  /** All operations by default. */
  operations?: Operation[]
  /** `CLOSED` by default: payments are rejected. `DELAYED`: they wait. */
  state?: 'CLOSED' | 'DELAYED'
  /** Duration after which it ends by itself. */
  for?: Duration
}

/** What the coverage is about. */
export interface CoverageOptions extends Pick<Static<typeof CoverageQuery>, 'version'> {
  /** Percentage that must be covered. */
  min?: number
  /** All groups by default. */
  groups?: Group[]
}

/** Goal and longest duration of a wait. */
export interface WaitOptions extends Pick<Static<typeof WaitRequest>, 'timeout'> {
  /** A status, `final` (default), or `acknowledged`: final, and all callbacks got a 2xx. */
  until?: WaitGoal
}

/** Number of events to wait for, and longest duration of the wait. */
export interface EventWaitOptions {
  /** How many must match; 1 by default. */
  count?: number
  /** `10s` by default, and `5m` at most. */
  timeout?: Duration
}

/** Signal that ends a stream. An AbortSignal is one. */
export interface EndSignal {
  /** Whether it has ended already. */
  readonly aborted: boolean
  /** Calls a listener when it ends. */
  addEventListener: (type: 'abort', listener: () => void) => void
}

/** Which events to follow, and until when. */
export interface EventOptions {
  /** Events of this account, or of all. */
  accounts?: 'own' | 'all'
  /** Ends the stream. */
  signal?: EndSignal
  /** Called when the mock has begun to send events: what happens from now on is not missed. */
  onOpen?: () => void
}

/** Function that is called with each event of a type. */
export type EventListener<Type extends MockEvent['type']> = (
  event: Extract<MockEvent, { type: Type }>
) => void
