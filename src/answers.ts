/** What the admin API answers, for those who call it from JavaScript and TypeScript. The test compares each with its schema. */

export type Kind = 'deposit' | 'payout' | 'refund' | 'remittance' | 'splitPayment' | 'checkout'
export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND' | 'REMITTANCE'
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** `'15m'`, `'1m30s'`, `'PT15M'`, or a number of milliseconds. */
export type Duration = string | number

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
}

/** One try at delivering a callback. */
export interface CallbackAttempt {
  at: string
  durationMs: number
  request: { headers: Headers, body: string }
  status?: number
  /** Why no status came back. */
  error?: string
  /** The body only as far as its first 2 KiB. */
  response?: { headers: Headers, body: string }
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
  drill?: { staleMs?: number, wrongKey?: boolean, tampered?: boolean, unsigned?: boolean }
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
  history: Array<{ at: string, status: string, cause: string, failureReason?: { failureCode: string, failureMessage: string } }>
  /** As a status check of its generation shows it. */
  record: Json
  /** What it has done to the wallets. */
  entries: Array<{ at: string, country: string, currency: string, book: string, amount: string }>
  callbacks: Callback[]
}

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
  after?: number
  limit?: number
}

/** A step of a script. */
export interface ScriptStep {
  after: Duration
  to: string
  failureCode?: string
}

/** A scenario: the fields of a scenario file, and a name. */
export interface Scenario {
  name?: string
  description?: string
  when?: Json
  script?: ScriptStep[] | 'phone'
  reject?: string
  http?: { status: number }
  fault?: 'reset' | 'lost' | 'truncated' | 'slow'
  latency?: Duration | { from: Duration, to: Duration }
  callback?: Json
  times?: number
  probability?: number
  seed?: string
}

export interface AddedScenario extends Scenario {
  name: string
  /** How many payments it was used for. */
  used: number
  remaining?: number
}

/** A request of the journal and its answer. */
export interface JournalEntry {
  id: number
  request: { method: string, url: string, path: string, query: Json, headers: Json, body?: unknown, loggedDate: number, loggedDateString: string }
  response: { status: number, body?: unknown }
  at: string
  durationMs: number
  matched: boolean
  generation?: string
  operation?: string
  payments: Array<{ kind: string, id: string }>
  signature?: Json
}

/** What a request must be like. What is not named does not matter. */
export interface RequestMatcher {
  method?: string
  path?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Verdict {
  passed: boolean
  failed: Array<{ index: number, name?: string, message: string, count: number, matched: number[], nearest?: Json }>
}

/** What a sink has taken in. */
export interface Sink {
  url: string
  received: number
  callbacks: Array<{ n: number, at: string, method: string, path: string, headers: Headers, body: unknown, answered: number, signature: { valid: boolean, because: string } }>
}
