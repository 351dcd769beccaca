import type { ResponseBehaviour } from './response-behaviour.ts'
import type { ScenarioUse } from './scenario.ts'
import type { Status } from './status.ts'

/** All reasons to refuse a request. Each API version has a table with a row for each of them. */
export const refusals = [
  // authentication
  'NOT_AUTHENTICATED',
  'TOKEN_MISSING',
  'TOKEN_UNKNOWN',
  'NOT_AUTHORISED',
  'SIGNATURE_INVALID',
  // the request itself
  'UNREADABLE',
  'TOO_LARGE',
  'MISSING',
  'UNSUPPORTED',
  'INVALID',
  'DUPLICATE_METADATA',
  // account and provider
  'UNKNOWN_PROVIDER',
  'PROVIDER_NOT_ENABLED',
  'KIND_NOT_ALLOWED',
  'CURRENCY',
  'COUNTRY',
  'PHONE_NUMBER',
  'DECIMALS',
  'BELOW_MINIMUM',
  'ABOVE_MAXIMUM',
  'PROVIDER_UNAVAILABLE',
  'OUT_OF_FUNDS',
  // refunds
  'DEPOSIT_NOT_FOUND',
  'DEPOSIT_NOT_COMPLETED',
  'REFUND_IN_PROGRESS',
  'DEPOSIT_REFUNDED',
  'REFUND_TOO_LARGE',
  // split payments
  'SPLITS_EXCEED_AMOUNT',
  // statements
  'CALLBACK_URL',
  'DATE_RANGE',
  'WALLET_NOT_FOUND',
  // actions on a payment
  'NOT_FOUND',
  'WRONG_STATE',
  'LINK_EXPIRED',
  // the URL
  'NO_ROUTE',
  'GONE',
  // scenarios
  'SCRIPTED_REJECTION',
  'SCRIPTED_ERROR',
  // the server
  'UNAVAILABLE',
  'UNEXPECTED'
] as const
export type RefusalCode = (typeof refusals)[number]

/** Refusal of a request. The message names the field, the rule and the fix. */
export interface Refusal {
  code: RefusalCode
  message: string
  /** Field at fault, by its name in PaymentRequest. */
  field?: string
  /** Code that a scenario rejects with. */
  as?: string
  /** HTTP status that a scenario answers with. */
  status?: number
  /** Counted scenarios that it used. */
  usedScenarios?: ScenarioUse[]
  /** Delay and fault of the answer. */
  behaviour?: ResponseBehaviour
  /** Outage of the provider that begins with this refusal, and when it ends. */
  outage?: { provider: string; until: number }
  /** States that the payment could move to instead. */
  legalMoves?: readonly Status[]
}

/** Refusal that is thrown, because the request ends before any payment is looked at. */
export class Refused extends Error implements Refusal {
  readonly code: RefusalCode
  readonly field?: string

  constructor (code: RefusalCode, message: string, field?: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
    if (field !== undefined) this.field = field
  }
}

/** Makes a refusal. */
export function refuse (code: RefusalCode, message: string, field?: string): Refusal {
  return field === undefined ? { code, message } : { code, message, field }
}

/** Tells whether a decision is a refusal. */
export function isRefusal (decision: object): decision is Refusal {
  return 'code' in decision
}

/** Error for a request whose account was deleted. */
export function deletedAccountError (): Refused {
  return new Refused('NOT_AUTHENTICATED', 'this account was deleted a moment ago')
}
