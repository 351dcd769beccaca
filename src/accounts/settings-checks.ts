import { findNearest } from '../lib/validator.ts'
import type { Account, SettingsChanges } from '../domain/account.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { publicKeyProblem } from '../security/keys.ts'
import type { TokenIndex } from './token-index.ts'

/** Problem of the settings of an account that their schema cannot find. */
export interface SettingsProblem {
  /** Dotted: tokens.0.token. */
  field: string
  /** Rest of the sentence after the name of the field. */
  says: string
  /** True if the value would be valid if no other account had it. */
  taken?: boolean
}

/** Settings of the other accounts, and the current settings of this one. */
export interface SettingsContext {
  isName: (name: string) => boolean
  isToken: (token: string) => boolean
  /** Name and tokens that the account may keep, valid or not. */
  own: readonly string[]
  catalogue: Catalogue
}

/** Prefix of sandbox tokens. */
export const sandboxPrefix = 'sandbox-'
/** Most characters after the prefix. */
export const longestSandboxName = 120

/** Problems of the keys of a merchant: keys that cannot verify, and keys with the same name. */
export function checkKeys ({ publicKeys = [] }: AccountSettings): SettingsProblem[] {
  return publicKeys.flatMap(({ id, key }, index) => {
    const problem = publicKeyProblem(key)
    return [
      ...(problem === undefined
        ? []
        : [
            {
              field: `publicKeys.${index}.key`,
              says: `must be an RSA, EC P-256 or EC P-384 public key as PEM; it ${problem}`
            }
          ]),
      ...(publicKeys.findIndex((key) => key.id === id) < index
        ? [
            {
              field: `publicKeys.${index}.id`,
              says: 'is given twice; each key must have its own id'
            }
          ]
        : [])
    ]
  })
}

/**
 * Unknown providers and countries, rows of providers that no payment would look at, and wallets
 * that no payment can use or that already exist.
 */
export function checkPlaces (
  { providers = [], wallets = [] }: AccountSettings,
  { countries, providers: known }: Catalogue
): SettingsProblem[] {
  const codes = providers.map((entry) => (typeof entry === 'string' ? entry : entry.provider))
  return [
    ...codes.flatMap((code, index): SettingsProblem[] => {
      const field = typeof providers[index] === 'string' ? '' : '.provider'
      if (!known.has(code) && !countries.has(code)) {
        return [
          {
            field: `providers.${index}${field}`,
            says:
              `'${code.slice(0, 40)}' is neither a provider nor a country of the ` +
              `catalogue${suggestName(code, [...known.keys(), ...countries.keys()])}`
          }
        ]
      }
      return codes.indexOf(code) < index
        ? [{ field: `providers.${index}`, says: `is given twice: ${code} has one row` }]
        : []
    }),
    ...wallets.flatMap(({ country, currency }, index): SettingsProblem[] => {
      const field = `wallets.${index}`
      const there = countries.get(country)
      if (there === undefined) {
        return [
          {
            field: `${field}.country`,
            says:
              `'${country}' is no country of the ` +
              `catalogue${suggestName(country, [...countries.keys()])}`
          }
        ]
      }
      const currencies = [
        ...new Set(
          Object.values(there.providers).flatMap((provider) => Object.keys(provider.currencies))
        )
      ]
      if (!currencies.includes(currency)) {
        return [
          {
            field: `${field}.currency`,
            says:
              `'${currency}' is a currency that no provider in ${country} has; they have ` +
              `${currencies.join(', ') || 'none'}`
          }
        ]
      }
      const twice =
        wallets.findIndex((other) => other.country === country && other.currency === currency) <
        index
      return twice
        ? [{ field, says: `is given twice: there is one wallet for ${country} ${currency}` }]
        : []
    })
  ]
}

function suggestName (code: string, codes: readonly string[]): string {
  const near = findNearest(code, codes)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** Reason why a name cannot be used for an account, or undefined. */
export function checkName (name: string): string | undefined {
  return name.startsWith(sandboxPrefix)
    ? `begins with '${sandboxPrefix}', which is kept for the accounts that tokens open; choose ` +
        'another'
    : undefined
}

/** All problems of the settings of a new or changed account. */
export function checkSettings (
  settings: AccountSettings,
  { isName, isToken, own, catalogue }: SettingsContext
): SettingsProblem[] {
  const { name, tokens = [] } = settings
  const given = tokens.map(({ token }) => token)
  const reserved = checkName(name)
  return [
    ...(reserved !== undefined && !own.includes(name)
      ? [{ field: 'name', says: `'${name}' ${reserved}` }]
      : []),
    ...(isName(name)
      ? [
          {
            field: 'name',
            says: `'${name}' is the name of another account; choose another`,
            taken: true
          }
        ]
      : []),
    ...given.flatMap((token, index): SettingsProblem[] => {
      const field = `tokens.${index}.token`
      if (isToken(token)) {
        return [{ field, says: 'belongs to another account; each must have its own', taken: true }]
      }
      if (token.startsWith(sandboxPrefix) && !own.includes(token)) {
        return [
          {
            field,
            says:
              `begins with '${sandboxPrefix}', which is kept for tokens that open accounts of ` +
              'their own; choose another'
          }
        ]
      }
      return given.indexOf(token) < index ? [{ field, says: 'is given twice' }] : []
    }),
    ...checkKeys(settings),
    ...checkPlaces(settings, catalogue)
  ]
}

/** Names and tokens that accounts have, and the catalogue of providers. */
export interface TakenNames {
  accounts: ReadonlyMap<string, Account>
  tokens: TokenIndex
  catalogue: Catalogue
}

/** Returns the problems of settings of a new account, or of one that exists. */
function checkAccountSettings (
  settings: AccountSettings,
  { accounts, tokens, catalogue }: TakenNames,
  account?: Account
): SettingsProblem[] {
  const problems = checkSettings(settings, {
    isName: (name) => accounts.has(name) && accounts.get(name) !== account,
    isToken: (token) => tokens.isTaken(token, account),
    own:
      account === undefined
        ? []
        : [account.name, ...(account.base.tokens ?? []).map(({ token }) => token)],
    catalogue
  })
  const keepsToken =
    account?.origin !== 'sandbox' ||
    settings.tokens?.some(({ token }) => token === account.name) === true
  if (keepsToken) return problems
  return [...problems, { field: 'tokens', says: `must keep '${account.name}', which opens it` }]
}

/** Problem of an account without a token. */
const noTokenProblem: SettingsProblem = {
  field: 'tokens',
  says:
    'must hold at least one token, because without any nobody gets into the account; give it ' +
    'others, such as [{ "token": "my-token" }]'
}

/** Error for settings that have problems. */
class SettingsRefusal extends Error {
  override name = 'SettingsRefusal'
  readonly problems: SettingsProblem[]

  constructor (problems: SettingsProblem[]) {
    super('the settings have problems')
    this.problems = problems
  }
}

/** Refuses settings that have problems, inside a transaction. */
export function refuseProblems (problems: SettingsProblem[]): void {
  if (problems.length > 0) throw new SettingsRefusal(problems)
}

/** Returns the problems of settings that were refused. Any other error is thrown again. */
export function readProblems (error: unknown): SettingsProblem[] {
  if (error instanceof SettingsRefusal) return error.problems
  throw error
}

/** Beginning of the names of accounts that are created without one. */
const namePrefix = 'account-'

/** Names for accounts that are created without one. */
export class FreeNames {
  readonly #accounts: ReadonlyMap<string, Account>
  /** Number in the last name that was given. */
  #last = 0

  constructor (accounts: ReadonlyMap<string, Account>) {
    this.#accounts = accounts
  }

  /** Returns a name that no account has, or was given before in this run. */
  find (): string {
    let number = this.#last + 1
    while (this.#accounts.has(namePrefix + number)) number++
    return namePrefix + number
  }

  /** Notes the name of a new account, of this server or another one. */
  note (name: string): void {
    if (name === this.find()) this.#last = Number(name.slice(namePrefix.length))
  }
}

/** Returns the settings of a new account, with a name and a token. */
export function completeSettings (
  freeName: string,
  { name = freeName, ...given }: Partial<AccountSettings>,
  createToken: (name: string) => string
): AccountSettings {
  const { tokens = [] } = given
  return { ...given, name, tokens: tokens.length > 0 ? tokens : [{ token: createToken(name) }] }
}

/** Returns the problems of the settings of a new account. */
export function checkNewSettings (
  settings: AccountSettings,
  taken: TakenNames,
  { tokens = [] }: Partial<AccountSettings>
): SettingsProblem[] {
  const problems = checkAccountSettings(settings, taken)
  // A token made from the name repeats the problems of the name.
  const others = problems.filter(({ field }) => !field.startsWith('tokens.'))
  return tokens.length > 0 || others.length === 0 ? problems : others
}

/** Returns the problems of the settings that an account gets by some changes. */
export function checkChangedSettings (
  settings: AccountSettings,
  changes: SettingsChanges,
  taken: TakenNames,
  account: Account
): SettingsProblem[] {
  return 'tokens' in changes && (settings.tokens ?? []).length === 0
    ? [noTokenProblem]
    : checkAccountSettings(settings, taken, account)
}
