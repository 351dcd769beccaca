import type { Account } from './account.ts'
import { availabilityOf, enabledOperations } from './rules.ts'
import { amountForms } from './amount.ts'
import type { Catalogue, Country, Provider } from './catalogue.ts'
import { limitsOf } from './catalogue.ts'
import { predict } from './provider-prediction.ts'
import { isRefusal, refuse, type Refusal } from './refusal.ts'

/** A country a customer of this account can pay from, with the providers to choose from there. */
export interface PaymentOption {
  code: string
  country: Country
  providers: Provider[]
}

/** Smallest and largest amount. */
type Range = [least: number, most: number]

/** Price in a country, in its only currency if none is named. */
export interface FixedPrice {
  country: string
  currency?: string
  amount: string
}

/**
 * Countries from which customers of an account can pay: the named ones or all, with the providers
 * that accept a price of their country. The order is that of the names, or of the account's
 * providers.
 */
export function listPaymentOptions (
  account: Account,
  catalogue: Catalogue,
  only?: readonly string[],
  prices: readonly FixedPrice[] = []
): PaymentOption[] {
  const offers: PaymentOption[] = []
  for (const code of new Set(only ?? listCountries(account, catalogue))) {
    const country = catalogue.countries.get(code)
    if (country === undefined) continue
    const providers = Object.keys(country.providers)
      .map((provider) => catalogue.providers.get(provider) as Provider)
      .filter(
        (provider) =>
          enabledOperations(account.settings, provider)?.includes('DEPOSIT') &&
          takesAnyPrice(
            provider,
            prices.filter((price) => price.country === code)
          )
      )
    if (providers.length > 0) offers.push({ code, country, providers })
  }
  return offers
}

/** Countries in the order in which the account names them or their providers. */
function listCountries ({ settings }: Account, { countries, providers }: Catalogue): string[] {
  if (settings.providers === undefined) return [...countries.keys()]
  return settings.providers.map((entry) => {
    const code = typeof entry === 'string' ? entry : entry.provider
    return providers.get(code)?.country ?? code
  })
}

/**
 * Would a provider take one of these prices? Where there are none, the customer names the amount.
 */
function takesAnyPrice (provider: Provider, prices: readonly FixedPrice[]): boolean {
  return (
    prices.length === 0 ||
    prices.some(({ currency, amount }) =>
      (currency === undefined ? Object.keys(provider.currencies) : [currency]).some((one) => {
        const limits = limitsOf(provider, one, 'DEPOSIT')
        return (
          limits !== undefined &&
          amountForms[limits.decimals].test(amount) &&
          isWithin(limits, amount)
        )
      })
    )
  )
}

function isWithin ({ min, max }: { min: string; max: string }, amount: string): boolean {
  return Number(amount) >= Number(min) && Number(amount) <= Number(max)
}

/** The currencies that can be paid in within an offer. */
export function optionCurrencies ({ providers }: PaymentOption): string[] {
  return [
    ...new Set(
      providers.flatMap((provider) =>
        Object.keys(provider.currencies).filter(
          (currency) => limitsOf(provider, currency, 'DEPOSIT') !== undefined
        )
      )
    )
  ]
}

/** Can this number pay here? */
export function isPayableFrom ({ country }: PaymentOption, phoneNumber: string): boolean {
  return country.phonePattern.test(phoneNumber)
}

/**
 * Refuses a fixed amount that no provider of the country accepts. `field` is its name in the
 * request.
 */
export function refuseAmount (
  offer: PaymentOption,
  currency: string,
  amount: string,
  field: string
): Refusal | undefined {
  const limits = offer.providers.flatMap(
    (provider) => limitsOf(provider, currency, 'DEPOSIT') ?? []
  )
  if (limits.length === 0) {
    return {
      code: 'CURRENCY',
      message:
        `${field}: currency '${currency}' cannot be paid in ${offer.code}; it takes ` +
        `${optionCurrencies(offer).join(', ')}`
    }
  }
  const [only] =
    offer.providers.length === 1 ? offer.providers.map(({ code: provider }) => provider) : []
  const fine = limits.filter(({ decimals }) => amountForms[decimals].test(amount))
  if (fine.length === 0) {
    return {
      code: 'DECIMALS',
      message:
        `${field}: amount '${amount}' has more decimals than ` +
        `${only ?? `any provider of ${offer.code}`} takes in ${currency}`
    }
  }
  if (fine.some((one) => isWithin(one, amount))) return undefined
  const ranges = joinRanges(fine)
  const bounds = ranges.map(([least, most]) => `${least} to ${most}`).join(' or ')
  return {
    code: Number(amount) < ranges[0][0] ? 'BELOW_MINIMUM' : 'ABOVE_MAXIMUM',
    message:
      `${field}: amount '${amount}' is outside the limits of ` +
      `${only ?? `every provider of ${offer.code}`}, ${bounds} ${currency}`
  }
}

/** Ranges of amounts that limits allow together, the smallest amounts first. */
function joinRanges (limits: ReadonlyArray<{ min: string; max: string }>): Range[] {
  const sorted = limits
    .map(({ min, max }): Range => [Number(min), Number(max)])
    .sort(([one], [other]) => one - other)
  return sorted.reduce<Range[]>((joined, range) => {
    const last = joined.at(-1)
    if (last === undefined || range[0] > last[1]) return [...joined, range]
    last[1] = Math.max(last[1], range[1])
    return joined
  }, [])
}

/**
 * Refuses if nobody could pay, because the provider of the phone number, or every provider, is
 * CLOSED for deposits.
 */
export function refuseClosedProviders (
  account: Account,
  options: readonly PaymentOption[],
  phoneNumber: string | undefined,
  catalogue: Catalogue
): Refusal | undefined {
  const isClosed = ({ code }: Provider): boolean =>
    availabilityOf(account, code, 'DEPOSIT') === 'CLOSED'
  const predicted =
    phoneNumber === undefined ? undefined : predict(phoneNumber, catalogue, 'phoneNumber')
  if (predicted !== undefined && !isRefusal(predicted) && isClosed(predicted.provider)) {
    return refuse(
      'PROVIDER_UNAVAILABLE',
      `${predicted.provider.code}, the provider of '${phoneNumber}', is CLOSED for deposits`
    )
  }
  if (options.some(({ providers }) => !providers.every(isClosed))) return undefined
  const countries = options.map(({ code }) => code).join(', ')
  return refuse('PROVIDER_UNAVAILABLE', `all providers of ${countries} are CLOSED for deposits`)
}
