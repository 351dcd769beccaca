import type { Catalogue, Country, Provider } from './catalogue.ts'
import type { FixedPrice } from './payment-options.ts'
import type { CheckoutDetails, PaymentRequest } from './payment-request.ts'
import { phoneRule } from './phone-number.ts'
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

/** A choice with the fixed values, and its problems in the order of the checks. */
export interface ResolvedChoice {
  chosen: CustomerChoice
  refusals: Refusal[]
}

/** Completes a choice with the fixed values, or refuses it with its first problem. */
export function completeChoice (
  choice: CustomerChoice,
  fixed: FixedTerms,
  catalogue: Catalogue
): CompleteChoice | Refusal {
  const { chosen, refusals } = resolveChoice(choice, fixed, catalogue)
  const [refusal] = refusals
  if (refusal !== undefined) return refusal
  if (!isComplete(chosen)) throw new Error('a choice without a problem is not complete')
  return chosen
}

/** Resolves a choice: all its problems, also those behind the first. */
export function resolveChoice (
  choice: CustomerChoice,
  fixed: FixedTerms,
  catalogue: Catalogue
): ResolvedChoice {
  const code = fixed.provider ?? choice.provider
  const phoneNumber = fixed.phoneNumber ?? choice.phoneNumber
  const provider = catalogue.providers.get(code ?? '')
  // Without a provider, the country decides which numbers and prices are possible.
  const home = [provider?.country, choice.country].find((one) =>
    fixed.countries.includes(one ?? '')
  )
  const country = catalogue.countries.get(home ?? '')
  const offered = provider === undefined ? Object.values(country?.providers ?? {}) : [provider]
  const currencies = [...new Set(offered.flatMap((one) => Object.keys(one.currencies)))]
  const price = home === undefined ? undefined : resolvePrice(home, currencies, choice, fixed)
  const { country: named, preAuthorisationCode, attended } = choice
  return {
    chosen: {
      ...(code !== undefined && { provider: code }),
      ...(phoneNumber !== undefined && { phoneNumber }),
      ...price?.chosen,
      ...(named !== undefined && { country: named }),
      ...(preAuthorisationCode !== undefined && { preAuthorisationCode }),
      ...(attended !== undefined && { attended })
    },
    refusals: [
      ...refuseChange('provider', choice, fixed),
      ...refuseChange('phoneNumber', choice, fixed),
      ...refuseMissing(code, phoneNumber),
      ...refuseProvider(code, provider, fixed),
      ...refuseNumber(phoneNumber, home, country),
      ...(price?.refusals ?? [])
    ]
  }
}

/** Merges refusals: the first of each field stays. */
export function mergeRefusals (...lists: Array<readonly Refusal[]>): Refusal[] {
  const seen = new Set<string | undefined>()
  return lists.flat().filter(({ field }) => {
    const isFirst = !seen.has(field)
    seen.add(field)
    return isFirst
  })
}

/** What a checkout fixes, and the values that its merchant suggests. */
export function termsOfCheckout ({ payer, countries, amounts = [] }: CheckoutDetails['terms']): {
  fixed: FixedTerms
  suggested: CustomerChoice
} {
  const { allowCustomerToOverride, ...wallet } = payer ?? { allowCustomerToOverride: true }
  const fixed = { countries, prices: amounts }
  return allowCustomerToOverride
    ? { fixed, suggested: wallet }
    : { fixed: { ...fixed, ...wallet }, suggested: {} }
}

/** The n-th attempt of a checkout as the deposit it will be. */
export function checkoutAttempt (
  { terms, redirectUrl, clientReferenceId, metadata }: CheckoutDetails,
  depositId: string,
  choice: CustomerChoice,
  catalogue: Catalogue
): (PaymentRequest & CompleteChoice) | Refusal {
  const { reason } = terms
  const { fixed, suggested } = termsOfCheckout(terms)
  const chosen = completeChoice({ ...suggested, ...choice }, fixed, catalogue)
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

function isComplete (chosen: CustomerChoice): chosen is CompleteChoice {
  const { provider, phoneNumber, currency, amount } = chosen
  return [provider, phoneNumber, currency, amount].every((value) => value !== undefined)
}

/** Refuses another value than the fixed one. */
function refuseChange (
  name: 'provider' | 'phoneNumber',
  choice: CustomerChoice,
  fixed: FixedTerms
): Refusal[] {
  const isChanged =
    fixed[name] !== undefined && choice[name] !== undefined && choice[name] !== fixed[name]
  return isChanged
    ? [
        refuse(
          'INVALID',
          `${name} is fixed to '${fixed[name]}' by the merchant; leave it out`,
          name
        )
      ]
    : []
}

function refuseMissing (provider: string | undefined, phoneNumber: string | undefined): Refusal[] {
  const refusals: Refusal[] = []
  if (provider === undefined) {
    const message = 'provider is required: one of those the page offers'
    refusals.push(refuse('MISSING', message, 'provider'))
  }
  if (phoneNumber === undefined) {
    const message = 'phoneNumber is required: a string of digits with the country code'
    refusals.push(refuse('MISSING', message, 'phoneNumber'))
  }
  return refusals
}

/** Refuses a provider that does not exist or is of another country. */
function refuseProvider (
  code: string | undefined,
  provider: Provider | undefined,
  { countries }: FixedTerms
): Refusal[] {
  if (code === undefined) return []
  if (provider === undefined) {
    const message = `provider '${code}' does not exist; choose one of those the page offers`
    return [refuse('UNKNOWN_PROVIDER', message, 'provider')]
  }
  if (countries.includes(provider.country)) return []
  const message =
    `provider '${code}' is of ${provider.country}; this can only be paid from ` +
    countries.join(', ')
  return [refuse('INVALID', message, 'provider')]
}

function refuseNumber (
  phoneNumber: string | undefined,
  code: string | undefined,
  country: Country | undefined
): Refusal[] {
  if (phoneNumber === undefined || country === undefined) return []
  if (country.phonePattern.test(phoneNumber)) return []
  const message = `phoneNumber '${phoneNumber}' is not a number of ${code}: ${phoneRule(country)}`
  return [refuse('PHONE_NUMBER', message, 'phoneNumber')]
}

/** Resolves the currency and the amount in a country. */
function resolvePrice (
  country: string,
  currencies: string[],
  { currency, amount }: CustomerChoice,
  { prices }: FixedTerms
): ResolvedChoice {
  const here = prices.filter((price) => price.country === country)
  const matching = here.filter(
    (price) => currency === undefined || price.currency === undefined || price.currency === currency
  )
  const refusals: Refusal[] = []
  if (here.length > 0 && matching.length === 0) {
    const message =
      `currency '${currency}' has no price in ${country}; it is paid in ` +
      here.map((price) => price.currency).join(' or ')
    refusals.push(refuse('CURRENCY', message, 'currency'))
  }
  if (matching.length > 1) {
    const message =
      `currency is required, because there are several prices in ${country}: ` +
      here.map((price) => `${price.amount} ${price.currency}`).join(', ')
    refusals.push(refuse('MISSING', message, 'currency'))
  }
  if (refusals.length > 0) return { chosen: {}, refusals }

  const price = matching.at(0)
  if (price !== undefined && amount !== undefined && Number(amount) !== Number(price.amount)) {
    const message = `amount is fixed to '${price.amount}' by the merchant; leave it out`
    refusals.push(refuse('INVALID', message, 'amount'))
  }
  const settled =
    price?.currency ?? currency ?? (currencies.length === 1 ? currencies[0] : undefined)
  if (settled === undefined) {
    const message = `currency is required: one of ${currencies.join(', ')}`
    refusals.push(refuse('MISSING', message, 'currency'))
  }
  const total = price?.amount ?? amount
  if (total === undefined) {
    const message = 'amount is required, because the merchant has not fixed it'
    refusals.push(refuse('MISSING', message, 'amount'))
  }
  return {
    chosen: {
      ...(settled !== undefined && { currency: settled }),
      ...(total !== undefined && { amount: total })
    },
    refusals
  }
}
