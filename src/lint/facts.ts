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
  return {
    providers: rows.flatMap(([, country]) => Object.keys(country.providers)),
    currencies: Object.fromEntries(rows.map(([code, country]) => [code, currenciesOf(country)])),
    signedRequestsOnly
  }
}
