import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from '../../support/server-process.ts'

/** What a server takes of the machine, from time to time. */

export interface Sample {
  /** Since the first sample. */
  seconds: number
  heapMiB: number
  rssMiB: number
  /** Open file descriptors. */
  handles: number
  /** The ledger's files together. */
  filesMiB: number
  /** Requests that were answered in a second, since the sample before. */
  requestsPerSecond: number
}

export type Measure = Exclude<keyof Sample, 'seconds'>

const mib = 1024 * 1024

/** Takes one sample; the heap is what the probe in the server wrote last. */
export function takeSample (
  server: Running,
  folder: string,
  seconds: number,
  requestsPerSecond: number
): Sample {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
  return {
    seconds,
    heapMiB: lastHeap(server.log()) / mib,
    rssMiB: residentBytes(server.pid) / mib,
    handles: countHandles(server.pid),
    filesMiB: sizes.reduce((sum, size) => sum + size, 0) / mib,
    requestsPerSecond
  }
}

function lastHeap (log: string): number {
  const found = [...log.slice(-4000).matchAll(/heap after collection: (\d+)/g)].at(-1)
  return Number(found?.[1] ?? 0)
}

function residentBytes (pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib ?? 0) * 1024
}

function countHandles (pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
