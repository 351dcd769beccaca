/** Durations in text form: `50ms`, `1m30s`, `PT15M`, or a plain number of milliseconds. */

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const number = '(\\d+(?:\\.\\d+)?)'
const part = (unit: string): string => `(?:${number}${unit})?`
/** `1d2h3m4s5ms`; each part is optional, but not all of them. */
const written = new RegExp(`^(?=\\d)${['d', 'h', 'm(?!s)', 's', 'ms'].map(part).join('')}$`)
/** `P1W1DT1H1M1S`. */
const iso = new RegExp(
  `^P${part('W')}${part('D')}(?:T(?=\\d)${part('H')}${part('M')}${part('S')})?$`
)

/** Description of the accepted forms, for help texts and error messages. */
export const durationForms =
  "a duration: a number with ms, s, m, h or d ('50ms', '1m30s'), ISO 8601 ('PT15M'), or a " +
  'plain number of milliseconds'

/** Parses a duration into milliseconds. Returns undefined for any other text. */
export function parseDuration (text: string | number): number | undefined {
  if (typeof text === 'number') {
    return Number.isFinite(text) && text >= 0 ? Math.round(text) : undefined
  }
  if (/^\d+$/.test(text)) return Number(text)
  if (written.test(text)) {
    let sum = 0
    for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
      sum += Number(number) * units[unit]
    }
    return Math.round(sum)
  }
  const [, weeks, days, hours, minutes, seconds] = iso.exec(text) ?? []
  if ([weeks, days, hours, minutes, seconds].every((part) => part === undefined)) return undefined
  return Math.round(
    Number(weeks ?? 0) * 7 * units.d +
      Number(days ?? 0) * units.d +
      Number(hours ?? 0) * units.h +
      Number(minutes ?? 0) * units.m +
      Number(seconds ?? 0) * units.s
  )
}
