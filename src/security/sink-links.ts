import { hash } from 'node:crypto'
import type { Keys } from './keys.ts'

/**
 * Header of a callback on its way to a sink: it names the account, because the address of a sink is
 * the same for every account.
 */
export const sinkOwnerHeader = 'x-momock-account'

/**
 * Returns the header that a callback to a sink of this server needs. Other receivers must not get
 * it: whoever knows the header can fill the sinks of the account.
 */
export function sinkHeaders (keys: Keys, account: number): Record<string, string> {
  return { [sinkOwnerHeader]: signOwner(keys, account) }
}

/** Returns the account that a header of ours names, or undefined for any other header. */
export function readSinkOwner (
  keys: Keys,
  header: string | string[] | undefined
): number | undefined {
  const account = Number.parseInt(String(header))
  return header === signOwner(keys, account) ? account : undefined
}

/** Signs the number of an account with a secret that only this server knows. */
function signOwner (keys: Keys, account: number): string {
  return `${account}.${hash('sha256', `sink ${account} ${keys.secret}`)}`
}
