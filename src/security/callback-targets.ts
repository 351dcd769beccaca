import { lookup as lookUpHost } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { hostname } from 'node:os'

/** Rules about the receivers that callbacks may be sent to. */

/** Networks that are not on the public internet, with the metadata services of clouds. */
const privateNetworks: Array<[network: string, prefix: number, family: 'ipv4' | 'ipv6']> = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6']
]

const privateAddresses = new BlockList()
for (const [network, prefix, family] of privateNetworks) {
  privateAddresses.addSubnet(network, prefix, family)
}

/** Error for a callback that must not be sent. The message names the setting. */
export class ForbiddenTargetError extends Error {
  override name = 'ForbiddenTarget'
}

/** Receiver of callbacks. */
export interface CallbackTarget {
  url: URL
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
      target = { url, isSink: isOwnCall(url, own, '/__admin/sink/') }
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
    const address = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(address) !== 0) this.#checkAddress(address)
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

/** Tells whether a URL is a call of a server with one of these URLs whose path begins so. */
function isOwnCall (target: URL, ownUrls: readonly string[], path: string): boolean {
  return ownUrls
    .map((own) => new URL(own))
    .some((own) => {
      const base = own.pathname.replace(/\/$/, '')
      return isSameServer(target, own) && target.pathname.startsWith(`${base}${path}`)
    })
}

/** Tells whether an address is not on the public internet. */
export function isPrivateAddress (address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return isPrivateAddress(mapped)
  return privateAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Compares origins. All names of this machine are the same. */
function isSameServer (target: URL, own: URL): boolean {
  if (target.origin === own.origin) return true
  return (
    target.protocol === own.protocol &&
    target.port === own.port &&
    isThisMachine(target.hostname) &&
    isThisMachine(own.hostname)
  )
}

/** A server that listens on all addresses also listens on the loopback interface. */
function isThisMachine (name: string): boolean {
  return name === hostname() || /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(name)
}
