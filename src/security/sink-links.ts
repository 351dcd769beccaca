import { hash } from 'node:crypto'
import type { Keys } from './keys.ts'

/**
 * Header of a callback on its way to a sink: it names the account, because the address of a sink is
 * the same for every account.
 */
export const sinkOwnerHeader = 'x-momock-account'

/**
 * Returns the header that a callback to a sink of this server needs. Other receivers do not get it:
 * whoever knows the header can fill the sinks of the account.
 */
export function sinkHeaders (
  keys: Keys,
  account: number,
  url: string,
  ownUrls: readonly string[]
): Record<string, string> {
  return ownUrls.some((own) => isOwnSink(url, own))
    ? { [sinkOwnerHeader]: signOwner(keys, account) }
    : {}
}

function isOwnSink (url: string, ownUrl: string): boolean {
  const [target, own] = [URL.parse(url), URL.parse(ownUrl)]
  if (target === null || own === null) return false
  const path = `${own.pathname.replace(/\/$/, '')}/__admin/sink/`
  return isSameServer(target, own) && target.pathname.startsWith(path)
}

/** Compares origins. All names of the loopback interface are the same. */
function isSameServer (target: URL, own: URL): boolean {
  if (target.origin === own.origin) return true
  return (
    target.protocol === own.protocol &&
    target.port === own.port &&
    isLoopback(target.hostname) &&
    isLoopback(own.hostname)
  )
}

/** A server that listens on all addresses also listens on the loopback interface. */
function isLoopback (hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
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
