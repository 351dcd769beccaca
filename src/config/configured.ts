import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import { shippedFolder } from '../scenarios/scenario-folders.ts'
import { sampleKey } from '../security/sample-key.ts'
import { deletedAccountError } from '../domain/refusal.ts'
import type { StartSettings } from '../accounts/account-state.ts'
import type { Accounts } from '../accounts/registry.ts'
import { isLoopback } from '../lib/hosts.ts'
import { createValidator } from '../lib/validator.ts'
import type { Clock, SystemClock } from '../lib/clock.ts'
import { frozenClock, runningClock } from '../lib/clock.ts'
import { ConfigError, defaults, problemOf, type Config } from './config.ts'
import { readSettings, toAllKinds, type AccountSettings } from '../domain/account-settings.ts'
import { demoTokenOf, openingBalanceOf } from '../domain/account.ts'
import { toHundredths } from '../domain/amount.ts'
import type { Catalogue, CatalogueData } from '../domain/catalogue.ts'
import {
  buildCatalogue,
  CatalogueSchema,
  changeCatalogue,
  shippedCatalogue
} from '../domain/catalogue.ts'
import type { KeyRecord } from '../ports/stores.ts'
import { parseDuration } from '../lib/duration.ts'
import { checkKeys, checkName, checkPlaces } from '../accounts/settings-checks.ts'
import { keyProblem } from '../security/keys.ts'

/** Builders that turn the configuration into the parts of the server. */

/** Name of the built-in account. */
export const defaultAccount = 'default'
const longestTimeoutMs = 10 * 60_000
/** Second token of the built-in account. It can read, but not initiate. */
export const readOnlyToken = 'test-token-readonly'

/**
 * Builds the settings of all accounts, the default account first. The catalogue, if given, checks
 * their providers and wallets.
 */
export function buildAccounts (
  { accounts: written = [], token, callbackUrl, profile }: Config,
  catalogue?: Catalogue
): [AccountSettings, ...AccountSettings[]] {
  const accounts = written.map(readSettings)
  const own = accounts.find(({ name }) => name === defaultAccount)
  const everywhere = callbackUrl === undefined ? {} : toAllKinds(callbackUrl)
  const first: AccountSettings = {
    ...(profile !== undefined && { profile }),
    ...own,
    name: defaultAccount,
    tokens: own?.tokens === undefined ? defaultTokens(token) : addToken(own.tokens, token),
    callbacks: { ...everywhere, ...own?.callbacks },
    publicKeys: own?.publicKeys ?? [sampleKey]
  }
  const all: [AccountSettings, ...AccountSettings[]] = [
    first,
    ...accounts.filter(({ name }) => name !== defaultAccount)
  ]
  const problems = [
    ...checkNames(all),
    ...findRepeated('name', all, ({ name }) => [['name', name]]),
    ...findRepeated('token', all, ({ tokens = [] }) =>
      tokens.map(({ token }, index) => [`tokens.${index}`, token])
    ),
    ...checkAllKeys(all),
    ...(catalogue === undefined ? [] : checkAllPlaces(all, catalogue))
  ]
  if (problems.length > 0) {
    throw new ConfigError(
      problems.map(({ account, field, message }) => ({
        path: pathOfAccount(accounts, account, field),
        message: `accounts: ${message}`
      }))
    )
  }
  return all
}

/** Returns the tokens of the built-in account. A configured token replaces the read-only one. */
function defaultTokens (token: string): NonNullable<AccountSettings['tokens']> {
  return token === readOnlyToken
    ? [{ token }]
    : [{ token }, { token: readOnlyToken, allow: ['read'] }]
}

/** Adds the token of a flag or variable to the tokens of the file. */
function addToken (
  tokens: NonNullable<AccountSettings['tokens']>,
  token: string
): AccountSettings['tokens'] {
  return token === defaults().token || tokens.some((own) => own.token === token)
    ? tokens
    : [{ token }, ...tokens]
}

/** Returns a configured token of the default account that can initiate, or else a sandbox token. */
export function demoToken (config: Config): string {
  const [settings] = buildAccounts(config)
  return demoTokenOf(settings)
}

/** Returns the settings of a start that changes of the default account can override. */
export function startSettings ({ clock, callbackUrl, token }: Config): StartSettings {
  return { clock, callbackUrl, token: token === defaults().token ? undefined : token }
}

/** Returns the token that a command sends: the given token, or else one that can initiate. */
export function chooseClientToken (config: Config): string {
  // The given token can belong to a server with another configuration.
  return config.token === defaults().token ? demoToken(config) : config.token
}

/** Builds the catalogue: the shipped one with the changes of the configuration. */
export function buildConfiguredCatalogue ({ countries }: Config): Catalogue {
  if (countries === undefined) return buildCatalogue(shippedCatalogue)
  const changed = changeCatalogue(shippedCatalogue, countries)
  const problems = createValidator(CatalogueSchema).all(changed)
  if (problems.length > 0) {
    throw new ConfigError(
      problems.map(({ path, message }) => ({
        path: `countries.${path}`,
        message: `countries.${message}`
      }))
    )
  }
  return buildCatalogue(changed as CatalogueData)
}

/** Loads and checks the scenarios of the configured folder, and those of the package. */
export async function loadConfiguredScenarios (
  { scenarios: folder }: Config,
  catalogue: Catalogue
): Promise<ScenarioLibrary> {
  const shipped = existsSync(shippedFolder) ? shippedFolder : undefined
  if (folder === undefined) return new ScenarioLibrary([], shipped)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const message = `scenarios: there is no folder ${folder}`
    throw new ConfigError([{ path: 'scenarios', message }])
  }
  const { loadScenarios } = await import('../scenarios/scenario-files.ts')
  const { scenarios, problems, notes } = await loadScenarios([folder], catalogue)
  if (problems.length > 0) throw new ConfigError(problems)
  return new ScenarioLibrary(scenarios, shipped, notes)
}

/** Returns a function that creates the clock of a new account. */
export function buildClock ({ clock }: Config, systemClock: SystemClock): () => Clock {
  return () => (clock === 'frozen' ? frozenClock(systemClock.now()) : runningClock())
}

/** Returns a function that gives the opening balance of a wallet, in hundredths. */
export function buildOpeningBalances (
  accounts: Accounts
): (account: number, country: string, currency: string) => number {
  return (account, country, currency) => {
    // The account can be deleted while one of its requests is in progress.
    const settings = accounts.find(account)?.settings
    if (settings === undefined) throw deletedAccountError()
    return toHundredths(openingBalanceOf(settings, { country, currency }))
  }
}

/** Returns the time that a callback receiver has to answer, in milliseconds. */
export function readTimeout ({ callbackTimeout }: Config): number {
  const timeoutMs = parseDuration(callbackTimeout) as number
  if (timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    const message = `callbackTimeout must be more than 0 and at most 10m, got '${callbackTimeout}'`
    throw new ConfigError([{ path: 'callbackTimeout', message }])
  }
  return timeoutMs
}

/** Returns the certificates of the file that `callbacksCa` names. */
export function readCallbackAuthorities ({ callbacksCa }: Config): string[] {
  if (callbacksCa === undefined) return []
  const problem = (text: string): ConfigError =>
    new ConfigError([{ path: 'callbacksCa', message: `callbacksCa: ${callbacksCa} ${text}` }])
  let text: string
  try {
    text = readFileSync(callbacksCa, 'utf8')
  } catch (error) {
    throw problem(`cannot be read (${(error as Error).message})`)
  }
  const certificates =
    text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0) throw problem('contains no certificate as PEM')
  try {
    certificates.map((certificate) => new X509Certificate(certificate))
  } catch (error) {
    throw problem(`contains a certificate that cannot be read (${(error as Error).message})`)
  }
  return certificates
}

/**
 * Returns true if links must not be predictable: other machines can reach the server, and the seed
 * is the public default.
 */
export function isExposed ({ seed, host, adminToken }: Config): boolean {
  return seed === defaults().seed && (adminToken !== undefined || !isLoopback(host))
}

/** Returns the keys of the configuration, the signing key first. */
export function readKeys ({ keys = [] }: Config): KeyRecord[] {
  const problems = keys.flatMap(({ id, privateKey }, index) => {
    const problem = keyProblem(privateKey)
    const twice = keys.findIndex((key) => key.id === id) < index
    return [
      ...(problem === undefined
        ? []
        : [
            problemOf(
              `keys.${index}.privateKey`,
              `must be an EC P-256 private key as PEM; it ${problem} ` +
                '(create one with: openssl ecparam -name prime256v1 -genkey)'
            )
          ]),
      ...(twice
        ? [problemOf(`keys.${index}.id`, `'${id}' is used twice; each key needs its own id`)]
        : [])
    ]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return keys
}

/** Problem of an account. The field is missing for settings that are not in the file. */
interface AccountProblem {
  account: AccountSettings
  field: string
  message: string
}

/** Returns the path of a field of an account in the file. */
function pathOfAccount (
  written: readonly AccountSettings[],
  account: AccountSettings,
  field: string
): string {
  // The default account is a copy, so it is found by its name.
  const same = written.indexOf(account)
  const index = same >= 0 ? same : written.findIndex(({ name }) => name === account.name)
  return index < 0 ? 'accounts' : `accounts.${index}.${field}`
}

function checkAllKeys (accounts: AccountSettings[]): AccountProblem[] {
  return accounts.flatMap((account) =>
    checkKeys(account).map(({ field, says }) => {
      const [, index] = field.split('.')
      const { id } = account.publicKeys?.[Number(index)] ?? {}
      return { account, field, message: `the public key '${id}' of '${account.name}' ${says}` }
    })
  )
}

function checkAllPlaces (accounts: AccountSettings[], catalogue: Catalogue): AccountProblem[] {
  return accounts.flatMap((account) =>
    checkPlaces(account, catalogue).map(({ field, says }) => ({
      account,
      field,
      message: `${field} of '${account.name}' ${says}`
    }))
  )
}

function checkNames (accounts: AccountSettings[]): AccountProblem[] {
  return accounts.flatMap((account) => {
    const says = checkName(account.name)
    const message = `the name '${account.name}' ${says}`
    return says === undefined ? [] : [{ account, field: 'name', message }]
  })
}

/** Finds values that an earlier account has, too. Each value is reported once. */
function findRepeated (
  what: string,
  accounts: AccountSettings[],
  list: (account: AccountSettings) => Array<[field: string, value: string]>
): AccountProblem[] {
  const seen = new Set<string>()
  const reported = new Set<string>()
  return accounts.flatMap((account) =>
    list(account).flatMap(([field, value]) => {
      const isNew = seen.has(value) && !reported.has(value)
      if (isNew) reported.add(value)
      seen.add(value)
      const rule = 'is used by several accounts; each account needs its own'
      return isNew ? [{ account, field, message: `the ${what} '${value}' ${rule}` }] : []
    })
  )
}
