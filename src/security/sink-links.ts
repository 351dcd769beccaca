import { hash } from 'node:crypto'
import type { Keys } from './keys.ts'

/**
 * Header of a callback on its way to a sink: it names the account, because the address of a sink is
 * the same for every account.
 */
export const sinkOwnerHeader = 'x-momock-account'

/** Returns the header that a callback to a sink needs; none for a callback to another receiver. */
export function sinkHeaders (keys: Keys, account: number, url: string): Record<string, string> {
  return url.includes('/__admin/sink/') ? { [sinkOwnerHeader]: signOwner(keys, account) } : {}
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
