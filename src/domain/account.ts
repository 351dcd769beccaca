import type { Static } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import type { Clock } from '../lib/clock.ts'
import type { CallbackKey, Kind, Operation } from './kinds.ts'
import { kinds, operations } from './kinds.ts'
import type { Provider } from './catalogue.ts'
import type { Scenario, ScenarioFile } from './scenario.ts'

/**
 * A merchant's account: who may call, where callbacks go, what is enabled. Nothing of one is
 * visible to another.
 */

export const permissions = ['read', 'initiate', 'act'] as const
export type Permission = (typeof permissions)[number]

const Url = (description: string) => Type.String({ format: 'http-url', description })
const OperationName = Type.Union(
  operations.map((name) => Type.Literal(name)),
  { description: `one of ${operations.join(', ')}` }
)

export const Token = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[!-~]+$',
      description: 'the bearer token, without spaces'
    }),
    allow: Type.Optional(
      Type.Array(
        Type.Union(
          permissions.map((name) => Type.Literal(name)),
          { description: `one of ${permissions.join(', ')}` }
        ),
        {
          description: `a list of ${permissions.join(', ')}; everything when left out`
        }
      )
    )
  },
  { additionalProperties: false, description: 'a token and what it may do' }
)

const CallbackUrl = Type.Optional(Url('an http or https URL'))

export const Callbacks = Type.Object(
  Object.fromEntries(Object.values(kinds).map(({ callback }) => [callback, CallbackUrl])) as Record<
    CallbackKey,
    typeof CallbackUrl
  >,
  { additionalProperties: false, description: 'the URL callbacks of each kind are sent to' }
)

export const AccountSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,128}$',
      description: '1 to 128 letters, digits, dots, dashes or underscores, and not . or ..'
    }),
    companyName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: '1 to 100 characters; shown to customers'
      })
    ),
    tokens: Type.Optional(Type.Array(Token, { description: 'a list of { token, allow }' })),
    callbacks: Type.Optional(Callbacks),
    approval: Type.Optional(
      Type.Union([Type.Literal('timer'), Type.Literal('phone')], {
        description:
          "'timer', or 'phone': deposits that would complete by themselves wait for their customer"
      })
    ),
    signedRequestsOnly: Type.Optional(
      Type.Boolean({ description: 'true refuses unsigned requests' })
    ),
    signedCallbacks: Type.Optional(Type.Boolean({ description: 'false sends callbacks unsigned' })),
    callbackSource: Type.Optional(
      Type.String({
        format: 'ipv4',
        description:
          'an IPv4 address such as 3.64.89.224: callbacks carry it in X-Forwarded-For, as the ' +
          'source address that a firewall of the merchant checks'
      })
    ),
    signatureEncoding: Type.Optional(
      Type.Union([Type.Literal('der'), Type.Literal('p1363')], {
        description: "'der', or 'p1363' for r||s: how our ECDSA signatures are written"
      })
    ),
    acceptedSignatureEncoding: Type.Optional(
      Type.Union([Type.Literal('both'), Type.Literal('der')], {
        description: "'both', or 'der' to refuse ECDSA signatures written as r||s"
      })
    ),
    publicKeys: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({
              minLength: 1,
              description: 'the keyid of the signatures made with it'
            }),
            key: Type.String({ minLength: 1, description: 'a PEM public key' })
          },
          { additionalProperties: false }
        ),
        { description: 'a list of { id, key }' }
      )
    ),
    operations: Type.Optional(
      Type.Array(
        Type.Union(
          [...operations, 'SPLIT_PAYMENT' as const].map((name) => Type.Literal(name)),
          { description: `one of ${operations.join(', ')}, SPLIT_PAYMENT` }
        ),
        { description: 'the operations switched on; all when left out' }
      )
    ),
    providers: Type.Optional(
      Type.Array(
        Type.Union(
          [
            Type.String({
              description: 'a provider code, or a country code for all its providers'
            }),
            Type.Object(
              {
                provider: Type.String({
                  description: 'a provider code, or a country code for all its providers'
                }),
                operations: Type.Array(OperationName)
              },
              { additionalProperties: false }
            )
          ],
          { description: 'a provider or country code, or { provider, operations }' }
        ),
        { description: 'the providers and countries switched on; all when left out' }
      )
    ),
    wallets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            country: Type.String({ pattern: '^[A-Z]{3}$', description: 'an alpha-3 country code' }),
            currency: Type.String({
              pattern: '^[A-Z]{3}$',
              description: 'a three-letter currency code'
            }),
            balance: Type.String({
              pattern: '^(0|[1-9][0-9]{0,11})([.][0-9]{1,2})?$',
              description: 'an amount in quotes, such as "1000.00"'
            })
          },
          { additionalProperties: false }
        ),
        { description: 'opening balances, a list of { country, currency, balance }' }
      )
    )
  },
  { additionalProperties: false, description: 'an account' }
)

export type AccountSettings = Static<typeof AccountSchema>

export const availabilities = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const
export type Availability = (typeof availabilities)[number]

/** Where an account comes from; one that only the ledger knows has gone from the configuration. */
export const origins = ['configuration', 'admin', 'sandbox', 'ledger'] as const
export type Origin = (typeof origins)[number]

/**
 * Settings that were changed while the server ran, each one whole; null for one that was taken
 * away.
 */
export type SettingsChanges = { [Name in keyof AccountSettings]?: AccountSettings[Name] | null }

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
  readonly clock: Clock
  /** Simulated availability per provider and operation; OPERATIONAL where nothing is set. */
  readonly outages: ReadonlyMap<string, Partial<Record<Operation, Availability>>>
  /** Scenarios added for this account, newest first. */
  readonly scenarios: readonly AddedScenario[]
}

/** A scenario added for an account, as it was written and as it is carried out. */
export interface AddedScenario {
  written: ScenarioFile
  scenario: Scenario
}

/** What of an account is changed while it is used, and outlives a restart. */
export interface AccountState {
  clock?: Clock
  outages?: Record<string, Partial<Record<Operation, Availability>>>
  rules?: Array<{ name: string; written: ScenarioFile }>
  patched?: SettingsChanges
  /** The settings an account was made with that no configuration knows. */
  made?: AccountSettings
}

/** The part of an account that has to be kept. */
export function storedState ({
  clock,
  outages,
  scenarios: rules,
  patched,
  origin,
  base
}: Account): AccountState {
  return {
    clock: clock.instead ?? clock,
    outages: Object.fromEntries(outages),
    rules: rules.map(({ written, scenario }) => ({ name: scenario.name, written })),
    patched,
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

/** What every wallet holds when the account is opened, unless the account says otherwise. */
export const defaultOpeningBalance = '1000000.00'

/** Is this provider switched on for the account at all, and for this operation? */
export function enabledOperations (
  settings: AccountSettings,
  provider: Provider
): readonly Operation[] | undefined {
  const account =
    settings.operations === undefined
      ? operations
      : operations.filter((operation) => settings.operations?.includes(operation))
  if (settings.providers === undefined) return account
  const row = settings.providers.find((entry) => {
    const code = typeof entry === 'string' ? entry : entry.provider
    return code === provider.code || code === provider.country
  })
  if (row === undefined) return undefined
  return typeof row === 'string'
    ? account
    : account.filter((operation) => row.operations.includes(operation))
}

export function callbackUrl (settings: AccountSettings, kind: Kind): string | undefined {
  return settings.callbacks?.[kind.callback]
}

export function availabilityOf (
  account: Account,
  provider: string,
  operation: Operation
): Availability {
  return account.outages.get(provider)?.[operation] ?? 'OPERATIONAL'
}

/** Returns the message on a receipt without one of the merchant: the company name, made to fit. */
export function defaultCustomerMessage (settings: AccountSettings): string {
  const plain = (settings.companyName ?? defaultCompanyName)
    .normalize('NFD')
    .replace(/[^a-zA-Z0-9 ]/g, '')
  const fitting = plain.replace(/ +/g, ' ').trim().slice(0, 22).trim()
  return fitting.length >= 4 ? fitting : 'Payment'
}
