import { ConfigError, type Config } from '../config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readCallbackAuthorities,
  readKeys,
  readTimeout
} from '../config/configured.ts'
import { checkFixtures } from '../config/fixtures.ts'
import { checkTlsSettings } from '../config/tls-settings.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { listCertificateNames } from '../tls/names.ts'
import { isFolder } from './validated-folders.ts'

/** Checks of a configuration that its schema cannot make. */
export interface MeaningChecks {
  /** Returns the problems of the settings. */
  check: (config: Config) => FileProblem[]
  /** Returns the problems of files that the settings name. */
  checkFiles: (config: Config) => Promise<string[]>
}

function checkScenarioFolder ({ scenarios }: Config): void {
  if (scenarios === undefined || isFolder(scenarios)) return
  const message = `scenarios: there is no folder ${scenarios}`
  throw new ConfigError([{ path: 'scenarios', message }])
}

/** Makes the checks that a start makes after the schema. Valid catalogues are added to the list. */
export function listMeaningProblems (catalogues: Catalogue[]): MeaningChecks {
  return {
    check: (config) => {
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
      attempt(() => checkTlsSettings(config))
      attempt(() => listCertificateNames(config))
      attempt(() => readCallbackAuthorities(config))
      attempt(() => checkScenarioFolder(config))
      const catalogue = attempt(() => buildConfiguredCatalogue(config))
      const accounts = attempt(() => buildAccounts(config, catalogue))
      if (accounts !== undefined && catalogue !== undefined) {
        attempt(() => checkFixtures(config, accounts, catalogue))
      }
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
