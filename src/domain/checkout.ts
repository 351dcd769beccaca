import type { Account } from './account.ts'
import type { Catalogue } from './catalogue.ts'
import type { PaymentOption } from './payment-options.ts'
import {
  listPaymentOptions,
  isPayableFrom,
  refuseAmount,
  refuseClosedProviders
} from './payment-options.ts'
import type { Checkout } from './payment.ts'
import type { CheckoutDetails, PaymentRequest } from './payment-request.ts'
import type { CheckoutTerms } from './checkout-terms.ts'
import { refuse, type Refusal } from './refusal.ts'

/**
 * A checkout: terms within which a customer may try to pay until one attempt succeeds or the time
 * is up.
 */

/** Time at which a checkout closes for new attempts: the last step of its plan. */
export function expiryOf ({ plan }: Checkout): number {
  return plan.steps[plan.steps.length - 1].at
}

/** Checks a checkout against the account, in the documented order: countries, amounts, payer. */
export function judgeCheckout (
  paymentRequest: PaymentRequest,
  account: Account,
  catalogue: Catalogue
): CheckoutDetails['terms'] | Refusal {
  const terms = paymentRequest.terms as CheckoutTerms
  const all = listPaymentOptions(account, catalogue)
  if (all.length === 0) {
    return refuse(
      'KIND_NOT_ALLOWED',
      'checkouts are not enabled on this account, because it can take no deposits'
    )
  }

  for (const [index, code] of (terms.countries ?? []).entries()) {
    if (!all.some((offer) => offer.code === code)) {
      return refuse(
        'INVALID',
        `countries.${index} '${code}' is not a country of this account; it has ${codes(all)}`
      )
    }
  }
  const countries = terms.countries ?? [
    ...new Set(terms.amounts?.map(({ country }) => country) ?? all.map(({ code }) => code))
  ]
  const open = all.filter(({ code }) => countries.includes(code))
  return (
    judgePrices(terms, all, open) ??
    judgePayer(terms, open, account, catalogue) ??
    refuseClosedProviders(account, open, terms.payer?.phoneNumber, catalogue) ?? {
      ...terms,
      countries,
      ...(terms.countries === undefined && { anyCountry: true })
    }
  )
}

function judgePrices (
  { amounts = [] }: CheckoutTerms,
  all: PaymentOption[],
  open: PaymentOption[]
): Refusal | undefined {
  const seen = new Set<string>()
  for (const [index, { country, currency, amount }] of amounts.entries()) {
    const field = `amounts.${index}`
    const offer = open.find(({ code }) => code === country)
    if (offer === undefined) {
      const known = all.some(({ code }) => code === country)
      const missing = known
        ? 'among the countries of this checkout; add it to countries'
        : `a country of this account; it has ${codes(all)}`
      return refuse('INVALID', `${field}.country '${country}' is not ${missing}`)
    }
    if (seen.has(`${country} ${currency}`)) {
      return refuse(
        'INVALID',
        `${field} is the second amount in ${currency} for ${country}; give one per country ` +
          'and currency'
      )
    }
    seen.add(`${country} ${currency}`)
    const refusal = refuseAmount(offer, currency, amount, field)
    if (refusal !== undefined) return refusal
  }
}

function judgePayer (
  { payer, amounts = [] }: CheckoutTerms,
  open: PaymentOption[],
  account: Account,
  catalogue: Catalogue
): Refusal | undefined {
  if (payer?.provider !== undefined) {
    const provider = catalogue.providers.get(payer.provider)
    const named = `payer.accountDetails.provider '${payer.provider}'`
    if (provider === undefined) {
      return refuse(
        'UNKNOWN_PROVIDER',
        `${named} does not exist; the active configuration lists those that do`
      )
    }
    if (
      !listPaymentOptions(account, catalogue, [provider.country]).some(({ providers }) =>
        providers.includes(provider)
      )
    ) {
      return refuse(
        'PROVIDER_NOT_ENABLED',
        `${named} is not enabled for deposits on this account; add it to the account's providers`
      )
    }
    if (!open.some(({ code }) => code === provider.country)) {
      return refuse(
        'INVALID',
        `${named} is of ${provider.country}, which is not among the countries of this ` +
          `checkout, ${codes(open)}`
      )
    }
    open = open.filter(({ code }) => code === provider.country)
    // A fixed payer must be able to pay one of the amounts; otherwise nothing could be paid.
    const refusals = payer.allowCustomerToOverride
      ? []
      : amounts.flatMap(({ country, currency, amount }, index) =>
        country === provider.country
          ? [
              refuseAmount(
                { ...open[0], providers: [provider] },
                currency,
                amount,
                  `amounts.${index}`
              )
            ]
          : []
      )
    if (refusals.length > 0 && !refusals.includes(undefined)) return refusals[0]
  }
  if (
    payer?.phoneNumber !== undefined &&
    !open.some((offer) => isPayableFrom(offer, payer.phoneNumber as string))
  ) {
    return refuse(
      'PHONE_NUMBER',
      `payer.accountDetails.phoneNumber '${payer.phoneNumber}' is not a number of ` +
        `${codes(open)}: digits only, country code first, without '+', spaces or separators`
    )
  }
}

function codes (offers: readonly PaymentOption[]): string {
  return offers.map(({ code }) => code).join(', ')
}
