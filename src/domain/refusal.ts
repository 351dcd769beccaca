import type { ResponseBehaviour } from './response-behaviour.ts'
import type { Status } from './status.ts'

/**
 * Every way a request can be refused, once, in our own words. Each generation has a table that
 * spells all of them; leave one out and it does not compile.
 */
export const refusals = [
  // who may call
  'NOT_AUTHENTICATED',
  'NOT_AUTHORISED',
  'SIGNATURE_INVALID',
  // what was sent
  'UNREADABLE',
  'TOO_LARGE',
  'MISSING',
  'UNSUPPORTED',
  'INVALID',
  'DUPLICATE_METADATA',
  // what the account and the provider allow
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
  // what a refund is limited by
  'DEPOSIT_NOT_FOUND',
  'DEPOSIT_NOT_COMPLETED',
  'REFUND_IN_PROGRESS',
  'DEPOSIT_REFUNDED',
  'REFUND_TOO_LARGE',
  // what a split payment is limited by
  'SPLITS_EXCEED_AMOUNT',
  // what a statement is limited by
  'CALLBACK_URL',
  'DATE_RANGE',
  'WALLET_NOT_FOUND',
  // what cannot be done to a payment
  'NOT_FOUND',
  'WRONG_STATE',
  'LINK_EXPIRED',
  // what the address leads to
  'NO_ROUTE',
  'GONE',
  // what a scenario says
  'SCRIPTED_REJECTION',
  'SCRIPTED_ERROR',
  // us
  'UNEXPECTED'
] as const
export type RefusalCode = (typeof refusals)[number]

/**
 * A refusal is a value: what was wrong, and in words which field, which rule and how to mend it.
 */
export interface Refusal {
  code: RefusalCode
  message: string
  /** The code a scenario rejects with. */
  as?: string
  /** The HTTP status a scenario answers with. */
  status?: number
  /** The counted scenarios that it used. */
  usedScenarios?: string[]
  /** How the answer is given. */
  behaviour?: ResponseBehaviour
  /** Where a payment can go that cannot go where it was to. */
  legalMoves?: readonly Status[]
}

/**
 * A refusal that ends the request where it stands: the request itself is at fault, before any
 * payment is looked at.
 */
export class Refused extends Error implements Refusal {
  readonly code: RefusalCode

  constructor (code: RefusalCode, message: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
  }
}

/** Tells whether a decision is a refusal. */
export function isRefusal (decision: object): decision is Refusal {
  return 'code' in decision
}
