/**
 * Finds the provider of the same operator and country. Real clients write ORANGE_MONEY_CMR, MTN_GHA
 * and AIRTEL_OAPI_COG.
 */
export function findSimilarProvider (code: string, codes: Iterable<string>): string | undefined {
  const [operator, ...others] = code.toUpperCase().split('_')
  const country = others.at(-1) ?? ''
  return [...codes].find(
    (known) => known.startsWith(`${operator}_`) && known.endsWith(`_${country}`)
  )
}
