import { statSync } from 'node:fs'
import { basename } from 'node:path'
import {
  isScenarioName,
  loadScenarios,
  scenarioEndings,
  scenarioFiles
} from '../../simulator/scenario-files.ts'
import { checkFile, ConfigError, type Config } from '../config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readKeys,
  readTimeout
} from '../config/configured.ts'
import type { Catalogue } from '../domain/catalogue.ts'

/** What is wrong with files that a user wrote, before a server reads them. */
export interface Validation {
  checked: number
  problems: string[]
}

const isConfig = (path: string): boolean => /^momock[\w.-]*\.(ya?ml|json)$/.test(basename(path))

/** Files that lie about in folders and are neither a scenario nor ours. */
const isOthers = (path: string): boolean =>
  /^(docker-)?compose[\w.-]*\.ya?ml$|^(package|package-lock|tsconfig[\w.-]*|deno)\.json$|\.schema\.json$/.test(
    basename(path)
  )

/**
 * A file whose name begins like ours is a configuration; everything else is a scenario. In a folder
 * both are looked for.
 */
export async function validate (paths: readonly string[]): Promise<Validation> {
  const problems: string[] = []
  const groups = byFolder(
    paths.filter((path) => !isConfig(path)),
    problems
  ).map((group) => (typeof group === 'string' ? filesIn(group) : group))
  const configs = [...paths.filter(isConfig), ...groups.flatMap((group) => group.filter(isConfig))]
  const scenarios = groups.map((group) => group.filter((path) => !isConfig(path)))
  const catalogues: Catalogue[] = []
  for (const path of configs) {
    problems.push(...(await checkFile(path, (config) => flawsOf(config, catalogues))))
  }
  // Scenarios may name what the configuration beside them adds; with more than one of those, nobody
  // knows whose they are.
  const catalogue = catalogues.length === 1 ? catalogues[0] : undefined
  for (const group of scenarios) {
    problems.push(...(await loadScenarios([group], catalogue)).problems)
  }
  return { checked: configs.length + scenarios.flat().length, problems }
}

/**
 * What is well written and still does not fit together; a start would refuse it as well. Its
 * catalogue is kept, if it has one.
 */
function flawsOf (config: Config, catalogues: Catalogue[]): string[] {
  const problems: string[] = []
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  }
  attempt(() => readKeys(config))
  attempt(() => readTimeout(config))
  const catalogue = attempt(() => buildConfiguredCatalogue(config))
  attempt(() => buildAccounts(config, catalogue))
  if (catalogue !== undefined) catalogues.push(catalogue)
  return problems
}

/** What of a folder is for us. */
function filesIn (folder: string): string[] {
  return scenarioFiles(folder).filter((path) => !isOthers(path))
}

/**
 * Files that are named together are judged together, as if they were one folder; a folder is judged
 * as it is.
 */
function byFolder (paths: readonly string[], problems: string[]): Array<string | string[]> {
  const known = paths.filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false }) !== undefined
    if (!found) problems.push(`${path}: there is no such file`)
    const readable = !found || isFolder(path) || isScenarioName(path)
    if (!readable) {
      problems.push(
        `${path}: the name of a scenario ends with ${scenarioEndings.join(', ')}; this would ` +
          'never be read'
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
