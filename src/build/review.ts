import type { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import { ConfigError, type Config } from '../config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  loadConfiguredScenarios,
  readCallbackAuthorities,
  readKeys,
  readTimeout
} from '../config/configured.ts'
import { checkLedgerSetting, readStopDelay } from '../config/servers.ts'
import { checkTlsSettings } from '../config/tls-settings.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { KeyRecord } from '../ports/stores.ts'
import type { FileProblem } from '../lib/yaml-file.ts'

/** Checks of a configuration that its schema cannot make: those of start, doctor and validate. */

/** What a configuration is made into without a ledger. */
export interface ReviewedConfig {
  catalogue: Catalogue
  accounts: [AccountSettings, ...AccountSettings[]]
  scenarioLibrary: ScenarioLibrary
  keys: KeyRecord[]
  callbackAuthorities: string[]
  stopDelayMs: number
}

/** Makes all checks. Throws a ConfigError that names every problem. */
export async function reviewConfig (config: Config): Promise<ReviewedConfig> {
  const { problems, ...reviewed } = await findProblems(config)
  if (problems.length > 0) throw new ConfigError(problems)
  return reviewed as ReviewedConfig
}

/** Makes all checks. Returns the problems, and what has none. */
export async function findProblems (
  config: Config
): Promise<{ problems: FileProblem[] } & Partial<ReviewedConfig>> {
  const problems: FileProblem[] = []
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.fileProblems)
    }
  }
  const keys = await attempt(() => readKeys(config))
  await attempt(() => readTimeout(config))
  const stopDelayMs = await attempt(() => readStopDelay(config))
  await attempt(() => checkLedgerSetting(config))
  await attempt(() => checkTlsSettings(config))
  if (config.tlsHosts !== undefined) {
    const { listCertificateNames } = await import('../tls/names.ts')
    await attempt(() => listCertificateNames(config))
  }
  const callbackAuthorities = await attempt(() => readCallbackAuthorities(config))
  const catalogue = await attempt(() => buildConfiguredCatalogue(config))
  const accounts = await attempt(() => buildAccounts(config, catalogue))
  // Scenarios and fixtures can use providers of the configuration.
  const scenarioLibrary =
    catalogue && (await attempt(async () => await loadConfiguredScenarios(config, catalogue)))
  // Most configurations have no fixtures, and load no code for them.
  if (config.fixtures !== undefined && accounts !== undefined && catalogue !== undefined) {
    const { checkFixtures } = await import('../config/fixtures.ts')
    await attempt(() => checkFixtures(config, accounts, catalogue))
  }
  return {
    problems,
    catalogue,
    accounts,
    scenarioLibrary,
    keys,
    callbackAuthorities,
    stopDelayMs
  }
}
