import type { CountryOffering } from '../../src/domain/account-offering.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import type { Country, Provider } from '../../src/domain/catalogue.ts'
import { readPath, writePath } from '../../src/lib/field-path.ts'
import { findNearest } from '../../src/lib/validator.ts'
import type { WalletPaths } from '../../src/wire/wire.ts'

/**
 * Corrects provider, phone number, currency and amount of a request, so that they fit together and
 * the account can use them. Returns the changes.
 */
export function correctTerms (
  body: unknown,
  paths: WalletPaths,
  kind: Kind,
  offerings: readonly CountryOffering[]
): string[] {
  const changes: string[] = []
  const set = (path: string, value: string): void => {
    const sent = readPath(body, path)
    if (sent === value) return
    writePath(body, path, value)
    changes.push(`${path} is "${value}" in place of "${String(sent)}"`)
  }
  const read = (path: string): string => String(readPath(body, path))
  const offering = findOffering(offerings, read(paths.provider), read(paths.phoneNumber))
  if (offering === undefined) return changes
  const { country, about, provider, currencies } = offering
  set(paths.provider, provider.code)
  if (!about.phonePattern.test(read(paths.phoneNumber))) {
    set(paths.phoneNumber, findTestNumber(provider, kind) ?? findNumber(provider, about))
  }
  if (readPath(body, 'country') !== undefined) set('country', country)
  const currency =
    currencies.find((offered) => offered.currency === read('currency')) ?? currencies[0]
  set('currency', currency.currency)
  const limits = currency.operations[kind.operation]?.limits
  if (limits !== undefined) set('amount', fitAmount(read('amount'), limits))
  return changes
}

/** Finds the provider that was sent, the one with the nearest name, or one of the same country. */
function findOffering (offerings: readonly CountryOffering[], code: string, phoneNumber: string) {
  const all = offerings.flatMap(({ country, about, providers }) =>
    providers.map((offering) => ({ country, about, ...offering }))
  )
  const near = findNearest(
    code,
    all.map(({ provider }) => provider.code)
  )
  return (
    all.find(({ provider }) => provider.code === near) ??
    all.find(({ about }) => about.phonePattern.test(phoneNumber)) ??
    all[0]
  )
}

/** A test number of a provider whose payments complete. */
export function findTestNumber (provider: Provider, { operation }: Kind): string | undefined {
  const numbers = provider.testNumbers[operation === 'DEPOSIT' ? 'DEPOSIT' : 'PAYOUT'] ?? {}
  return Object.keys(numbers).find((number) => numbers[number] === 'COMPLETED')
}

/** A number of a provider that has no test numbers. */
function findNumber ({ nationalPrefixes: [first = ''] }: Provider, country: Country): string {
  const { prefix, nationalNumberLengths: [length = 9] } = country
  return prefix + first.padEnd(length, '2')
}

/** The amount within the limits that is nearest to the one that was sent. */
export function fitAmount (
  amount: string,
  { min, max, decimals }: { min: string; max: string; decimals: number }
): string {
  const value = Number(amount)
  if (value < Number(min)) return min
  if (value > Number(max)) return max
  const [, fraction = ''] = amount.split('.')
  return fraction.length > decimals ? String(Math.floor(value)) : amount
}
