import type { Account } from './account.ts'
import type { CompleteChoice, CustomerChoice, FixedTerms } from './customer-choice.ts'
import { completeChoice } from './customer-choice.ts'
import type { Catalogue } from './catalogue.ts'
import type { FixedPrice, PaymentOption } from './payment-options.ts'
import {
  optionCurrencies,
  listPaymentOptions,
  isPayableFrom,
  refuseAmount,
  refuseClosedProviders
} from './payment-options.ts'
import type { VersionRules, Version } from './api-version.ts'
import type { PaymentRequest, MetadataEntry } from './payment-request.ts'
import { phoneRule } from './phone-number.ts'
import { refuse, type Refusal } from './refusal.ts'

/**
 * A session of the payment page: the values that a merchant fixed for a deposit. The deposit exists
 * when its customer presses Pay.
 */

export const languages = ['EN', 'FR'] as const

/** Lifetime of the link of a session. */
export const sessionMs = 15 * 60_000

/** Request of the merchant, independent of the version. */
export interface PageTerms {
  depositId: string
  returnUrl: string
  customerMessage?: string
  amount?: string
  currency?: string
  phoneNumber?: string
  language?: (typeof languages)[number]
  country?: string
  reason?: string
  metadata?: MetadataEntry[]
}

export interface PageSession {
  /** Last part of its link. */
  token: string
  account: number
  version: Version
  /** Milliseconds on the account's clock. */
  created: number
  expiresAt: number
  terms: PageTerms
  /** The scenario that was named for its deposit. */
  scenario?: string
}

/** Checks a session against the account. The number or the currency can decide the country. */
export function judgeSession (
  terms: PageTerms,
  account: Account,
  catalogue: Catalogue,
  { can, fieldNames }: VersionRules
): PageTerms | Refusal {
  const { country, phoneNumber, amount, currency } = terms
  const all = listPaymentOptions(account, catalogue)
  if (all.length === 0) {
    return refuse('KIND_NOT_ALLOWED', 'deposits are not enabled on this account')
  }

  const isPlaced = country !== undefined || phoneNumber !== undefined
  if (amount !== undefined && !isPlaced && !can.priceWithoutCountry) {
    return refuse(
      'MISSING',
      `country or ${fieldNames.pagePhoneNumber} is required with ${fieldNames.pageAmount}`,
      'country'
    )
  }
  let open = all
  if (country !== undefined) {
    open = all.filter(({ code }) => code === country)
    if (open.length === 0) {
      return refuse(
        'INVALID',
        `country '${country}' is not a country of this account; it has ${codes(all)}`
      )
    }
  }
  if (phoneNumber !== undefined) {
    const reached = open.filter((offer) => isPayableFrom(offer, phoneNumber))
    if (reached.length === 0) {
      return refuse(
        'PHONE_NUMBER',
        `${fieldNames.pagePhoneNumber} '${phoneNumber}' is not a number of ` +
          `${codes(open)}${open.length === 1 ? `: ${phoneRule(open[0].country)}` : ''}`
      )
    }
    open = reached
  }
  if (currency !== undefined) {
    const taking = open.filter((offer) => optionCurrencies(offer).includes(currency))
    if (taking.length === 0) {
      return refuse(
        'CURRENCY',
        `${fieldNames.pageAmount}.currency '${currency}' cannot be paid in ${codes(open)}`
      )
    }
    open = taking
  }
  const closed = refuseClosedProviders(account, open, phoneNumber, catalogue)
  if (closed !== undefined) return closed
  const settled = open.length === 1 ? { ...terms, country: open[0].code } : terms
  if (amount === undefined) return settled
  const refusals = open.map((option) =>
    refuseFixed(option, amount, currency, fieldNames.pageAmount)
  )
  return refusals.includes(undefined) ? settled : (refusals[0] ?? settled)
}

/** Returns the price in each country, if the merchant has fixed the amount. */
export function pricesOf (
  { amount, country, currency }: PageTerms,
  countries: Iterable<string>
): FixedPrice[] {
  if (amount === undefined) return []
  return (country === undefined ? [...countries] : [country]).map((code) => ({
    country: code,
    amount,
    ...(currency !== undefined && { currency })
  }))
}

/** What a session fixes for its customer. */
export function termsOfSession (
  { terms }: PageSession,
  account: Account,
  catalogue: Catalogue
): FixedTerms {
  const { country, phoneNumber } = terms
  const countries =
    country === undefined
      ? listPaymentOptions(account, catalogue).map(({ code }) => code)
      : [country]
  return {
    countries,
    prices: pricesOf(terms, countries),
    ...(phoneNumber !== undefined && { phoneNumber })
  }
}

/** The deposit that pressing Pay makes of a session and the customer's choice. */
export function depositOf (
  session: PageSession,
  choice: CustomerChoice,
  link: string,
  account: Account,
  catalogue: Catalogue
): (PaymentRequest & CompleteChoice) | Refusal {
  const { depositId, customerMessage, metadata } = session.terms
  const chosen = completeChoice(choice, termsOfSession(session, account, catalogue), catalogue)
  if ('code' in chosen) return chosen
  return {
    id: depositId,
    ...chosen,
    // A customer who authorises the payment on another page returns to this page.
    successfulUrl: link,
    failedUrl: link,
    ...(customerMessage !== undefined && { customerMessage }),
    ...(metadata !== undefined && { metadata })
  }
}

/** Without a currency, the amount must fit one of those the country has. */
function refuseFixed (
  offer: PaymentOption,
  amount: string,
  currency: string | undefined,
  field: string
): Refusal | undefined {
  const refusals = (currency === undefined ? optionCurrencies(offer) : [currency]).map((one) =>
    refuseAmount(offer, one, amount, field)
  )
  return refusals.includes(undefined) ? undefined : refusals[0]
}

function codes (offers: readonly PaymentOption[]): string {
  return offers.map(({ code }) => code).join(', ')
}
