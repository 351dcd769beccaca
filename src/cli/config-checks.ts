import { existsSync } from 'node:fs'
import { findProblems } from '../build/review.ts'
import { ConfigError, type Config } from '../config/config.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { systemClock } from '../lib/clock.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { isFolder } from './validated-folders.ts'
import { isPostgresUrl } from '../lib/url.ts'

/** Checks of a configuration that its schema cannot make. */
export interface MeaningChecks {
  /** Returns the problems of the settings. */
  check: (config: Config) => Promise<FileProblem[]>
  /** Returns the problems of files that the settings name. */
  checkFiles: (config: Config) => Promise<string[]>
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
    const app = await createApp({ ...rest, db: ':memory:' }, systemClock, log)
    await app.close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.fileProblems
  }
}

/** Makes the checks of a start that need no ledger; fixtures are tried only if all else is fine. */
export async function findStartProblems (config: Config): ReturnType<typeof findProblems> {
  const found = await findProblems(config)
  if (found.problems.length > 0) return found
  return { ...found, problems: [...(await tryFixtures(config))] }
}

/** Makes the checks that a start makes after the schema. Valid catalogues are added to the list. */
export function listMeaningProblems (catalogues: Catalogue[]): MeaningChecks {
  return {
    check: async (config) => {
      const { scenarios, ...rest } = config
      // The files of a folder that exists are checked with the other files that were named.
      const isThere = scenarios !== undefined && isFolder(scenarios)
      const { problems, catalogue } = await findStartProblems(isThere ? rest : config)
      if (catalogue !== undefined) catalogues.push(catalogue)
      return [...problems, ...(await checkLedger(config))]
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
