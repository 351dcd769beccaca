import type { Need } from './check.ts'
import type { Depth } from '../reports/exam/verdict.ts'
import type { ExamConfig } from './config.ts'
import { callbackTimeoutMs, requestTimeoutMs } from './http.ts'
import { parseDuration } from './mock.ts'
import type { Values } from './template.ts'

/** Settings of an exam: its configuration with every default filled in. */
export interface Settings {
  config: ExamConfig
  depth: Depth
  /** Longest time until a callback has its effects. */
  settleMs: number
  /** Longest time until the merchant's own job notices a missing callback. */
  patienceMs: number
  /** Number of payments in a burst. */
  burst: number
  values: Values
  seed: string
  /** The folder that commands are run in. */
  folder: string
  limits: Limits
}

/** Limits of the service that a merchant has to keep. */
export interface Limits {
  /** An answer that takes longer is a warning. */
  slowMs: number
  /** And one that takes longer than this is none. */
  callbackTimeoutMs: number
  /** Time for a drive, an observation or a hook. */
  requestTimeoutMs: number
  /** Status checks of one payment must be this far apart. */
  pollMs: number
}

const usualLimits: Limits = { slowMs: 2000, callbackTimeoutMs, requestTimeoutMs, pollMs: 1000 }
const usualValues = {
  amount: '15',
  currency: 'ZMW',
  phoneNumber: '260763456789',
  provider: 'MTN_MOMO_ZMB'
}
const usualSettleMs = 1000
const usualPatienceMs = 30_000
const usualBurst = 200

/** The settings that a configuration means. */
export function settingsOf (
  config: ExamConfig,
  seed: string,
  folder: string,
  limits: Partial<Limits> = {}
): Settings {
  return {
    config,
    depth: depthOf(config),
    settleMs: parseDuration(config.settle ?? usualSettleMs) ?? usualSettleMs,
    patienceMs: parseDuration(config.patience ?? usualPatienceMs) ?? usualPatienceMs,
    burst: config.burst ?? usualBurst,
    values: { ...usualValues, ...config.values },
    seed,
    folder,
    limits: { ...usualLimits, ...limits }
  }
}

function depthOf ({ drive = {}, observe }: ExamConfig): Depth {
  if (Object.keys(drive).length === 0) return 0
  return observe === undefined ? 1 : 2
}

/** Tells whether the configuration has everything that a check needs. */
export function has (need: Need, { drive = {}, observe, hooks = {} }: ExamConfig): boolean {
  switch (need) {
    case 'deposit':
      return drive.deposit !== undefined
    case 'payout':
      return drive.payout !== undefined
    case 'retry':
      return (
        (drive.retry !== undefined && drive.deposit !== undefined) || drive.checkout !== undefined
      )
    case 'observe':
      return observe !== undefined
    case 'effects':
      return observe?.effects !== undefined
    case 'break':
      return hooks.break !== undefined && hooks.mend !== undefined
  }
}
