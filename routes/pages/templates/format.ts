import type { Language } from './texts.ts'

/** Numbers and times as they are written in a language. */

const formats = new Map<string, Intl.NumberFormat>()

/** An amount with as many decimals as it was given with. */
export function formatNumber (amount: string, language: Language): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const key = `${language}${decimals}`
  let format = formats.get(key)
  if (format === undefined) {
    formats.set(
      key,
      (format = new Intl.NumberFormat(language, {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals
      }))
    )
  }
  // As text, so that no digit is lost; the types know only of literals.
  return format.format(amount as `${number}`)
}

/** An amount with its currency, never broken into two lines. */
export function formatMoney (amount: string, currency: string, language: Language): string {
  return `${formatNumber(amount, language)}\u00a0${currency}`
}

/** Minutes and seconds: 14:59. */
export function formatSpan (ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The time of day until which something is possible, by the account's clock. */
export function formatTime (time: number, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC'
  }).format(time)
}

/** When something happened, by the account's clock. */
export function formatCountdown (time: number, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'UTC'
  }).format(time)
}
