import type { AccountSettings } from '../domain/account.ts'
import type { ScenarioFile } from '../domain/scenario.ts'

/** What the admin API takes, for those who call it from JavaScript and TypeScript. */

export type { AccountSettings } from '../domain/account.ts'
export type { Expectation } from '../domain/expectations.ts'
export type { CallbackMatcher, RequestMatcher } from '../domain/matching.ts'

export type Kind = 'deposit' | 'payout' | 'refund' | 'remittance' | 'splitPayment' | 'checkout'
export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND' | 'REMITTANCE'
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** `'15m'`, `'1m30s'`, `'PT15M'`, or a number of milliseconds. */
export type Duration = string | number

export interface PaymentFilter {
  kind?: Kind
  status?: string
  provider?: string
  phoneNumber?: string
  since?: string
  after?: number
  limit?: number
}

export interface CallbackFilter {
  state?: 'PENDING' | 'ACKNOWLEDGED' | 'EXHAUSTED'
  kind?: Kind
  paymentId?: string
  url?: string
  /** Which come first; the oldest when left out. */
  order?: 'oldest' | 'newest'
  after?: number
  limit?: number
}

/** A scenario: the fields of a scenario file, and a name. */
export interface Scenario extends ScenarioFile {
  name?: string
}

/** A request that was pasted, to have its signature explained. */
export interface PastedRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  /** PEM; without it, the keys of the account and of the server are tried by their ids. */
  publicKey?: string
}

/** A part of an account that a reset sets back, or keeps. */
export type ResetPart =
  | 'payments'
  | 'callbacks'
  | 'scenarios'
  | 'providers'
  | 'settings'
  | 'clock'
  | 'journal'
  | 'coverage'

/** Settings to change: what is named is replaced, null takes it away. */
export type AccountChanges = {
  [Name in Exclude<keyof AccountSettings, 'name' | 'callbacks'>]?: AccountSettings[Name] | null
} & {
  callbacks?: { [Kind in keyof NonNullable<AccountSettings['callbacks']>]?: string | null } | null
}

export interface CoverageOptions {
  /** How much must be covered, in percent. */
  min?: number
  generation?: 'v1' | 'v2'
  groups?: string[]
}

/** An answer of a sink: a status, or more. */
export type SinkAnswer = number | { status?: number; delay?: Duration }
