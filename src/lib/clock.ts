/**
 * Clocks. This is the only file that reads the system time; all other code gets it as an argument.
 * The clock of an account runs at any speed, or is frozen until a test advances it.
 */

/** Source of the system time, in milliseconds since 1970. */
export interface SystemClock {
  now: () => number
}

export const systemClock: SystemClock = { now: () => Date.now() }

/** Monotonic time in milliseconds, with fractions. Use it only to measure durations. */
export const stopwatch = (): number => performance.now()

/** First and last time that a clock can show: the years 1 to 9999, which RFC 3339 can write. */
export const earliestTime = Date.parse('0001-01-01T00:00:00.000Z')
export const latestTime = Date.parse('9999-12-31T23:59:59.999Z')

/** Tells whether a clock can show a time. */
export function isClockTime (time: unknown): time is number {
  return typeof time === 'number' && time >= earliestTime && time <= latestTime
}

/** Clock of an account. */
export interface Clock {
  mode: 'running' | 'frozen'
  /** Account time at the system time `since`. */
  base: number
  since: number
  speed: number
  /** Original clock, while an advance replaces it. The ledger stores the original. */
  instead?: Clock
}

/** Returns a clock that shows the system time. */
export function runningClock (): Clock {
  return { mode: 'running', base: 0, since: 0, speed: 1 }
}

/** Returns a clock that is frozen at a time. */
export function frozenClock (now: number): Clock {
  return { mode: 'frozen', base: now, since: 0, speed: 1 }
}

/** Returns a frozen clock that replaces another clock for a while. */
export function heldClock (clock: Clock, now: number): Clock {
  return { ...frozenClock(now), instead: originalClock(clock) }
}

/** Returns the clock of an account, also while another one replaces it. */
export function originalClock (clock: Clock): Clock {
  return clock.instead ?? clock
}

/** Returns the account time at a system time, in whole milliseconds. It ends with year 9999. */
export function accountTime (clock: Clock, machineNow: number): number {
  return clock.mode === 'frozen'
    ? clock.base
    : Math.min(Math.floor(clock.base + (machineNow - clock.since) * clock.speed), latestTime)
}

/** Returns the system time at which the clock shows `time`. A frozen clock gives Infinity. */
export function systemTimeOf (clock: Clock, time: number): number {
  return clock.mode === 'frozen' ? Infinity : clock.since + (time - clock.base) / clock.speed
}

/**
 * Formats a time as RFC 3339 in UTC with whole seconds: `2026-01-31T12:00:00Z`. Every response
 * needs one, and most are about payments of the same second.
 */
export function formatTimestamp (time: number): string {
  const second = Math.floor(time / 1000)
  if (second !== lastSecond.second) {
    const text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = { second, text }
  }
  return lastSecond.text
}

/** Cache of the last formatted second. */
let lastSecond = { second: NaN, text: '' }
