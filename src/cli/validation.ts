import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { loadScenarios, scenarioFiles } from '../../simulator/scenarios.ts'
import { checkFile } from '../config.ts'

/** What is wrong with files that a user wrote, before a server reads them. */
export interface Validation {
  checked: number
  problems: string[]
}

/** A file whose name begins like ours is a configuration; everything else is a scenario, or a folder of them. */
export async function validate (paths: readonly string[]): Promise<Validation> {
  const isConfig = (path: string): boolean => /^momock[\w.-]*\.(ya?ml|json)$/.test(basename(path))
  const configs = paths.filter(isConfig)
  const scenarios = paths.filter((path) => !isConfig(path))
  const problems = (await Promise.all(configs.map(checkFile))).flat()
  for (const group of byFolder(scenarios, problems)) problems.push(...(await loadScenarios([group])).problems)
  return { checked: configs.length + scenarios.reduce((sum, path) => sum + countOf(path), 0), problems }
}

/** Files that are named together are judged together, as if they were one folder; a folder is judged as it is. */
function byFolder (paths: readonly string[], problems: string[]): Array<string | string[]> {
  const known = paths.filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false }) !== undefined
    if (!found) problems.push(`${path}: there is no such file`)
    return found
  })
  const folders = known.filter(isFolder)
  const files = known.filter((path) => !isFolder(path))
  return files.length === 0 ? folders : [...folders, files]
}

function isFolder (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function countOf (path: string): number {
  return isFolder(path) ? scenarioFiles(path).length : 1
}
