import type { AccountSettings } from '../domain/account.ts'
import type { Availability, Operation, Scenario } from './requests.ts'

/**
 * What the admin API answers, for those who call it from JavaScript and TypeScript.
 * `test/support/answers.ts` compares each with its schema.
 */

/** JSON of the API itself, which its reference describes. */
export type Json = Record<string, any>

export type Headers = Record<string, string | string[]>

export interface Clock {
  mode: string
  /** RFC 3339. */
  now: string
  speed: number
}

/** What happened while a clock was moved on. */
export interface Advance extends Clock {
  /** How often a payment went from one state to another. */
  transitions: number
  /** How many attempts were made at delivering callbacks. */
  callbacks: number
  /** How many checkouts and links ran out. */
  expirations: number
  /** How many of them were checkouts. */
  expiredCheckouts: number
  /** And how many links to payment pages that nobody had paid by. */
  expiredLinks: number
}

/** One try at delivering a callback. */
export interface CallbackAttempt {
  at: string
  durationMs: number
  request: { headers: Headers; body: string }
  status?: number
  /** Why no status came back. */
  error?: string
  /** The body only as far as its first 2 KiB. */
  response?: { headers: Headers; body: string }
}

export interface Callback {
  id: number
  /** A kind, or `statement`. */
  kind: string
  paymentId?: string
  url: string
  /** PENDING, ACKNOWLEDGED or EXHAUSTED. */
  state: string
  created: string
  nextAttempt?: string
  /** What a scenario made wrong with it. */
  drill?: { staleMs?: number; wrongKey?: boolean; tampered?: boolean; unsigned?: boolean }
  body: Json
  /** How often it was tried. */
  tries: number
  attempts: CallbackAttempt[]
}

export interface PaymentSummary {
  kind: string
  id: string
  generation: string
  status: string
  created: string
  amount?: string
  currency?: string
  provider?: string
  phoneNumber?: string
  /** What was chosen for it. */
  scenario: string
}

/** All there is to know of a payment. */
export interface Payment extends PaymentSummary {
  /** Why that scenario was chosen. */
  why: string
  history: Array<{
    at: string
    status: string
    cause: string
    failureReason?: { failureCode: string; failureMessage: string }
  }>
  /** As a status check of its generation shows it. */
  record: Json
  /** What it has done to the wallets. */
  entries: Array<{ at: string; country: string; currency: string; book: string; amount: string }>
  /** Oldest first, the last 100; `callbacks({ paymentId })` has all of them. */
  callbacks: Callback[]
}

export interface AddedScenario extends Scenario {
  name: string
  /** How many payments it was used for. */
  used: number
  remaining?: number
}

/** A provider whose state was set. */
export interface ProviderState {
  provider: string
  operationTypes: Partial<Record<Operation, Availability>>
}

/** A deposit that waits for its customer. */
export interface Prompt {
  depositId: string
  status: string
  amount: string
  currency: string
  country: string
  provider: string
  phoneNumber: string
  created: string
  customerMessage: string
  authorizationUrl?: string
  failureReason?: { failureCode: string; failureMessage: string }
}

/** What a customer's phone shows. */
export interface Phone {
  phoneNumber: string
  /** The path of the phone as a page; its key opens this number of this account. */
  page: string
  /** The deposits that wait for an answer. */
  prompts: Prompt[]
  messages: Array<{
    at: string
    kind: string
    id: string
    status: string
    from: string
    text: string
  }>
}

/** Why an admin call was refused. */
export interface Refusal {
  code: string
  message: string
  /** What to do about it. */
  hint: string
  /** Where a payment can go, if it could not be moved to where it was to. */
  legalMoves?: string[]
  /** The payment as it was seen last, if it was waited for in vain or could not be moved. */
  seen?: Payment
}

/** What this server makes of the signature of a request. */
export interface SignatureExplanation {
  valid: boolean
  problems: string[]
  hints: string[]
  label?: string
  components: string[]
  parameters: Json
  /** The text that must have been signed; left out when a component is missing. */
  base?: string
  algorithm?: string
  encoding?: string
}

export interface PublishedKeys {
  /** The identifier of the key that signs from now on. */
  signing: string
  keys: Array<{ id: string; key: string }>
}

/** A request of the journal and its answer. */
export interface JournalEntry {
  id: number
  request: {
    method: string
    url: string
    path: string
    query: Json
    headers: Json
    body?: unknown
    bodyTruncated?: boolean
    loggedDate: number
    loggedDateString: string
  }
  response: { status: number; body?: unknown; bodyTruncated?: boolean; fault?: string }
  /** By the clock of the account. */
  at: string
  durationMs: number
  /** False where there is no such operation, or no account with such a token. */
  matched: boolean
  generation?: string
  operation?: string
  payments: Array<{ kind: string; id: string }>
  signature?: SignatureExplanation
  notes?: string[]
}

export interface VerifyResult {
  passed: boolean
  /** The expectations that were not met, with what came nearest. */
  failed: Array<{
    index: number
    name?: string
    message: string
    count: number
    matched: number[]
    nearest?: {
      request?: number
      callback?: number
      summary: string
      differences: Array<{ field: string; wanted: unknown; got?: unknown }>
    }
  }>
  /** How many requests the journal had no room for any more. */
  dropped: number
}

/** What a reset has set back, and what it has kept. */
export interface Reset {
  reset: string[]
  kept: string[]
}

export interface Account {
  name: string
  /** configuration, admin, sandbox or ledger. */
  origin: string
  settings: AccountSettings
  /** The settings that were changed while the server ran. */
  patched: string[]
}

export interface ListedAccount {
  name: string
  origin: string
  tokens: string[]
  clock: string
  payments: number
  lastUsed?: string
}

export interface Snapshot {
  name: string
  /** By the machine. */
  taken: string
  /** What the clock of the account showed. */
  clock: Clock
  seed: string
  payments: number
  scenarios: string[]
}

/** What must always be true of an account, and whether it is. */
export interface Invariants {
  hold: boolean
  invariants: Array<{
    name: string
    rule: string
    checked: number
    broken: number
    offenders: Array<{ what: string; problem: string }>
  }>
}

/** What the traffic of an account has exercised, and what not. */
export interface Coverage {
  covered: number
  total: number
  percent: number
  min?: number
  /** Is as much covered as `min` says? */
  passed?: boolean
  groups: Array<{
    name: string
    covered: number
    total: number
    exercised: string[]
    missing: string[]
  }>
}

/** What the requests of an account do that v2 refuses, or that is unwise. */
export interface Lint {
  passed: boolean
  /** How many requests were looked at. */
  checked: number
  /** How many requests the journal had no room for any more. */
  dropped: number
  findings: Array<{
    rule: string
    /** refused or warning. */
    severity: string
    title: string
    why: string
    message: string
    count: number
    /** The ids of the first of them in the journal. */
    requests: number[]
    request: { id: number; method: string; url: string; body?: unknown }
    /** The same in v2. */
    equivalent?: { method: string; path: string; body?: unknown; notes?: string[] }
  }>
  rules: Array<{ id: string; severity: string; title: string; found: number }>
}

/** What a sink answers the next callbacks, and then. */
export interface SinkOrders {
  url: string
  answers: Array<{ status: number; delayMs: number }>
  then: { status: number; delayMs: number }
}

/** What a sink has taken in, newest last. */
export interface Sink extends SinkOrders {
  received: number
  callbacks: Array<{
    n: number
    at: string
    method: string
    path: string
    headers: Headers
    body: unknown
    answered: number
    signature: { valid: boolean; because: string }
  }>
}
