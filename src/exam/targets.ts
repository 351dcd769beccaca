import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { TargetProblem } from './check.ts'
import type { ExamConfig } from './config.ts'

/** Targets of an exam: this machine or a private network, unless the user owns the host. */

const near = new BlockList()
for (const [address, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16]
] as const) {
  near.addSubnet(address, prefix, 'ipv4')
}
for (const [address, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10]
] as const) {
  near.addSubnet(address, prefix, 'ipv6')
}

/** Is an address one of this machine, or of a private network? */
export function isNear (address: string): boolean {
  return near.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Refuses a configuration that names a host of somebody else. */
export async function refuseStrangers (config: ExamConfig): Promise<void> {
  const mine = new Set(config.hostsThatAreMine?.map((host) => host.toLowerCase()))
  for (const url of new Set(urlsIn(config))) {
    const host = new URL(url.replaceAll(/\{\{\s*\w+\s*\}\}/g, '0')).hostname.replace(/^\[|\]$/g, '')
    if (mine.has(host)) continue
    const addresses = isIP(host) > 0 ? [host] : await addressesOf(host)
    const foreign = addresses.find((address) => !isNear(address))
    if (foreign !== undefined) {
      throw new TargetProblem(
        `${host === foreign ? host : `${host} (${foreign})`} is neither this machine nor in ` +
          'a private network. The exam sends forged callbacks: only examine what is yours. If ' +
          `this host is yours, say --this-host-is-mine ${host}`,
        true
      )
    }
  }
}

async function addressesOf (host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    throw new TargetProblem(`nobody knows the host name ${host}`)
  }
}

/** Every URL to which the exam would send something. */
function urlsIn ({ callback, drive = {}, observe, hooks = {}, start }: ExamConfig): string[] {
  const actions = [
    ...Object.values(drive),
    observe,
    observe?.payout,
    observe?.refund,
    ...Object.values(hooks)
  ]
  return [
    callback,
    ...actions.flatMap((action) => action?.http?.url ?? []),
    ...(start === undefined ? [] : [start.ready])
  ]
}
