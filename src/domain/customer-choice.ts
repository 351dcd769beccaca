import type { Catalogue, Country } from './catalogue.ts'
import type { FixedPrice } from './payment-options.ts'
import type { CheckoutDetails, PaymentRequest } from './payment-request.ts'
import type { Price } from './checkout-terms.ts'
import { isPhoneNumber, phoneRule } from './phone-number.ts'
import { refuse, type Refusal } from './refusal.ts'

/** Choice of a customer on a page: a wallet, and the amount if it is not fixed. */
export interface CustomerChoice {
  country?: string
  provider?: string
  phoneNumber?: string
  currency?: string
  amount?: string
  preAuthorisationCode?: string
  attended?: boolean
}

/** Values that are fixed before the customer chooses. */
export interface FixedTerms {
  /** Only wallets of these countries can pay. */
  countries: readonly string[]
  provider?: string
  phoneNumber?: string
  /**
   * Price in each country that has one. In the others the customer enters the amount. The currency
   * is that of the country by default.
   */
  prices: readonly FixedPrice[]
}

/** A choice that is complete: everything a deposit needs. */
export type CompleteChoice = Required<
  Pick<CustomerChoice, 'provider' | 'phoneNumber' | 'currency' | 'amount'>
> &
  Pick<CustomerChoice, 'country' | 'preAuthorisationCode' | 'attended'>

/** Completes a choice with the fixed values, or refuses it. */
export function completeChoice (
  choice: CustomerChoice,
  fixed: FixedTerms,
  catalogue: Catalogue
): CompleteChoice | Refusal {
  for (const name of ['provider', 'phoneNumber'] as const) {
    const changed =
      fixed[name] !== undefined && choice[name] !== undefined && choice[name] !== fixed[name]
    if (changed) {
      return refuse(
        'INVALID',
        `${name} is fixed to '${fixed[name]}' by the merchant; leave it out`,
        name
      )
    }
  }
  const code = fixed.provider ?? choice.provider
  if (code === undefined) {
    return refuse('MISSING', 'provider is required: one of those the page offers', 'provider')
  }
  const phoneNumber = fixed.phoneNumber ?? choice.phoneNumber
  if (phoneNumber === undefined) {
    return refuse(
      'MISSING',
      'phoneNumber is required: a string of digits with the country code',
      'phoneNumber'
    )
  }
  const provider = catalogue.providers.get(code)
  if (provider === undefined) {
    return refuse(
      'UNKNOWN_PROVIDER',
      `provider '${code}' does not exist; choose one of those the page offers`,
      'provider'
    )
  }
  if (!fixed.countries.includes(provider.country)) {
    return refuse(
      'INVALID',
      `provider '${code}' is of ${provider.country}; this can only be paid from ` +
        fixed.countries.join(', '),
      'provider'
    )
  }
  const home = catalogue.countries.get(provider.country) as Country
  if (!isPhoneNumber(phoneNumber, home)) {
    return refuse(
      'PHONE_NUMBER',
      `phoneNumber '${phoneNumber}' is not a number of ${provider.country}: ${phoneRule(home)}`,
      'phoneNumber'
    )
  }

  const price = priceIn(provider.country, Object.keys(provider.currencies), choice, fixed)
  if ('code' in price) return price
  const { country, preAuthorisationCode, attended } = choice
  return {
    provider: code,
    phoneNumber,
    ...price,
    ...(country !== undefined && { country }),
    ...(preAuthorisationCode !== undefined && { preAuthorisationCode }),
    ...(attended !== undefined && { attended })
  }
}

/** The n-th attempt of a checkout as the deposit it will be. */
export function checkoutAttempt (
  { terms, redirectUrl, clientReferenceId, metadata }: CheckoutDetails,
  depositId: string,
  choice: CustomerChoice,
  catalogue: Catalogue
): (PaymentRequest & CompleteChoice) | Refusal {
  const { payer, countries, amounts = [], reason } = terms
  const { allowCustomerToOverride, ...wallet } = payer ?? { allowCustomerToOverride: true }
  const chosen = allowCustomerToOverride
    ? completeChoice({ ...wallet, ...choice }, { countries, prices: amounts }, catalogue)
    : completeChoice(choice, { countries, prices: amounts, ...wallet }, catalogue)
  if ('code' in chosen) return chosen
  const message = reason?.[terms.defaultLanguage ?? 'en'] ?? Object.values(reason ?? {})[0]
  return {
    id: depositId,
    ...chosen,
    // A customer who authorises the payment on another page returns to the checkout.
    successfulUrl: redirectUrl,
    failedUrl: redirectUrl,
    ...(message !== undefined && { customerMessage: message }),
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    ...(metadata !== undefined && { metadata })
  }
}

function priceIn (
  country: string,
  currencies: string[],
  { currency, amount }: CustomerChoice,
  { prices }: FixedTerms
): Pick<Price, 'currency' | 'amount'> | Refusal {
  const here = prices.filter((price) => price.country === country)
  const matching = here.filter(
    (price) => currency === undefined || price.currency === undefined || price.currency === currency
  )
  if (here.length > 0 && matching.length === 0) {
    return refuse(
      'CURRENCY',
      `currency '${currency}' has no price in ${country}; it is paid in ` +
        here.map((price) => price.currency).join(' or '),
      'currency'
    )
  }
  if (matching.length > 1) {
    return refuse(
      'MISSING',
      `currency is required, because there are several prices in ${country}: ` +
        here.map((price) => `${price.amount} ${price.currency}`).join(', '),
      'currency'
    )
  }

  const price = matching.at(0)
  if (price !== undefined && amount !== undefined && Number(amount) !== Number(price.amount)) {
    return refuse(
      'INVALID',
      `amount is fixed to '${price.amount}' by the merchant; leave it out`,
      'amount'
    )
  }
  const settled =
    price?.currency ?? currency ?? (currencies.length === 1 ? currencies[0] : undefined)
  if (settled === undefined) {
    return refuse('MISSING', `currency is required: one of ${currencies.join(', ')}`, 'currency')
  }
  const total = price?.amount ?? amount
  if (total === undefined) {
    return refuse('MISSING', 'amount is required, because the merchant has not fixed it', 'amount')
  }
  return { currency: settled, amount: total }
}
