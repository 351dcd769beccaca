import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { bareHost, isNearAddress } from '../lib/hosts.ts'
import { TargetProblem } from './check.ts'
import type { ExamConfig } from './config.ts'

/** Targets of an exam: this machine or a private network, unless the user owns the host. */

/** Refuses a configuration that names a host of somebody else. */
export async function refuseStrangers (config: ExamConfig): Promise<void> {
  const mine = new Set(config.hostsThatAreMine?.map(bareHost))
  for (const url of new Set(urlsIn(config))) {
    const host = bareHost(new URL(url.replaceAll(/\{\{\s*\w+\s*\}\}/g, '0')).hostname)
    if (mine.has(host)) continue
    const addresses = isIP(host) > 0 ? [host] : await addressesOf(host)
    const foreign = addresses.find((address) => !isNearAddress(address))
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
