import { parseDuration } from '../lib/duration.ts'
import { isPostgresUrl } from '../lib/url.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Longest time between the signal to stop and the stop. */
const longestDelayMs = 10 * 60_000

/** Returns whether several servers can use the ledger at the same time. */
export function isShared ({ servers, db }: Pick<Config, 'servers' | 'db'>): boolean {
  return (servers ?? (isPostgresUrl(db) ? 'many' : 'one')) === 'many'
}

/** Throws a ConfigError if several servers cannot share the ledger. */
export function checkServers ({ servers, db }: Pick<Config, 'servers' | 'db'>): void {
  if (servers !== 'many' || isPostgresUrl(db)) return
  throw new ConfigError([
    problemOf('servers', "must be 'one', unless the ledger is in PostgreSQL: see db")
  ])
}

/** Returns the time for which a server still answers after the signal to stop, in milliseconds. */
export function readStopDelay ({ stopDelay }: Config): number {
  const delayMs = parseDuration(stopDelay) as number
  if (delayMs <= longestDelayMs) return delayMs
  throw new ConfigError([problemOf('stopDelay', `must be at most 10m, got '${stopDelay}'`)])
}
