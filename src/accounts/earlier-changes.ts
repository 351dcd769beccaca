import type { Account } from '../domain/account.ts'
import { accountTime, formatTimestamp, type Clock } from '../lib/clock.ts'

/** Number of accounts that are described. */
const describedAccounts = 3
/** Difference to the system clock that is described. */
const noticedMs = 60_000

/**
 * Describes what an earlier run has left in the accounts of a ledger: changed settings, and clocks
 * that differ from the configuration. Returns undefined if there is nothing.
 */
export function describeEarlierChanges (
  accounts: readonly Account[],
  configuredClock: Clock['mode'],
  now: number
): string | undefined {
  const changes = accounts.flatMap(({ name, patched, clock }) => {
    const fields = Object.keys(patched)
    const found = [
      ...(fields.length === 0 ? [] : [`changed settings (${fields.join(', ')})`]),
      ...describeClock(clock, configuredClock, now)
    ]
    return found.length === 0 ? [] : [`account '${name}' has ${found.join(' and ')}`]
  })
  if (changes.length === 0) return undefined
  const rest = changes.length - describedAccounts
  return [...changes.slice(0, describedAccounts), ...(rest > 0 ? [`and ${rest} more`] : [])].join(
    ', '
  )
}

function describeClock (clock: Clock, configured: Clock['mode'], now: number): string[] {
  if (clock.mode === 'frozen') {
    return configured === 'frozen' ? [] : [`a frozen clock (${formatTimestamp(clock.base)})`]
  }
  const time = accountTime(clock, now)
  return clock.speed !== 1 || Math.abs(time - now) > noticedMs
    ? [`a changed clock (${formatTimestamp(time)})`]
    : []
}
