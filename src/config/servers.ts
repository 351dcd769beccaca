import { parseDuration } from '../lib/duration.ts'
import { isOtherAddress, isPostgresUrl } from '../lib/url.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Longest time between the signal to stop and the stop. */
const longestDelayMs = 10 * 60_000

/** Returns whether several servers can use the ledger at the same time. */
export function isShared ({ servers, db }: Pick<Config, 'servers' | 'db'>): boolean {
  return (servers ?? (isPostgresUrl(db) ? 'many' : 'one')) === 'many'
}

/** Forms of the setting of the ledger. */
const ledgerForms = 'a file, :memory:, or postgres://USER@HOST/DATABASE'

/** Throws a ConfigError if settings of the ledger and its servers cannot be used. */
export function checkServers ({ servers, db, port, tlsPort, peerPort = 0 }: Config): void {
  const [same] = Object.entries({ port, tlsPort }).find(([, used]) => used === peerPort) ?? []
  const problems = [
    // It may contain a password.
    ...(isOtherAddress(db) ? [problemOf('db', `must be ${ledgerForms}`)] : []),
    ...(servers !== 'many' || isPostgresUrl(db)
      ? []
      : [problemOf('servers', "must be 'one', unless the ledger is in PostgreSQL: see db")]),
    ...(peerPort === 0 || same === undefined
      ? []
      : [problemOf('peerPort', `is ${peerPort}, as ${same} is; each listener needs its own port`)])
  ]
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Returns the time for which a server still answers after the signal to stop, in milliseconds. */
export function readStopDelay ({ stopDelay }: Config): number {
  const delayMs = parseDuration(stopDelay) as number
  if (delayMs <= longestDelayMs) return delayMs
  throw new ConfigError([problemOf('stopDelay', `must be at most 10m, got '${stopDelay}'`)])
}
