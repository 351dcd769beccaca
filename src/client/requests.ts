import type { Static } from '@sinclair/typebox'
import type { CallbackQuery } from '../admin-api/callbacks.ts'
import type { AdvanceRequest, ClockRequest } from '../admin-api/clock.ts'
import type { CoverageQuery } from '../admin-api/coverage.ts'
import type { ExampleQuery } from '../admin-api/examples.ts'
import type {
  CallbackToSend as CallbackToSendSchema,
  CountQuery,
  MoveRequest,
  PaymentQuery
} from '../admin-api/payments.ts'
import type { PromptAnswer } from '../admin-api/phone.ts'
import type { ProviderRequest } from '../admin-api/providers.ts'
import type { NewScenario } from '../admin-api/scenarios.ts'
import type {
  CallbackToSign as CallbackToSignSchema,
  PastedRequest as PastedRequestSchema
} from '../admin-api/signatures.ts'
import type { SinkAnswer as SinkAnswerSchema, SinkRequest } from '../admin-api/sinks.ts'
import type {
  StatusCheckAnswer as StatusCheckAnswerSchema,
  StatusCheckRequest
} from '../admin-api/status-checks.ts'
import type { WaitRequest } from '../admin-api/wait.ts'
import type { AccountSettings, WrittenAccount } from '../domain/account-settings.ts'
import type { Group } from '../verification/coverage.ts'
import type { KindName, Operation } from '../domain/kinds.ts'
import type { MockEvent } from '../monitoring/mock-event.ts'
import type { PayableKind } from '../domain/scenario-file.ts'
import type { Duration as DurationSchema } from '../lib/duration.ts'

/**
 * Requests of the admin API, derived from the schemas of its routes. These imports disappear at
 * run time.
 */

export type { AccountSettings } from '../domain/account-settings.ts'
export type { Availability } from '../domain/account.ts'
export type { Expectation } from '../verification/expectation.ts'
export type { KindName as Kind, Operation } from '../domain/kinds.ts'
export type { CallbackMatcher, RequestMatcher } from '../verification/matching.ts'
export type { PaymentMatcher } from '../verification/payment-matching.ts'
export type { OperationId } from '../domain/known-codes.ts'
export type { DeliveryState } from '../ports/outgoing-callback.ts'
export type { CountryCode, OwnCodes, ProviderCode } from '../domain/provider-code.ts'
export type { FailureCodeOf } from '../domain/failures.ts'
export type { RejectionCode, RejectionCodeOf } from '../domain/rejections.ts'
export type { PayableKind } from '../domain/scenario-file.ts'
export type { ResetPart } from '../domain/reset-parts.ts'

/** Settings of a new account. */
export interface NewAccountSettings extends Partial<Static<typeof WrittenAccount>> {}

/** `'15m'`, `'1m30s'`, `'PT15M'`, or a number of milliseconds. */
export type Duration = Static<typeof DurationSchema>

/** A query on the wire has texts only; the client also takes numbers and known kinds. */
type Filter<Query> = Omit<Query, 'kind' | 'after' | 'limit'> & {
  kind?: KindName
  after?: number
  limit?: number
}

export interface PaymentFilter extends Filter<Static<typeof PaymentQuery>> {}

/** Filter of payments that are counted. */
export interface CountFilter extends Omit<Static<typeof CountQuery>, 'kind'> {
  kind?: KindName
}

export interface CallbackFilter extends Filter<Static<typeof CallbackQuery>> {}

/** Fields of a scenario file, and a name. */
export interface Scenario extends Static<typeof NewScenario> {}

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

/** Request to have its signature explained. */
export interface PastedRequest extends Static<typeof PastedRequestSchema> {}

/** Callback about a payment: without fields it is correct. */
export interface CallbackToSend extends Static<typeof CallbackToSendSchema> {}

/** Callback to be signed as the server would sign it. */
export interface CallbackToSign extends Static<typeof CallbackToSignSchema> {}

/** Settings to change: a named setting is replaced, null removes it. */
export type AccountChanges = {
  [Name in Exclude<keyof AccountSettings, 'name' | 'callbacks'>]?: AccountSettings[Name] | null
} & {
  /** One URL for all kinds, or one for each kind. */
  callbacks?:
    | string
    | { [Kind in keyof NonNullable<AccountSettings['callbacks']>]?: string | null }
    | null
}

/** Group of features of the API. */
export type CoverageGroup = Group

export interface CoverageOptions
  extends Pick<Static<typeof CoverageQuery>, 'version' | 'generation'> {
  /** Percentage that must be covered. */
  min?: number
  /** All groups by default. */
  groups?: CoverageGroup[]
}

/** Answer of a sink: a status, or a status and a delay. */
export type SinkAnswer = Static<typeof SinkAnswerSchema>

/** Answers of a sink to the next callbacks, and to those after them. */
export type SinkAnswers = Static<typeof SinkRequest>

/** Answer to one status check. */
export interface StatusCheckAnswer extends Static<typeof StatusCheckAnswerSchema> {}

/** Answers to the next status checks, and to those after them. */
export interface StatusCheckAnswers extends Static<typeof StatusCheckRequest> {}

export interface ClockSettings extends Static<typeof ClockRequest> {}

/** Duration or time by which the clock is advanced. */
export type ClockAdvance = Static<typeof AdvanceRequest>

export type ProviderStates = Static<typeof ProviderRequest>

/** Answer of a customer to a prompt. */
export type PromptDecision = Static<typeof PromptAnswer>['decision']

/** Status to move a payment to. */
export type PaymentStatus = Static<typeof MoveRequest>['to']

export type FailureCode = NonNullable<Static<typeof MoveRequest>['failureCode']>

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

export type WaitGoal = NonNullable<Static<typeof WaitRequest>['until']>

/** Signal that ends a stream. An AbortSignal is one. */
export interface EndSignal {
  readonly aborted: boolean
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

/** Terms of an example request. */
export interface ExampleTerms extends Static<typeof ExampleQuery> {}
