import { parseDuration } from '../lib/duration.ts'
import { isOtherAddress } from '../lib/url.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Longest time between the signal to stop and the stop. */
const longestDelayMs = 10 * 60_000

/** Throws a ConfigError if the setting of the ledger cannot be used. It may contain a password. */
export function checkLedgerSetting ({ db }: Config): void {
  if (!isOtherAddress(db)) return
  const forms = 'a file, :memory:, or postgres://USER@HOST/DATABASE'
  throw new ConfigError([problemOf('db', `must be ${forms}`)])
}

/** Returns the time for which a server still answers after the signal to stop, in milliseconds. */
export function readStopDelay ({ stopDelay }: Config): number {
  const delayMs = parseDuration(stopDelay) as number
  if (delayMs <= longestDelayMs) return delayMs
  throw new ConfigError([problemOf('stopDelay', `must be at most 10m, got '${stopDelay}'`)])
}
