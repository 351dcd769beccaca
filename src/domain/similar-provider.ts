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

/**
 * Finds the provider of the same operator and country. Real clients write ORANGE_MONEY_CMR,
 * MTN_GHA, AIRTEL_OAPI_COG and MPESA_COD.
 */
export function findSimilarProvider (code: string, codes: Iterable<string>): string | undefined {
  const [operator, ...others] = code.toUpperCase().split('_')
  const ofCountry = [...codes].filter((known) => known.endsWith(`_${others.at(-1) ?? ''}`))
  return (
    ofCountry.find((known) => known.startsWith(`${operator}_`)) ??
    ofCountry.find((known) => known.includes(`_${operator}_`))
  )
}

/** Explains an unknown provider code: what it is, and which codes may be meant. */
export function explainProvider (code: string, codes: Iterable<string>): string {
  const known = [...codes]
  const upper = code.toUpperCase()
  const similar = findSimilarProvider(upper, known)
  const country = /_([A-Z]{3})$/.exec(upper)?.[1]
  const ofCountry = known.filter((one) => country !== undefined && one.endsWith(`_${country}`))
  const meant = similar === undefined ? ofCountry : [similar]
  const what = unlisted.has(upper)
    ? 'exists on the platform, not offered to merchants'
    : 'no such provider'
  const which =
    meant.length > 0
      ? `did you mean ${listWords(meant)}?`
      : 'the active configuration lists the codes'
  return `${what}; ${which}`
}

function listWords (words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`
}
