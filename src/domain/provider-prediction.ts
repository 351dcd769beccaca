import type { Catalogue, Country, Provider } from './catalogue.ts'
import type { Refusal } from './refusal.ts'

/** Which provider a phone number belongs to, and how the number is written. */
export interface Prediction {
  country: string
  provider: Provider
  phoneNumber: string
}

/**
 * Number of final digits of a sandbox test number that decide its effect. The digits before them
 * are the provider's range.
 */
const outcomeDigits = 3

/**
 * Predicts the provider of a number as people write it. The test numbers and their ranges are
 * looked at before the national prefixes, because some of them lie where another provider's real
 * numbers are; then the longest prefix wins.
 */
export function predict (given: string, catalogue: Catalogue, field: string): Prediction | Refusal {
  const refuse = (rule: string): Refusal => ({
    code: 'INVALID',
    message: `${field} ${rule}, got '${given.slice(0, 60)}'`
  })
  const digits = given.replace(/\D/g, '').replace(/^00/, '')
  if (digits === '') return refuse('must be a phone number with its country code')

  const home = homeOf(digits, catalogue)
  if (home === undefined) {
    return refuse(
      `must begin with the code of a country of the active configuration: ${codes(catalogue)}`
    )
  }
  const [country, about] = home
  const national = nationalNumber(digits.slice(about.prefix.length), about)
  if (national === undefined) {
    return refuse(
      `must have ${about.nationalNumberLengths.join(' or ')} digits after the country code ` +
        `${about.prefix} of ${country}`
    )
  }

  const phoneNumber = about.prefix + national
  const code = byTestNumber(phoneNumber, about) ?? byPrefix(national, about) ?? onlyProvider(about)
  const provider = code === undefined ? undefined : catalogue.providers.get(code)
  if (provider === undefined) {
    return refuse(
      `must belong to a provider; no provider of ${country} is known to have numbers that ` +
        `begin so (${Object.keys(about.providers).join(', ')})`
    )
  }
  return { country, provider, phoneNumber }
}

/** Country of the code at the start of the number. The longest code wins. */
function homeOf (digits: string, { countries }: Catalogue): [string, Country] | undefined {
  let best: [string, Country] | undefined
  for (const row of countries) {
    if (digits.startsWith(row[1].prefix) && row[1].prefix.length > (best?.[1].prefix.length ?? 0)) {
      best = row
    }
  }
  return best
}

/** Number without its country code. A leading zero is removed if the length is right without it. */
function nationalNumber (
  rest: string,
  { nationalNumberLengths: lengths }: Country
): string | undefined {
  if (lengths.includes(rest.length)) return rest
  return rest.startsWith('0') && lengths.includes(rest.length - 1) ? rest.slice(1) : undefined
}

function byTestNumber (phoneNumber: string, { providers }: Country): string | undefined {
  const range = phoneNumber.slice(0, -outcomeDigits)
  let near: string | undefined
  for (const [code, { testNumbers }] of Object.entries(providers)) {
    for (const number of [
      ...Object.keys(testNumbers.DEPOSIT ?? {}),
      ...Object.keys(testNumbers.PAYOUT ?? {})
    ]) {
      if (number === phoneNumber) return code
      if (number.length === phoneNumber.length && number.startsWith(range)) near = code
    }
  }
  return near
}

/** Of two prefixes that are equally long, the one of the test numbers wins. */
function byPrefix (national: string, { providers }: Country): string | undefined {
  let best: string | undefined
  let longest = 0
  for (const list of ['testPrefixes', 'nationalPrefixes'] as const) {
    for (const [code, provider] of Object.entries(providers)) {
      for (const prefix of provider[list]) {
        if (prefix.length > longest && national.startsWith(prefix)) {
          ;[best, longest] = [code, prefix.length]
        }
      }
    }
  }
  return best
}

function onlyProvider ({ providers }: Country): string | undefined {
  const all = Object.keys(providers)
  return all.length === 1 ? all[0] : undefined
}

function codes ({ countries }: Catalogue): string {
  return [...countries.values()].map(({ prefix }) => prefix).join(', ')
}
