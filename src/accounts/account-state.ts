import type { Account } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import { fromHundredths, toHundredths } from '../domain/amount.ts'
import { isSameWallet, type OpeningBalance } from '../domain/money.ts'
import { showUrl } from '../lib/url.ts'
import { accountTime, formatTimestamp, type Clock } from '../lib/clock.ts'

/** Descriptions of the state of accounts, for the message of a start and for `momock doctor`. */

/** State of an account that a ledger keeps. */
export type KeptState = Pick<Account, 'name' | 'patched' | 'clock' | 'outages' | 'setAside'>

/** Settings of a start that an account can override. */
export interface StartSettings {
  clock: Clock['mode']
  callbackUrl?: string | undefined
  /** Token of the default account; undefined if it is the usual one. */
  token?: string | undefined
}

/** Number of accounts that are described. */
const describedAccounts = 3
/** Difference to the system clock that is described. */
const noticedMs = 60_000

/**
 * Describes what an earlier run has left in the accounts of a ledger: changed settings, outages,
 * and clocks that differ from the configuration. Returns undefined if there is nothing.
 */
export function describeEarlierChanges (
  accounts: readonly KeptState[],
  configuredClock: Clock['mode'],
  now: number
): string | undefined {
  const changes = accounts.flatMap(({ name, patched, clock, outages }) => {
    const fields = Object.keys(patched)
    const down = describeOutages(outages)
    const found = [
      ...(fields.length === 0 ? [] : [`changed settings (${fields.join(', ')})`]),
      ...describeOtherClock(clock, configuredClock, now),
      ...(down === undefined ? [] : [`outages (${down})`])
    ]
    return found.length === 0 ? [] : [`account '${name}' has ${found.join(' and ')}`]
  })
  if (changes.length === 0) return undefined
  const rest = changes.length - describedAccounts
  return [...changes.slice(0, describedAccounts), ...(rest > 0 ? [`and ${rest} more`] : [])].join(
    ', '
  )
}

function describeOtherClock (clock: Clock, configured: Clock['mode'], now: number): string[] {
  if (clock.mode === 'frozen') {
    return configured === 'frozen' ? [] : [`a frozen clock (${formatTimestamp(clock.base)})`]
  }
  const time = accountTime(clock, now)
  if (configured === 'frozen') return [`a running clock (${formatTimestamp(time)})`]
  return clock.speed !== 1 || Math.abs(time - now) > noticedMs
    ? [`a changed clock (${formatTimestamp(time)})`]
    : []
}

/** Describes a clock as it is. */
export function describeClock (clock: Clock, now: number): string {
  const time = accountTime(clock, now)
  if (clock.mode === 'frozen') {
    return `frozen at ${formatTimestamp(time)} until a test advances it`
  }
  if (clock.speed !== 1) {
    return `runs ${clock.speed} times as fast as the system clock, now ${formatTimestamp(time)}`
  }
  return Math.abs(time - now) > noticedMs
    ? `runs, but was set to another time: now ${formatTimestamp(time)}`
    : 'runs with the system clock'
}

/** Describes where callbacks go. */
export function describeCallbacks ({ callbacks = {} }: AccountSettings): string {
  const urls = Object.entries(callbacks)
  const [first] = urls
  if (first === undefined) return 'none; set a URL with --callback-url or PATCH /__admin/account'
  const all = new Set(urls.map(([, url]) => url))
  return all.size === 1
    ? `${showUrl(first[1])} (${urls.map(([kind]) => kind).join(', ')})`
    : urls.map(([kind, url]) => `${kind} to ${showUrl(url)}`).join(', ')
}

/** Describes providers that are not OPERATIONAL. Returns undefined if there are none. */
export function describeOutages (outages: KeptState['outages']): string | undefined {
  const down = [...outages].flatMap(([provider, states]) => {
    const listed = Object.entries(states).filter(([, state]) => state !== 'OPERATIONAL')
    return listed.length === 0
      ? []
      : [`${provider} ${listed.map(([operation, state]) => `${operation} ${state}`).join(', ')}`]
  })
  return down.length === 0 ? undefined : down.join('; ')
}

/** Lists settings of a start that have no effect, because the account was changed later. */
export function listIneffective (
  { patched, settings, clock }: Pick<Account, 'patched' | 'settings' | 'clock'>,
  { callbackUrl, token, clock: configured }: StartSettings
): string[] {
  const urls = Object.values(settings.callbacks ?? {})
  const tokens = settings.tokens ?? []
  return [
    ...(token !== undefined && 'tokens' in patched && !tokens.some((own) => own.token === token)
      ? [`--token has no effect: the tokens were changed later (${why})`]
      : []),
    ...(callbackUrl !== undefined && 'callbacks' in patched && !urls.includes(callbackUrl)
      ? [`--callback-url has no effect: the callback URLs were changed later (${why})`]
      : []),
    ...(configured === 'frozen' && clock.mode === 'running'
      ? [`--clock frozen has no effect: the ledger already has a running clock (${why})`]
      : [])
  ]
}

/** Lists opening balances of the settings that have no effect, because the wallets were used. */
export function listIgnoredOpenings (
  { name, settings: { wallets = [] } }: Pick<Account, 'name' | 'settings'>,
  openings: readonly OpeningBalance[]
): string[] {
  return wallets.flatMap(({ country, currency, balance }) => {
    const used = openings.find((opening) => isSameWallet(opening, { country, currency }))
    if (used === undefined || used.opening === toHundredths(balance)) return []
    return [
      `the balance ${balance} of the wallet ${country} ${currency} of account '${name}' has no ` +
        `effect: it was opened with ${fromHundredths(used.opening)} ` +
        `(PUT /__admin/wallets/${country}/${currency} sets the balance of a used wallet; ` +
        'POST /__admin/reset or --fresh opens it again)'
    ]
  })
}

const why = 'POST /__admin/reset or --fresh removes the changes'
