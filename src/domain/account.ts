import { originalClock, type Clock } from '../lib/clock.ts'
import type { AccountSettings } from './account-settings.ts'
import type { Kind, Operation } from './kinds.ts'
import { isSameWallet, type WalletName } from './money.ts'
import type { Scenario } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'

/**
 * A merchant's account: its tokens, callback addresses and enabled providers. Accounts see nothing
 * of each other.
 */

export const availabilities = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const
export type Availability = (typeof availabilities)[number]

/**
 * Origin of an account. An account that is only in the ledger was removed from the configuration.
 */
export const origins = ['configuration', 'admin', 'sandbox', 'ledger'] as const
export type Origin = (typeof origins)[number]

/**
 * Settings that were changed while the server ran, each one whole; null for one that was taken
 * away.
 */
export type SettingsChanges = { [Name in keyof AccountSettings]?: AccountSettings[Name] | null }

/** Simulated availability by provider and operation. */
export type Outages = Record<string, Partial<Record<Operation, Availability>>>

/** Times of the account's clock at which outages end, by provider and operation. */
export type OutageEnds = Record<string, Partial<Record<Operation, number>>>

/** An account. Only `src/accounts` assigns to its fields: change one through the registry. */
export interface Account {
  /** Number of the account in the ledger. */
  readonly id: number
  readonly name: string
  readonly origin: Origin
  /** Settings at the start. */
  readonly base: AccountSettings
  readonly patched: SettingsChanges
  /** Settings that are in force: those at the start with the changes since. */
  readonly settings: AccountSettings
  /** System time at which this server opened the account. */
  readonly opened: number
  /** System time of the last call. */
  readonly lastUsed?: number
  /** Number of calls that wait for something in the account at the moment. */
  readonly waiting?: number
  /** True for a deleted account: a request that still holds it must not write. */
  readonly gone?: boolean
  /** Reason why the account is set aside: what the ledger has of it cannot be read. */
  readonly setAside?: string
  readonly clock: Clock
  /** Simulated availability by provider and operation. OPERATIONAL by default. */
  readonly outages: ReadonlyMap<string, Outages[string]>
  /** Ends of those outages that end by themselves. */
  readonly outageEnds: OutageEnds
  /** Mark of the fixtures that were created in the account. */
  readonly fixtures?: string
  /** Scenarios added for this account, newest first. */
  readonly scenarios: readonly AddedScenario[]
}

/** A scenario that was added to an account: its source and its parsed form. */
export interface AddedScenario {
  written: ScenarioFile
  scenario: Scenario
  /** Time of the account's clock from which it applies, if it ends by itself. */
  since?: number
}

/** State of an account that changes while it is used, and survives a restart. */
export interface AccountState {
  clock?: Clock
  outages?: Outages
  outageEnds?: OutageEnds
  rules?: Array<{ name: string; written: ScenarioFile; since?: number }>
  patched?: SettingsChanges
  fixtures?: string
  /** The settings an account was made with that no configuration knows. */
  made?: AccountSettings
}

/** The part of an account that has to be kept. */
export function storedState ({
  clock,
  outages,
  outageEnds,
  scenarios: rules,
  patched,
  fixtures,
  origin,
  base
}: Account): AccountState {
  return {
    clock: originalClock(clock),
    outages: Object.fromEntries(outages),
    ...(Object.keys(outageEnds).length > 0 && { outageEnds }),
    rules: rules.map(({ written, scenario, since }) => ({
      name: scenario.name,
      written,
      ...(since !== undefined && { since })
    })),
    patched,
    ...(fixtures !== undefined && { fixtures }),
    ...(origin === 'admin' && { made: base })
  }
}

/** The settings that count, once some were changed. */
export function effectiveSettings (
  base: AccountSettings,
  patched: SettingsChanges
): AccountSettings {
  if (Object.keys(patched).length === 0) return base
  return Object.fromEntries(
    Object.entries({ ...base, ...patched }).filter(([, value]) => value !== null)
  ) as AccountSettings
}

export const defaultCompanyName = 'Momock Demo Shop'

/** Opening balance of each wallet, unless the account has its own. */
export const defaultOpeningBalance = '1000000.00'

/** Returns the opening balance of a wallet. */
export function openingBalanceOf (settings: AccountSettings, name: WalletName): string {
  const own = settings.wallets?.find((wallet) => isSameWallet(wallet, name))
  return own?.balance ?? defaultOpeningBalance
}

/** Lists the tokens of an account. */
export function listTokens ({ settings: { tokens = [] } }: Pick<Account, 'settings'>): string[] {
  return tokens.map(({ token }) => token)
}

/** Returns a token of an account that can initiate, or else a sandbox token. */
export function demoTokenOf ({ tokens = [] }: AccountSettings): string {
  return (
    tokens.find(({ allow }) => allow === undefined || allow.includes('initiate'))?.token ??
    'sandbox-demo'
  )
}

export function callbackUrl (settings: AccountSettings, kind: Kind): string | undefined {
  return settings.callbacks?.[kind.callback]
}

/** Returns the times at which outages end, each once. */
export function listOutageEnds (ends: OutageEnds = {}): number[] {
  return [...new Set(Object.values(ends).flatMap((operations) => Object.values(operations)))]
}

/** Messages by settings: making one takes 4 µs, and nearly every payment needs it. */
const customerMessages = new WeakMap<AccountSettings, string>()

/** Returns the message on a receipt without one of the merchant: the company name, made to fit. */
export function defaultCustomerMessage (settings: AccountSettings): string {
  let message = customerMessages.get(settings)
  if (message === undefined) customerMessages.set(settings, (message = fitMessage(settings)))
  return message
}

function fitMessage ({ companyName = defaultCompanyName }: AccountSettings): string {
  const plain = companyName.normalize('NFD').replace(/[^a-zA-Z0-9 ]/g, '')
  const fitting = plain.replace(/ +/g, ' ').trim().slice(0, 22).trim()
  return fitting.length >= 4 ? fitting : 'Payment'
}
