import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { version } from '../src/lib/package.ts'

/** Settings of a run and its machine, for the report. */
export function describeSettings (settings: Record<string, unknown>): Record<string, unknown> {
  const all = cpus()
  return {
    date: new Date().toISOString(),
    momock: version,
    node: process.version,
    system: `${type()} ${release()} ${process.arch}`,
    processor: `${all.length} × ${all[0]?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    // Above the number of processors, the machine was busy with other things.
    loadAverage: loadavg()[0].toFixed(1),
    ...settings
  }
}
