import { limitsOf, type Provider } from '../../src/domain/catalogue.ts'
import { chosenProvider, countryOf } from './templates/wallet.ts'
import type { TypedFields, WalletForm } from './templates/wallet-fields.ts'

/** Scenarios of the package that a customer page offers as buttons. */
export const outcomes = [
  'happy-path',
  'declined',
  'not-approved',
  'insufficient-balance',
  'limit-reached',
  'unknown-payer',
  'phone'
] as const

/** Code of a provider that asks for one. The simulator accepts any. */
const anyCode = '123456'

/** Fills the empty fields of a form with values that the provider accepts. */
export function fillBlanks (wallet: WalletForm): TypedFields {
  const { typed, fixed, prices } = wallet
  const offer = countryOf(wallet)
  if (offer === undefined) return typed
  const { providers } = offer
  const provider =
    chosenProvider(wallet, offer, providers)?.provider ??
    providers.find((one) => goodNumber(one) !== undefined) ??
    providers[0]
  const here = prices.filter(({ country }) => country === offer.code)
  const currency = typed.currency ?? here.at(0)?.currency ?? Object.keys(provider.currencies)[0]
  const number = goodNumber(provider)
  return {
    country: offer.code,
    ...(fixed.provider === undefined && { provider: provider.code }),
    ...(fixed.phoneNumber === undefined && number !== undefined && { phoneNumber: number }),
    currency,
    ...(here.length === 0 && { amount: limitsOf(provider, currency, 'DEPOSIT')?.min }),
    ...(provider.authType === 'PREAUTH' && { preAuthorisationCode: anyCode }),
    ...typed
  }
}

/** Test number of a provider whose payments complete. */
function goodNumber ({ testNumbers: { DEPOSIT = {} } }: Provider): string | undefined {
  return Object.entries(DEPOSIT).find(([, outcome]) => outcome === 'COMPLETED')?.[0]
}
