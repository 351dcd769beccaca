import { statSync } from 'node:fs'
import { normalize } from 'node:path'
import { loadScenarios } from '../scenarios/scenario-files.ts'
import {
  isScenarioName,
  listScenarioFiles,
  scenarioEndings
} from '../scenarios/scenario-folders.ts'
import { checkFile } from '../config/load-config.ts'
import type { Config } from '../config/config.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { listMeaningProblems } from './config-checks.ts'
import { isConfig, isFolder, listFolderGroups } from './validated-folders.ts'

/** Checked files, all their problems, and notes about valid files. */
export interface Validation {
  checked: string[]
  problems: string[]
  notes: string[]
}

/**
 * Validates files and folders, with their subfolders. A file whose name begins with momock, or that
 * has fields of a configuration only, is a configuration; every other file is a scenario. The
 * folder of scenarios that a configuration names is checked, too.
 */
export async function validateFiles (paths: readonly string[]): Promise<Validation> {
  const problems: string[] = []
  const groups = listGroups(paths, problems)
  const configs = unique(groups.flatMap((group) => group.filter(isConfig)))
  const catalogues: Catalogue[] = []
  const configured: string[][] = []
  for (const path of configs) {
    const checks = listMeaningProblems(catalogues)
    const { problems: found, config } = await checkFile(path, checks.check)
    problems.push(...found, ...(await checks.checkFiles(config)).map((text) => `${path}: ${text}`))
    configured.push(listConfiguredFiles(config))
  }
  // Scenarios can use providers that the configuration adds. With several configurations it is not
  // clear which one applies.
  const catalogue = catalogues.length === 1 ? catalogues[0] : undefined
  const checked = new Set(configs)
  const notes: string[] = []
  const named = groups.map((group) => group.filter((path) => !isConfig(path)))
  for (const group of [...configured, ...named]) {
    const files = unique(group).filter((path) => !checked.has(path))
    for (const path of files) checked.add(path)
    const loaded = await loadScenarios([files], catalogue)
    problems.push(...loaded.problems)
    notes.push(...loaded.notes)
  }
  return { checked: [...checked], problems, notes }
}

/** Returns the scenario files of a configuration, as a start reads them. */
function listConfiguredFiles ({ scenarios }: Config): string[] {
  return scenarios !== undefined && isFolder(scenarios) ? listScenarioFiles(scenarios) : []
}

/** Groups files: all named files form one group, and each folder of scenarios is another. */
function listGroups (paths: readonly string[], problems: string[]): string[][] {
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
  const folders = known.filter(isFolder).flatMap((folder) => listFolderGroups(folder))
  return [...folders, known.filter((path) => !isFolder(path))]
}

function unique (paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => normalize(path)))]
}
