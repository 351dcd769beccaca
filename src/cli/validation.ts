import { statSync } from 'node:fs'
import { basename } from 'node:path'
import {
  isScenarioName,
  loadScenarios,
  scenarioEndings,
  scenarioFiles
} from '../../simulator/scenario-files.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { checkFile } from '../config/load-config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readKeys,
  readTimeout
} from '../config/configured.ts'
import { checkFixtures } from '../config/fixtures.ts'
import { checkTlsSettings } from '../config/tls-settings.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { listCertificateNames } from '../tls/names.ts'
import type { Catalogue } from '../domain/catalogue.ts'

/** Number of checked files, all their problems, and notes about valid files. */
export interface Validation {
  checked: number
  problems: string[]
  notes: string[]
}

const isConfig = (path: string): boolean => /^momock[\w.-]*\.(ya?ml|json)$/.test(basename(path))

/** Files of other tools, which are skipped in folders. */
const foreignNames = [
  /^(docker-)?compose[\w.-]*\.ya?ml$/,
  /^(package|package-lock|tsconfig[\w.-]*|deno)\.json$/,
  /\.schema\.json$/
]
const isForeign = (path: string): boolean => foreignNames.some((name) => name.test(basename(path)))

/**
 * Validates files and folders. A file whose name begins with momock is a configuration; every
 * other file is a scenario.
 */
export async function validateFiles (paths: readonly string[]): Promise<Validation> {
  const problems: string[] = []
  const notes: string[] = []
  const groups = groupByFolder(
    paths.filter((path) => !isConfig(path)),
    problems
  ).map((group) => (typeof group === 'string' ? listFiles(group) : group))
  const configs = [...paths.filter(isConfig), ...groups.flatMap((group) => group.filter(isConfig))]
  const scenarios = groups.map((group) => group.filter((path) => !isConfig(path)))
  const catalogues: Catalogue[] = []
  for (const path of configs) {
    problems.push(...(await checkFile(path, (config) => checkConfig(config, catalogues))))
  }
  // Scenarios can use providers that the configuration adds. With several configurations it is not
  // clear which one applies.
  const catalogue = catalogues.length === 1 ? catalogues[0] : undefined
  for (const group of scenarios) {
    const loaded = await loadScenarios([group], catalogue)
    problems.push(...loaded.problems)
    notes.push(...loaded.notes)
  }
  return { checked: configs.length + scenarios.flat().length, problems, notes }
}

/** Returns the problems that a start would report after the schema check. Keeps the catalogue. */
function checkConfig (config: Config, catalogues: Catalogue[]): FileProblem[] {
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
  const catalogue = attempt(() => buildConfiguredCatalogue(config))
  const accounts = attempt(() => buildAccounts(config, catalogue))
  if (accounts !== undefined && catalogue !== undefined) {
    attempt(() => checkFixtures(config, accounts, catalogue))
  }
  if (catalogue !== undefined) catalogues.push(catalogue)
  return problems
}

/** Lists the configuration and scenario files of a folder. */
function listFiles (folder: string): string[] {
  return scenarioFiles(folder).filter((path) => !isForeign(path))
}

/** Groups paths. All named files form one group, and each folder is a group of its own. */
function groupByFolder (paths: readonly string[], problems: string[]): Array<string | string[]> {
  const known = paths.filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false }) !== undefined
    if (!found) problems.push(`${path}: there is no such file`)
    const readable = !found || isFolder(path) || isScenarioName(path)
    if (!readable) {
      problems.push(
        `${path}: the name of a scenario must end with ${scenarioEndings.join(', ')}; rename ` +
          'the file'
      )
    }
    return found && readable
  })
  const folders = known.filter(isFolder)
  const files = known.filter((path) => !isFolder(path))
  return files.length === 0 ? folders : [...folders, files]
}

function isFolder (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
