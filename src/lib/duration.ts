import { FormatRegistry, Type } from './typebox.ts'

/** Durations as people write them: `50ms`, `1m30s`, `PT15M`, or a plain number of milliseconds. */

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const written =
  /^(?=\d)(?:\d+(?:\.\d+)?d)?(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m(?!s))?(?:\d+(?:\.\d+)?s)?(?:\d+(?:\.\d+)?ms)?$/
const iso =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

export const durationForms =
  "a duration: a number with ms, s, m, h or d ('50ms', '1m30s'), ISO 8601 ('PT15M'), or a " +
  'plain number of milliseconds'

/** The milliseconds a duration means; nothing, if it is none. */
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

FormatRegistry.Set('momock-duration', (text) => parseDuration(text) !== undefined)

/** A duration in a file or a request. */
export const Duration = Type.Union(
  [Type.String({ format: 'momock-duration' }), Type.Number({ minimum: 0 })],
  { description: durationForms }
)
