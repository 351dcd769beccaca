import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MomockError } from '../client/client.ts'
import type { Config } from '../config/config.ts'
import type { UsedAccount } from './doctor-state.ts'
import type { ProbeResult } from './probe.ts'

/** Result of a check. */
export interface Finding {
  verdict: 'ok' | 'warn' | 'fail'
  what: string
  /** Advice for the user. */
  fix?: string
}

/** Input of the checks: settings, and the answers at the address and the callback URLs. */
export interface Setup {
  config: Config
  accountCount: number
  /** Folder that relative paths start from. */
  folder: string
  /** Value of PATH. */
  searchPath: string
  chromium: string | undefined
  /** System time of the probes. */
  probedAt: number
  running: ProbeResult
  receivers: Map<string, ProbeResult>
  /** Used accounts, those of the running momock or of the ledger; an error if it refused. */
  states: UsedAccount[] | MomockError
}

/** Checks that a listener can use its address. */
export async function checkAddress (
  address: { host: string; port: number },
  listener: string,
  flag: string
): Promise<Finding> {
  const { host, port } = address
  const { explainAddress, tryListening } = await import('../lib/address.ts')
  const error = await tryListening(address)
  if (error === undefined) {
    const what =
      port === 0
        ? `${listener} will use any free port of ${host}`
        : `port ${port} of ${host} is free`
    return { verdict: 'ok', what }
  }
  const { problem, fix } = explainAddress(address, error, flag)
  return { verdict: 'fail', what: problem, fix }
}

/** Checks that a file can be created. Tries to write, because permissions do not tell all. */
export function checkNewFile (path: string, flag: string): Finding {
  let folder = dirname(path)
  // A drive of Windows can be missing: the parent of a root is itself.
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    rmSync(mkdtempSync(join(folder, '.momock-')), { recursive: true })
    return { verdict: 'ok', what: `the first start will create ${path}` }
  } catch {
    return {
      verdict: 'fail',
      what: `${path} cannot be created: this user cannot write in ${folder}`,
      fix: `choose another place with ${flag}, or change the owner: chown $(id -u) ${folder}`
    }
  }
}
