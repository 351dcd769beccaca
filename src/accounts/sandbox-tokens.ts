import type { Account } from '../domain/account.ts'
import { Refused } from '../domain/refusal.ts'
import { longestSandboxName, sandboxPrefix } from './settings-checks.ts'

/** Tokens that open an account with their first use. */

/** Pattern of a sandbox token. It becomes the name of an account, so it is no longer than one. */
const pattern = new RegExp(`^${sandboxPrefix}[!-~]{1,${longestSandboxName}}$`)

export function isSandboxToken (token: string): boolean {
  return pattern.test(token)
}

/**
 * Refuses to open another sandbox account when there are too many, with those that are being
 * opened.
 */
export function refuseSandbox (
  token: string,
  accounts: Iterable<Account>,
  limit: number,
  opening = 0
): void {
  let count = opening
  for (const { name, origin } of accounts) {
    if (name === token) return
    if (origin === 'sandbox') count++
  }
  if (count < limit) return
  throw new Refused(
    'NOT_AUTHENTICATED',
    `there are ${limit} sandbox accounts already; delete some with DELETE ` +
      '/__admin/accounts/NAME, or raise the setting sandboxLimit'
  )
}

/** Returns the name of an account for the log. The name of a sandbox account is its token. */
export function nameForLog ({ origin, name, id }: Account): string {
  return origin === 'sandbox' ? `sandbox account ${id}` : name
}

/** Hides the sandbox tokens in the URL of a request. */
export function hideSandboxTokens (url: string): string {
  return url.replace(/sandbox-[^/?&#]+/g, `${sandboxPrefix}[hidden]`)
}
