/**
 * Time, as an argument. This is the only file that asks the machine what time it is; everyone else
 * is told. An account's clock runs with the machine, or faster or slower, or stands still until
 * somebody moves it.
 */

export interface SystemClock {
  now: () => number
}

export const systemClock: SystemClock = { now: () => Date.now() }

/**
 * For measuring how long something takes, in milliseconds and parts of them; it does not tell the
 * time.
 */
export const stopwatch = (): number => performance.now()

export interface Clock {
  mode: 'running' | 'frozen'
  /** The account's time at the machine's time `since`. */
  base: number
  since: number
  speed: number
  /**
   * The clock this one stands in for, while an advance is under way; it is that one which is kept.
   */
  instead?: Clock
}

/** A clock that shows the machine's own time. */
export function runningClock (): Clock {
  return { mode: 'running', base: 0, since: 0, speed: 1 }
}

/** A clock that stands still at a time. */
export function frozenClock (now: number): Clock {
  return { mode: 'frozen', base: now, since: 0, speed: 1 }
}

/** A clock that stands still at a time, in place of another. */
export function heldClock (clock: Clock, now: number): Clock {
  return { ...frozenClock(now), instead: clock.instead ?? clock }
}

/** What the clock shows when the machine's shows `machineNow`: whole milliseconds. */
export function accountTime (clock: Clock, machineNow: number): number {
  return clock.mode === 'frozen'
    ? clock.base
    : Math.floor(clock.base + (machineNow - clock.since) * clock.speed)
}

/** When, by the machine, the clock will show `time`; never, if it stands still. */
export function systemTimeOf (clock: Clock, time: number): number {
  return clock.mode === 'frozen' ? Infinity : clock.since + (time - clock.base) / clock.speed
}

/**
 * RFC 3339, UTC, whole seconds: `2026-01-31T12:00:00Z`. Every answer needs one, so only the day is
 * left to the library.
 */
export function formatTimestamp (time: number): string {
  const day = Math.floor(time / dayMs)
  if (day !== last.day) last = { day, text: new Date(time).toISOString().slice(0, 11) }
  const second = Math.floor((time - day * dayMs) / 1000)
  return `${last.text}${digits[Math.floor(second / 3600)]}:${digits[Math.floor(second / 60) % 60]}:${digits[second % 60]}Z`
}

const dayMs = 24 * 60 * 60 * 1000

/** The numbers below 60, in two digits. */
const digits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** Most times are of the same day as the one before. */
let last = { day: NaN, text: '' }
