import type { CatalogueData } from '../domain/catalogue.ts'
import type { LintFacts } from './journal-entry.ts'

/** Builds the facts for the rules from a catalogue. */
export function buildFacts (
  countries: Iterable<[string, CatalogueData[string]]>,
  signedRequestsOnly: boolean
): LintFacts {
  const rows = [...countries]
  const currenciesOf = (country: CatalogueData[string]): string[] => [
    ...new Set(
      Object.values(country.providers).flatMap(({ currencies }) => Object.keys(currencies))
    )
  ]
  const wholeAmounts = rows
    .flatMap(([, { providers }]) => Object.entries(providers))
    .flatMap(([provider, { currencies }]) =>
      Object.entries(currencies)
        .filter(([, { operationTypes }]) =>
          Object.values(operationTypes).some(({ decimals }) => decimals === 0)
        )
        .map(([currency]) => `${provider} ${currency}`)
    )
  const wholePrices = rows.flatMap(([code, country]) =>
    currenciesOf(country)
      .filter((currency) =>
        Object.entries(country.providers).every(
          ([provider, { currencies }]) =>
            currencies[currency] === undefined || wholeAmounts.includes(`${provider} ${currency}`)
        )
      )
      .map((currency) => `${code} ${currency}`)
  )
  return {
    wholeAmounts,
    wholePrices,
    providers: rows.flatMap(([, country]) => Object.keys(country.providers)),
    currencies: Object.fromEntries(rows.map(([code, country]) => [code, currenciesOf(country)])),
    signedRequestsOnly
  }
}
