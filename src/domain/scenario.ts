import type { Version } from './api-version.ts'
import type { CallbackFault } from './callback-faults.ts'
import type { FailureCode } from './failures.ts'
import type { KindName } from './kinds.ts'
import { fitsPattern } from './number-pattern.ts'
import type { PaymentDetails } from './payment-request.ts'
import type { Fault } from './response-behaviour.ts'
import type { SuspiciousActivity, StatusCheckFault } from './plan.ts'
import type { ScenarioFile, ScenarioSubject } from './scenario-file.ts'
import type { Status } from './status.ts'

/** Scenarios: the payments that they match, and their effects. */

/** Step of a script. */
export interface ScriptStep {
  /** Milliseconds after the step before it. */
  after: number
  to: Status
  failureCode?: FailureCode
}

/** Effect of a scenario on a payment. Without steps, the payment has its usual script. */
export type SingleEffect =
  { steps?: ScriptStep[]; fault?: Fault } | { reject: string } | { http: number }

/** Effect of a scenario: the same for each payment, or another for each in turn. */
export type Effect =
  SingleEffect | { sequence: SingleEffect[] } | { prompt: 'provider'; fault?: Fault }

/** A use of a counted scenario: one more, or the time from which it applies. */
export type ScenarioUse = string | { counter: string; since: number }

export interface Scenario {
  name: string
  when: NonNullable<ScenarioFile['when']>
  effect: Effect
  /** Faults of its callbacks. */
  callback?: CallbackFault
  /** Delay of the answer in milliseconds: exact, or between two bounds. */
  latency?: number | { from: number; to: number }
  times?: number
  /** `times` counts for each payment separately. */
  per?: 'payment'
  probability?: number
  seed?: string
  /** Only every so many payments. */
  every?: number
  /** Milliseconds during which it applies. */
  forMs?: number
  /** True if it does not apply to every payment that matches: only then are uses looked up. */
  isSelective?: true
  statusCheck?: StatusCheckFault
  suspiciousActivityReport?: SuspiciousActivity[]
}

/** First step of a usual script: a payment leaves ACCEPTED within 100 ms. */
export const promptStep: ScriptStep = { after: 50, to: 'PROCESSING' }

/** Steps of a payment that completes within a second. */
export const completeSteps: ScriptStep[] = [promptStep, { after: 450, to: 'COMPLETED' }]

/** Returns the steps of a payment that fails within a second. */
export function failSteps (failureCode: FailureCode): ScriptStep[] {
  return [promptStep, { after: 450, to: 'FAILED', failureCode }]
}

/** Returns the steps of a deposit whose customer does not answer the prompt in time. */
export function expiringSteps (after: number): ScriptStep[] {
  return [promptStep, { after, to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }]
}

/** Facts that a scenario is matched with. Checkouts and statements have only some of the fields. */
export type MatchedDetails = Partial<
  Pick<
    PaymentDetails,
    | 'provider'
    | 'country'
    | 'currency'
    | 'phoneNumber'
    | 'amount'
    | 'clientReferenceId'
    | 'metadata'
  >
>

/** Tells whether a scenario is for a payment, a checkout or a statement. */
export function isAbout (
  { when }: Scenario,
  subject: KindName | ScenarioSubject,
  version: Version,
  details: MatchedDetails
): boolean {
  const { metadata, amount, phoneNumber, clientReferenceId } = when
  return (
    isForSubject(when.kind, subject) &&
    has(when.version, version) &&
    has(when.provider, details.provider) &&
    has(when.country, details.country) &&
    has(when.currency, details.currency) &&
    (phoneNumber === undefined ||
      toList(phoneNumber).some((pattern) => fitsPattern(pattern, details.phoneNumber ?? ''))) &&
    (amount === undefined || isWithin(amount, Number(details.amount ?? NaN))) &&
    (clientReferenceId === undefined || clientReferenceId === details.clientReferenceId) &&
    (metadata === undefined ||
      Object.entries(metadata).every(([name, value]) =>
        details.metadata?.some((entry) => entry.name === name && entry.value === value)
      ))
  )
}

/** A scenario without `when.kind` is for every payment, but not for checkouts and statements. */
function isForSubject (
  kind: Scenario['when']['kind'],
  subject: KindName | ScenarioSubject
): boolean {
  if (kind === undefined) return subject !== 'checkout' && subject !== 'statement'
  const subjects: readonly string[] = toList(kind)
  return subjects.includes(subject)
}

/** Makes a list of one value or a list of values. */
export function toList<T extends string> (value: T | T[]): T[]
export function toList<T extends string> (value: T | T[] | undefined): T[] | undefined
export function toList<T extends string> (value: T | T[] | undefined): T[] | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value : [value]
}

function has<T extends string> (wanted: T | T[] | undefined, value: T | undefined): boolean {
  return wanted === undefined || (value !== undefined && toList(wanted).includes(value))
}

function isWithin (wanted: NonNullable<Scenario['when']['amount']>, amount: number): boolean {
  if (typeof wanted !== 'object') return amount === Number(wanted)
  return amount >= Number(wanted.from ?? 0) && amount <= Number(wanted.to ?? Infinity)
}
