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

/** Most letters in which the country of a code may be misspelt. */
const misspelt = 1

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
  const isNear = near !== undefined && distance(countryOf(near), country) <= misspelt
  return near !== undefined && (isNear || country.length !== 3) ? [near] : []
}

function countryOf (code: string): string {
  return code.split('_').at(-1) ?? ''
}

function listWords (words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}
