import { isPostgresUrl } from '../lib/url.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Throws a ConfigError if several servers cannot share the ledger. */
export function checkServers ({ servers, db }: Pick<Config, 'servers' | 'db'>): void {
  if (servers === 'one' || isPostgresUrl(db)) return
  throw new ConfigError([
    problemOf('servers', "must be 'one', unless the ledger is in PostgreSQL: see db")
  ])
}
