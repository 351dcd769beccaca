import type { Account, Availability } from './account.ts'
import { callbackUrl } from './account.ts'
import { availabilityOf, enabledOperations } from './rules.ts'
import type { Catalogue, Country, Provider } from './catalogue.ts'
import { limitsOf } from './catalogue.ts'
import type { Kind, Operation } from './kinds.ts'
import { kinds, kindsOf, operations } from './kinds.ts'
import type { WalletName } from './money.ts'

/** One operation of a provider in a currency, as an account can use it. */
export interface OperationOffering {
  limits: NonNullable<ReturnType<typeof limitsOf>>
  status: Availability
  callbackUrl?: string
}

export type OperationOfferings = Partial<Record<Operation, OperationOffering>>

export interface CurrencyOffering {
  currency: string
  displayName: string
  operations: OperationOfferings
}

export interface ProviderOffering {
  provider: Provider
  currencies: CurrencyOffering[]
}

/** Offering of an account in a country. */
export interface CountryOffering {
  country: string
  about: Country
  providers: ProviderOffering[]
}

/** Filter of an offering. */
export interface OfferingFilter {
  country?: string
  /** Operation filter; an unknown operation matches nothing. */
  operationType?: string
  /** Includes what is not enabled on the account. */
  everything?: boolean
}

/** The kind that stands for an operation type. */
const kindFor = (operation: Operation): Kind => kinds[kindsOf(operation)[0]]

/**
 * Offering of an account by country, in the order of the catalogue. Countries and providers without
 * an offer are left out.
 */
export function listOfferings (
  account: Account,
  catalogue: Catalogue,
  filter: OfferingFilter = {}
): CountryOffering[] {
  const found: CountryOffering[] = []
  for (const [country, about] of catalogue.countries) {
    if (filter.country !== undefined && filter.country !== country) continue
    const providers = Object.keys(about.providers)
      .map((code) => providerOffer(account, catalogue.providers.get(code) as Provider, filter))
      .filter(({ currencies }) => currencies.length > 0)
    if (providers.length > 0) found.push({ country, about, providers })
  }
  return found
}

/** The operations a provider offers in any of its currencies, with their statuses. */
export function operationStatuses ({
  currencies
}: ProviderOffering): Partial<Record<Operation, Availability>> {
  const statuses: Partial<Record<Operation, Availability>> = {}
  for (const operation of operations) {
    const offer = currencies.find((currency) => currency.operations[operation] !== undefined)
    if (offer !== undefined) statuses[operation] = offer.operations[operation]?.status
  }
  return statuses
}

/**
 * Every wallet of an account: one per country and currency in which anything is enabled, used or
 * not.
 */
export function listWallets (
  account: Account,
  catalogue: Catalogue,
  country?: string
): WalletName[] {
  return listOfferings(account, catalogue, { country }).flatMap(({ country, providers }) => {
    const currencies = new Set(
      providers.flatMap((provider) => provider.currencies.map(({ currency }) => currency))
    )
    return [...currencies].map((currency) => ({ country, currency }))
  })
}

function providerOffer (
  account: Account,
  provider: Provider,
  { operationType, everything }: OfferingFilter
): ProviderOffering {
  const enabled = (
    everything === true && provider.assumed !== true
      ? operations
      : (enabledOperations(account.settings, provider) ?? [])
  ).filter((operation) => operationType === undefined || operation === operationType)
  const currencies = Object.entries(provider.currencies).map(([currency, { displayName }]) => ({
    currency,
    displayName,
    operations: operationOffers(account, provider, currency, enabled)
  }))
  return {
    provider,
    currencies: currencies.filter((offer) => Object.keys(offer.operations).length > 0)
  }
}

function operationOffers (
  account: Account,
  provider: Provider,
  currency: string,
  enabled: readonly Operation[]
): OperationOfferings {
  const offered: OperationOfferings = {}
  for (const operation of enabled) {
    const limits = limitsOf(provider, currency, operation)
    if (limits === undefined) continue
    const url = callbackUrl(account.settings, kindFor(operation))
    offered[operation] = {
      limits,
      status: availabilityOf(account, provider.code, operation),
      ...(url !== undefined && { callbackUrl: url })
    }
  }
  return offered
}
