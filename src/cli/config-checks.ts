import { existsSync } from 'node:fs'
import { ConfigError, type Config } from '../config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readCallbackAuthorities,
  readKeys,
  readTimeout
} from '../config/configured.ts'
import { checkFixtures } from '../config/fixtures.ts'
import { checkServers, readStopDelay } from '../config/servers.ts'
import { checkTlsSettings } from '../config/tls-settings.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { systemClock } from '../lib/clock.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { listCertificateNames } from '../tls/names.ts'
import { isFolder } from './validated-folders.ts'
import { isPostgresUrl } from '../lib/url.ts'

/** Checks of a configuration that its schema cannot make. */
export interface MeaningChecks {
  /** Returns the problems of the settings. */
  check: (config: Config) => Promise<FileProblem[]>
  /** Returns the problems of files that the settings name. */
  checkFiles: (config: Config) => Promise<string[]>
}

function checkScenarioFolder ({ scenarios }: Config): void {
  if (scenarios === undefined || isFolder(scenarios)) return
  const message = `scenarios: there is no folder ${scenarios}`
  throw new ConfigError([{ path: 'scenarios', message }])
}

/** Returns the problem of a file that exists and is not a ledger. */
async function checkLedger ({ db }: Config): Promise<FileProblem[]> {
  if (db === ':memory:' || isPostgresUrl(db) || !existsSync(db)) return []
  const { findLedgerProblem } = await import('../app.ts')
  const error = await findLedgerProblem(db)
  return error === undefined ? [] : [{ path: 'db', message: `db: ${error.message}` }]
}

/** Returns the problems of fixtures that rules of the ledger refuse. A start tries them, too. */
async function tryFixtures (config: Config): Promise<readonly FileProblem[]> {
  if (config.fixtures === undefined) return []
  const [{ createApp }, { createLogger }] = await Promise.all([
    import('../app.ts'),
    import('../lib/logger.ts')
  ])
  const { scenarios: _, ...rest } = config
  try {
    const log = await createLogger('silent', false)
    const app = await createApp({ ...rest, db: ':memory:', servers: 'one' }, systemClock, log)
    await app.close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.fileProblems
  }
}

/** Makes the checks that a start makes after the schema. Valid catalogues are added to the list. */
export function listMeaningProblems (catalogues: Catalogue[]): MeaningChecks {
  return {
    check: async (config) => {
      const problems: FileProblem[] = []
      const attempt = <T>(work: () => T): T | undefined => {
        try {
          return work()
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error
          problems.push(...error.fileProblems)
        }
      }
      attempt(() => readKeys(config))
      attempt(() => readTimeout(config))
      attempt(() => readStopDelay(config))
      attempt(() => checkServers(config))
      attempt(() => checkTlsSettings(config))
      attempt(() => listCertificateNames(config))
      attempt(() => readCallbackAuthorities(config))
      attempt(() => checkScenarioFolder(config))
      const catalogue = attempt(() => buildConfiguredCatalogue(config))
      const accounts = attempt(() => buildAccounts(config, catalogue))
      if (accounts !== undefined && catalogue !== undefined) {
        attempt(() => checkFixtures(config, accounts, catalogue))
        if (problems.length === 0) problems.push(...(await tryFixtures(config)))
      }
      problems.push(...(await checkLedger(config)))
      if (catalogue !== undefined) catalogues.push(catalogue)
      return problems
    },
    checkFiles: async (config) => {
      if (config.tlsCert === undefined || config.tlsKey === undefined) return []
      const { readOwnCertificate } = await import('../tls/credentials.ts')
      try {
        readOwnCertificate(config)
        return []
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return [...error.problems]
      }
    }
  }
}
