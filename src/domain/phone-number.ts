import type { Country } from './catalogue.ts'

/** Description of the numbers of a country. */
export function phoneRule (country: Country): string {
  return (
    `digits only, ${country.prefix} and then ${country.nationalNumberLengths.join(' or ')} ` +
    "digits, without '+', spaces or separators"
  )
}

/**
 * Converts a typed number of a country to the form of the API. People leave out the country code,
 * or keep the leading zero.
 */
export function internationalNumber (
  typed: string,
  { prefix, nationalNumberLengths: lengths }: Country
): string {
  const digits = typed.replace(/\D/g, '').replace(/^00/, '')
  if (
    /^\s*(\+|00)/.test(typed) ||
    (digits.startsWith(prefix) && lengths.includes(digits.length - prefix.length))
  ) {
    return digits
  }
  const rest =
    digits.startsWith(prefix) && digits.length > Math.max(...lengths)
      ? digits.slice(prefix.length)
      : digits
  return prefix + (rest.startsWith('0') && !lengths.includes(rest.length) ? rest.slice(1) : rest)
}
