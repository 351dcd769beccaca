import { parseDuration } from '../lib/duration.ts'
import type { CommandInput } from './command.ts'
import { limits } from './load/limits.ts'
import { parseMix, type RequestKind } from './load/mix.ts'
import type { LoadPlan } from './load/plan.ts'
import type { CallbackMode } from './load/table.ts'
import { checkReportFiles } from './reports.ts'

/** What the flags of `momock load` ask for. */
export interface LoadWishes {
  plan: Omit<LoadPlan, 'url' | 'token'>
  mix: string
  mode: CallbackMode
  /** Name of this machine for the mock in a run of whole lives, or the URL of a storm. */
  receiver: string
  /** Bound of the 99th percentile in milliseconds, if the highest rate is asked for. */
  boundMs?: number
}

/** A storm makes payments only: other requests have no callback. */
const stormMix = 'initiations=1'

/** Reads the flags, and adds every problem of them. */
export function readWishes ({ flags, folder }: CommandInput, problems: string[]): LoadWishes {
  const { rate, connections, lives, callbacks, findLimit, receiverHost } = flags as {
    rate: number
    connections: number
    lives?: boolean
    callbacks?: string
    findLimit?: boolean
    receiverHost: string
  }
  const mode = callbacks !== undefined ? 'storm' : lives === true ? 'lives' : 'none'
  const mix = mode === 'storm' ? stormMix : String(flags.mix)
  const milliseconds = parseDuration(flags.duration as string) ?? 0
  if (milliseconds < 1000 || milliseconds > limits.durationMs) {
    problems.push(`--duration must be from '1s' to '5m', got '${String(flags.duration)}'`)
  }
  const boundMs = parseDuration(flags.p99 as string) ?? 0
  if (boundMs < 1 || boundMs > limits.p99Ms) {
    problems.push(`--p99 must be from '1ms' to '10s', got '${String(flags.p99)}'`)
  }
  const round = parseMix(mix)
  if (typeof round === 'string') problems.push(`--mix: ${round}`)
  if (mode === 'storm' && lives === true) {
    problems.push('--callbacks and --lives exclude each other: callbacks have one receiver')
  }
  if (mode === 'storm' && findLimit === true) {
    problems.push('--callbacks and --find-limit exclude each other; set the rate with --rate')
  }
  if (mode === 'storm' && rate === 0) {
    problems.push('--callbacks needs --rate, the number of callbacks per second')
  }
  if (rate === 0 && mode === 'none' && findLimit !== true && !hasLoadGenerator()) {
    problems.push(
      'without --rate, momock load needs the package autocannon; install it with ' +
        'npm install --save-dev autocannon, or set --rate'
    )
  }
  // Checked before the run, so that minutes of measuring are not lost.
  problems.push(...checkReportFiles({ flags, folder }))
  return {
    plan: { round: round as RequestKind[], rate, seconds: milliseconds / 1000, connections },
    mix,
    mode,
    receiver: callbacks ?? receiverHost,
    ...(findLimit === true && { boundMs })
  }
}

/** Returns true if autocannon is installed. It is optional: it brings 63 more packages. */
function hasLoadGenerator (): boolean {
  try {
    import.meta.resolve('autocannon')
    return true
  } catch {
    return false
  }
}
