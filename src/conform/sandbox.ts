import { isNear } from '../lib/hosts.ts'
import { isObject } from '../lib/json.ts'
import type { SandboxProvider } from './sandbox-providers.ts'

/** Check that payments are made only in sandboxes, where they move no money. */

/** Returns true for a host with `sandbox` in its name, this machine, or a private network. */
export function isSandbox (url: string): boolean {
  const { hostname } = new URL(url)
  return isNear(hostname) || /(^|[.-])sandbox([.-]|$)/i.test(hostname)
}

/** Depth limit for answers of unknown servers. Active configurations are not as deep. */
const deepest = 20

/** Finds the provider codes in an active configuration of v1 or v2. */
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

/** Chooses the given provider or the first one of the account. Returns a problem if none fits. */
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
    ? 'the active configuration of the account has no provider with known sandbox numbers; ' +
        `set one with --provider (${codes})`
    : `--provider must be one with sandbox numbers for deposits and payouts (${codes}), ` +
        `got '${named}'`
}
