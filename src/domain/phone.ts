import type { Country } from './catalog.ts'

/** A phone number as the API wants it: digits, country code first, no leading zero, and as long as that country's are. */
export function isPhoneNumber (phoneNumber: string, country: Country): boolean {
  return /^[1-9][0-9]*$/.test(phoneNumber) &&
    phoneNumber.startsWith(country.prefix) &&
    country.nationalNumberLengths.includes(phoneNumber.length - country.prefix.length)
}

/** In words, what a number of that country looks like. */
export function phoneRule (country: Country): string {
  return `digits only, ${country.prefix} and then ${country.nationalNumberLengths.join(' or ')} digits, without '+', spaces or separators`
}
