import { BlockList, isIP } from 'node:net'
import { hostname, networkInterfaces, type NetworkInterfaceInfo } from 'node:os'

/**
 * What a host name or an IP address says about the place of a host. Addresses are compared as
 * numbers: `127.evil.example` is a name, and `[::ffff:7f00:1]` is 127.0.0.1.
 */

type Network = [address: string, prefix: number]

const loopback: readonly Network[] = [
  ['127.0.0.0', 8],
  ['::1', 128]
]

/** Networks of a company or a home, and addresses of one cable. */
const local: readonly Network[] = [
  ['10.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['fc00::', 7],
  ['fe80::', 10]
]

/** The other networks that are not on the public internet, or lead to one that is not. */
const reserved: readonly Network[] = [
  ['0.0.0.0', 8],
  ['100.64.0.0', 10],
  ['192.0.0.0', 24],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 128],
  ['64:ff9b::', 96],
  ['2002::', 16],
  ['ff00::', 8]
]

/** Returns the test for addresses in some networks. Mapped addresses are those that they map. */
function isIn (...networks: ReadonlyArray<readonly Network[]>): (address: string) => boolean {
  const list = new BlockList()
  for (const [address, prefix] of networks.flat()) {
    list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}

const isLoopbackAddress = isIn(loopback)
const isUnspecified = isIn([
  ['0.0.0.0', 32],
  ['::', 128]
])
const isLinkLocal = isIn([['fe80::', 10]])

/** Tells whether an address is not on the public internet, also the metadata service of a cloud. */
export const isPrivateAddress = isIn(loopback, local, reserved)

/** Tells whether an address is one of this machine, or of a network around it. */
export const isNearAddress = isIn(loopback, local)

/** Host of a URL or a setting, in lower case, without brackets and a final dot. */
export function bareHost (host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

/** Tells whether a host is this machine for everybody: only its own programs can reach it. */
export function isLoopback (host: string): boolean {
  const name = bareHost(host)
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name)
}

/** Tells whether a host to listen on means all addresses of the machine. */
export function isEverywhere (host: string): boolean {
  return isUnspecified(bareHost(host))
}

/** Tells whether a host leads to this machine. */
export function isThisMachine (host: string): boolean {
  const name = bareHost(host)
  return (
    isLoopback(name) || isUnspecified(name) || name === bareHost(hostname()) || isOwnAddress(name)
  )
}

/** Tells whether a host is an address of a network interface of this machine. */
export function isOwnAddress (host: string): boolean {
  const name = bareHost(host)
  const family = isIP(name)
  if (family === 0) return false
  const own = new BlockList()
  for (const { address, family } of listAddresses()) {
    own.addAddress(address, family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  return own.check(name, family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Tells whether nobody else can decide where a host leads: an address, a name without a dot, or one
 * in a domain that public DNS does not have. `.local` is not among them: each machine of a network
 * can claim such a name.
 */
export function isFixed (host: string): boolean {
  const name = bareHost(host)
  return isIP(name) !== 0 || !name.includes('.') || /\.(localhost|internal|test)$/.test(name)
}

/** Tells whether a host is this machine or in a network around it, by its address or its name. */
export function isNear (host: string): boolean {
  const name = bareHost(host)
  if (isIP(name) !== 0) return isNearAddress(name)
  return isFixed(name) || /\.(local|example|invalid)$/.test(name)
}

/** Returns an address of this machine that others can reach, if the server listens on all. */
export function findReachableHost (host: string): string {
  if (!isEverywhere(host)) return host
  const outside = listAddresses().filter(
    ({ internal, family, address }) =>
      !internal && (family === 'IPv4' || isIP(bareHost(host)) === 6) && !isLinkLocal(address)
  )
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? host
}

function listAddresses (): NetworkInterfaceInfo[] {
  return Object.values(networkInterfaces()).flatMap((list) => list ?? [])
}
