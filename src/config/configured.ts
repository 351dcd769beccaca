import { existsSync } from 'node:fs'
import { Repertoire } from '../../simulator/scenario-library.ts'
import { loadScenarios, shippedFolders } from '../../simulator/scenario-files.ts'
import { gone, type Accounts } from '../accounts/registry.ts'
import { isLoopback } from '../lib/url.ts'
import { checker } from '../lib/validator.ts'
import type { Clock, Machine } from '../lib/clock.ts'
import { frozenClock, runningClock } from '../lib/clock.ts'
import { ConfigError, defaults, type Config } from './config.ts'
import type { AccountSettings } from '../domain/account.ts'
import { defaultOpeningBalance } from '../domain/account.ts'
import { toHundredths } from '../domain/amount.ts'
import type { Catalogue, CatalogueData } from '../domain/catalogue.ts'
import {
  buildCatalogue,
  CatalogueSchema,
  changeCatalogue,
  shippedCatalogue
} from '../domain/catalogue.ts'
import { kinds } from '../domain/kinds.ts'
import type { KeyRecord } from '../domain/ports.ts'
import { parseDuration } from '../lib/duration.ts'
import { keyFlaws, nameFlaw, placeFlaws } from '../accounts/settings-checks.ts'
import { keyProblem } from '../security/keys.ts'

/** What the configuration says, as the parts of the server want it. */

export const defaultAccount = 'default'
const longestTimeoutMs = 10 * 60_000
export const readOnlyToken = 'test-token-readonly'

/**
 * The accounts of the configuration, the default one first; judged by a catalogue where there is
 * one.
 */
export function configuredAccounts (
  { accounts = [], token, callbackUrl }: Config,
  catalogue?: Catalogue
): [AccountSettings, ...AccountSettings[]] {
  const own = accounts.find(({ name }) => name === defaultAccount)
  const everywhere =
    callbackUrl === undefined
      ? {}
      : Object.fromEntries(Object.values(kinds).map(({ callback }) => [callback, callbackUrl]))
  const first: AccountSettings = {
    ...own,
    name: defaultAccount,
    tokens:
      own?.tokens === undefined
        ? [{ token }, { token: readOnlyToken, allow: ['read'] }]
        : withToken(own.tokens, token),
    callbacks: { ...everywhere, ...own?.callbacks }
  }
  const all: [AccountSettings, ...AccountSettings[]] = [
    first,
    ...accounts.filter(({ name }) => name !== defaultAccount)
  ]
  const problems = [
    ...reserved(all),
    ...repeated(
      'name',
      all.map(({ name }) => name)
    ),
    ...repeated(
      'token',
      all.flatMap(({ tokens = [] }) => tokens.map(({ token }) => token))
    ),
    ...unreadable(all),
    ...(catalogue === undefined ? [] : nowhere(all, catalogue))
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return all
}

/** The tokens of the file, and one that was asked for beside them. */
function withToken (
  tokens: NonNullable<AccountSettings['tokens']>,
  token: string
): AccountSettings['tokens'] {
  return token === defaults().token || tokens.some((own) => own.token === token)
    ? tokens
    : [{ token }, ...tokens]
}

/**
 * A token of the default account that may initiate; where that has none, one that opens an account
 * of its own.
 */
export function tokenToTry (config: Config): string {
  const [{ tokens = [] }] = configuredAccounts(config)
  return (
    tokens.find(({ allow }) => allow === undefined || allow.includes('initiate'))?.token ??
    'sandbox-demo'
  )
}

/** The shipped catalogue with the changes of the configuration. */
export function configuredCatalogue ({ countries }: Config): Catalogue {
  if (countries === undefined) return buildCatalogue(shippedCatalogue)
  const changed = changeCatalogue(shippedCatalogue, countries)
  const problems = checker(CatalogueSchema).all(changed)
  if (problems.length > 0) {
    throw new ConfigError(problems.map(({ message }) => `countries.${message}`))
  }
  return buildCatalogue(changed as CatalogueData)
}

/** The scenarios of the configured folder, checked, and those that come with the package. */
export async function configuredScenarios (
  { scenarios: folder }: Config,
  catalogue: Catalogue
): Promise<Repertoire> {
  const { scenarios, problems } = await loadScenarios(
    folder === undefined ? [] : [folder],
    catalogue
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return new Repertoire(
    scenarios,
    shippedFolders.find((path) => existsSync(path))
  )
}

/** The clock a new account starts with. */
export function configuredClock ({ clock }: Config, machine: Machine): () => Clock {
  return () => (clock === 'frozen' ? frozenClock(machine.now()) : runningClock())
}

/** What the wallets of each account hold when they are opened. */
export function openingBalances (
  accounts: Accounts
): (account: number, country: string, currency: string) => number {
  return (account, country, currency) => {
    // Asked for a request that was under way when its account was deleted.
    if (!accounts.has(account)) throw gone()
    const row = accounts
      .byId(account)
      .settings.wallets?.find(
        (wallet) => wallet.country === country && wallet.currency === currency
      )
    return toHundredths(row?.balance ?? defaultOpeningBalance)
  }
}

/** How long a receiver of callbacks has to answer, in milliseconds. */
export function configuredTimeout ({ callbackTimeout }: Config): number {
  const timeoutMs = parseDuration(callbackTimeout) as number
  if (timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    throw new ConfigError([
      `callbackTimeout must be more than nothing and at most 10m, got '${callbackTimeout}'`
    ])
  }
  return timeoutMs
}

/**
 * May others be around, and has nobody chosen a seed? Then links must not follow from the one that
 * everybody knows. Where the tester is alone, or has chosen a seed, the same story gives the same
 * links.
 */
export function isExposed ({ seed, host, adminToken }: Config): boolean {
  return seed === defaults().seed && (adminToken !== undefined || !isLoopback(host))
}

/** The keys of the configuration, the signing one first. */
export function configuredKeys ({ keys = [] }: Config): KeyRecord[] {
  const problems = keys.flatMap(({ id, privateKey }, index) => {
    const problem = keyProblem(privateKey)
    const twice = keys.findIndex((key) => key.id === id) < index
    return [
      ...(problem === undefined
        ? []
        : [
            `keys.${index}.privateKey must be an EC P-256 private key as PEM; it ${problem} ` +
              '(openssl ecparam -name prime256v1 -genkey makes one)'
          ]),
      ...(twice ? [`keys.${index}.id '${id}' is given twice; each key must have its own`] : [])
    ]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return keys
}

function unreadable (accounts: AccountSettings[]): string[] {
  return accounts.flatMap((account) =>
    keyFlaws(account).map(({ field, says }) => {
      const [, index] = field.split('.')
      return (
        `accounts: the public key '${account.publicKeys?.[Number(index)].id}' of ` +
        `'${account.name}' ${says}`
      )
    })
  )
}

function nowhere (accounts: AccountSettings[], catalogue: Catalogue): string[] {
  return accounts.flatMap((account) =>
    placeFlaws(account, catalogue).map(
      ({ field, says }) => `accounts: ${field} of '${account.name}' ${says}`
    )
  )
}

function reserved (accounts: AccountSettings[]): string[] {
  return accounts.flatMap(({ name }) =>
    nameFlaw(name) === undefined ? [] : [`accounts: the name '${name}' ${nameFlaw(name)}`]
  )
}

function repeated (what: string, values: string[]): string[] {
  const twice = new Set(values.filter((value, index) => values.indexOf(value) !== index))
  return [...twice].map(
    (value) =>
      `accounts: the ${what} '${value}' is given to more than one account; each must have its own`
  )
}
