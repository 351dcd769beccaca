import { isObject } from '../lib/json.ts'
import type { SandboxProvider } from './sandbox-providers.ts'

/** Care for other people's money: payments are made in sandboxes only. */

/** Names and addresses that a production service cannot have. */
const privatePlaces: readonly RegExp[] = [
  /^(localhost|[\w-]+)$/i,
  /\.(localhost|local|internal|test|example|invalid)$/i,
  /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./,
  /^\[(::1\]|f[cd])/i
]

/**
 * Is this a server where payments move no money: a sandbox by its name, or one on this machine or a
 * private network?
 */
export function isSandbox (url: string): boolean {
  const { hostname } = new URL(url)
  const isNamed = /(^|[.-])sandbox([.-]|$)/i.test(hostname)
  return isNamed || privatePlaces.some((place) => place.test(hostname))
}

/** Configurations are less deep than this; what nobody vouches for may be deeper. */
const deepest = 20

/** The providers that an active configuration names, in either generation. */
export function findProviders (configuration: unknown, depth = deepest): string[] {
  if (depth === 0) return []
  const inside = (value: object): string[] =>
    Object.values(value).flatMap((item) => findProviders(item, depth - 1))
  if (Array.isArray(configuration)) return inside(configuration)
  if (!isObject(configuration)) return []
  const { provider, correspondent } = configuration
  const own = [provider, correspondent].filter((code) => typeof code === 'string')
  return [...own, ...inside(configuration)]
}

/**
 * The provider to pay with: the one that was named, or the first of the account; a sentence, if
 * there is none.
 */
export function chooseProvider (
  known: readonly SandboxProvider[],
  named: string | undefined,
  offered: readonly string[]
): SandboxProvider | string {
  const codes = known.map(({ provider }) => provider).join(', ')
  const isWanted = (code: string): boolean =>
    named === undefined ? offered.includes(code) : code === named
  const chosen = known.find(({ provider }) => isWanted(provider))
  if (chosen !== undefined) return chosen
  return named === undefined
    ? 'the active configuration of the account names no provider with known sandbox numbers; ' +
        `name one with --provider (${codes})`
    : `--provider must be one with sandbox numbers for deposits and payouts (${codes}), ` +
        `got '${named}'`
}
