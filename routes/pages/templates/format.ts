import { formatAmount } from '../../../src/domain/amount.ts'
import type { Language } from './texts.ts'

/** Numbers and times in the language of the reader. */

const numberFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Formats of times of day and of dates. */
const dateStyles = {
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
  date: { dateStyle: 'short', timeStyle: 'short', timeZone: 'UTC' }
} as const

/** Returns a format, which is created once: each takes about 100 KB that are freed late. */
function dateFormat (language: Language, style: keyof typeof dateStyles): Intl.DateTimeFormat {
  const key = `${language} ${style}`
  let format = dateFormats.get(key)
  if (format === undefined) {
    dateFormats.set(key, (format = new Intl.DateTimeFormat(language, dateStyles[style])))
  }
  return format
}

/** Amount with the decimals that it was given with. */
export function formatNumber (amount: string, language: Language): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const key = `${language}${decimals}`
  let format = numberFormats.get(key)
  if (format === undefined) {
    numberFormats.set(
      key,
      (format = new Intl.NumberFormat(language, {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals
      }))
    )
  }
  // A number would lose digits, and the types accept only literals.
  return format.format(amount as `${number}`)
}

/** Price with two decimals and its currency. A narrow screen breaks it before the currency. */
export function formatMoney (
  amount: string,
  currency: string | undefined,
  language: Language
): string {
  const price = formatNumber(formatAmount(amount), language)
  return currency === undefined ? price : `${price} ${currency}`
}

/** Minutes and seconds: 14:59. */
export function formatSpan (ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Time of day on the account's clock. */
export function formatTime (time: number, language: Language): string {
  return dateFormat(language, 'time').format(time)
}

/** Date and time on the account's clock. */
export function formatDate (time: number, language: Language): string {
  return dateFormat(language, 'date').format(time)
}
