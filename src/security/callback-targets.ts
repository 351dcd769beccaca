import { lookup as lookUpHost } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { bareHost, isPrivateAddress, isThisMachine } from '../lib/hosts.ts'

/** Rules about the receivers that callbacks may be sent to. */

/** Error for a callback that must not be sent. The message names the setting. */
export class ForbiddenTargetError extends Error {
  override name = 'ForbiddenTarget'
}

/**
 * Header of a callback whose URL looks like an admin call: this server has more names than it knows
 * of, such as those of a network of containers. No other receiver gets it.
 */
export const callbackHeader = 'x-momock-callback'

/** Receiver of callbacks. */
export interface CallbackTarget {
  url: URL
  /** Whether its path is that of an admin call of some server. */
  isAdminCall: boolean
  /** Whether it is a sink of this server. */
  isSink: boolean
}

/** Targets that are remembered: most callbacks go to a few. */
const mostKnown = 1000

/** Rule that decides where callbacks may go. */
export class CallbackTargets {
  readonly #allow: string
  readonly #hosts: ReadonlySet<string>
  readonly #ownUrls: () => readonly string[]
  readonly #known = new Map<string, CallbackTarget>()
  /** URLs of this server when the known targets were read. */
  #knownFor = ''

  /**
   * `allow` is 'any', 'public' or a list of hosts separated by commas. `ownUrls` returns the URLs
   * of this server.
   */
  constructor (allow: string, ownUrls: () => readonly string[]) {
    this.#allow = allow
    this.#hosts = new Set(allow.toLowerCase().split(/\s*,\s*/))
    this.#ownUrls = ownUrls
  }

  /** Reads the URL of a receiver. Refuses one that callbacks must not be sent to. */
  readTarget (text: string): CallbackTarget {
    const own = this.#ownUrls()
    const ownText = own.join(' ')
    if (this.#knownFor !== ownText || this.#known.size >= mostKnown) this.#known.clear()
    this.#knownFor = ownText
    let target = this.#known.get(text)
    if (target === undefined) {
      const url = new URL(text)
      target = {
        url,
        isSink: isOwnCall(url, own, '/__admin/sink/'),
        isAdminCall: /\/__admin\/(?!sink\/)/.test(routedPath(url))
      }
      // Another admin call could create the next callback, without an end.
      if (!target.isSink && isOwnCall(url, own, '/__admin/')) {
        throw new ForbiddenTargetError(
          'the URL is an admin call of this server; only its sinks under /__admin/sink/ take ' +
            'callbacks'
        )
      }
      this.#check(url)
      this.#known.set(text, target)
    }
    return target
  }

  #check (target: URL): void {
    if (this.#allow === 'any' || this.#isListed(target)) return
    if (this.#allow !== 'public') throw this.#refuse(target.host)
    this.#checkAddress(bareHost(target.hostname))
  }

  /** Looks up a host name, and refuses its addresses as the setting says. */
  readonly lookUp: LookupFunction = (host, options, callback) => {
    lookUpHost(host, options, (error, address, family) => {
      if (error !== null) return callback(error, address, family)
      try {
        if (this.#allow === 'public') {
          for (const one of [address].flat()) {
            this.#checkAddress(typeof one === 'string' ? one : one.address)
          }
        }
        callback(null, address, family)
      } catch (refusal) {
        callback(refusal as NodeJS.ErrnoException, address, family)
      }
    })
  }

  #isListed ({ host, hostname: name }: URL): boolean {
    return this.#hosts.has(host) || this.#hosts.has(name)
  }

  #checkAddress (address: string): void {
    if (isPrivateAddress(address)) throw this.#refuse(address)
  }

  #refuse (target: string): ForbiddenTargetError {
    return new ForbiddenTargetError(
      `callbacks to ${target} are not allowed; change the setting callbacksAllow, ` +
        `which is '${this.#allow}'`
    )
  }
}

/** Tells whether a URL is a call of a server with one of these URLs whose route begins so. */
function isOwnCall (target: URL, ownUrls: readonly string[], path: string): boolean {
  return ownUrls
    .map((own) => new URL(own))
    .some((own) => {
      const base = routedPath(own).replace(/\/$/, '')
      return isSameServer(target, own) && routedPath(target).startsWith(`${base}${path}`)
    })
}

/** Path of a URL as the router reads it: decoded, and with single slashes. */
function routedPath ({ pathname }: URL): string {
  try {
    return decodeURI(pathname).replace(/\/{2,}/g, '/')
  } catch {
    // The router refuses it, too.
    return pathname
  }
}

/**
 * Compares origins. All names of this machine are the same, because a server that listens on all
 * addresses also listens on the loopback interface.
 */
function isSameServer (target: URL, own: URL): boolean {
  if (target.origin === own.origin) return true
  return (
    target.protocol === own.protocol &&
    target.port === own.port &&
    isThisMachine(target.hostname) &&
    isThisMachine(own.hostname)
  )
}
