import { distance } from 'fastest-levenshtein'
import { findNearest } from '../lib/validator.ts'

/** Codes that the platform shows for v1, although merchants cannot use them. */
const unlisted = new Set([
  'AIRTEL_UGA',
  'AIRTEL_ZMB',
  'AIRTEL_KEN',
  'VODACOM_COD',
  'TNM_MPAMBA_MWI',
  'TELEBIRR_ETH',
  'MPESA_V2_KEN',
  'MOOV_CIV',
  'EXPRESSO_SEN'
])

/** Explains an unknown provider code: what it is, and which codes may be meant. */
export function explainProvider (code: string, codes: Iterable<string>): string {
  const what = unlisted.has(code.toUpperCase())
    ? 'exists on the platform, not offered to merchants'
    : 'no such provider'
  const meant = listMeant(code, [...codes])
  return meant.length > 0
    ? `${what}; did you mean ${listWords(meant)}?`
    : `${what}; the active configuration lists the codes`
}

/** Returns the code that is meant by an unknown one, if only one can be. */
export function findMeantProvider (code: string, codes: Iterable<string>): string | undefined {
  const meant = listMeant(code, [...codes])
  return meant.length === 1 ? meant[0] : findNearest(code.toUpperCase(), meant)
}

/**
 * Lists the codes that may be meant by an unknown one: of the same operator and country, or else of
 * the country. Real clients write ORANGE_MONEY_CMR, MTN_GHA, AIRTEL_OAPI_COG and MPESA_COD. A code
 * of another country is meant only if the country is misspelt.
 */
function listMeant (code: string, codes: readonly string[]): string[] {
  const upper = code.toUpperCase()
  const [operator, ...others] = upper.split('_')
  const country = others.at(-1) ?? ''
  const ofCountry = codes.filter((known) => countryOf(known) === country)
  const similar =
    ofCountry.find((known) => known.startsWith(`${operator}_`)) ??
    ofCountry.find((known) => known.includes(`_${operator}_`))
  if (similar !== undefined) return [similar]
  if (ofCountry.length > 0) return ofCountry
  const near = findNearest(upper, codes)
  return near !== undefined && isMisspelt(country, countryOf(near)) ? [near] : []
}

/** Tells whether a country is another one with one wrong letter, or with two in the wrong order. */
function isMisspelt (given: string, country: string): boolean {
  const sorted = [given, country].map((code) => [...code].sort().join(''))
  return given.length !== 3 || distance(given, country) === 1 || sorted[0] === sorted[1]
}

function countryOf (code: string): string {
  return code.split('_').at(-1) ?? ''
}

function listWords (words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}
