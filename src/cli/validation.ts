import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { loadScenarios, scenarioFiles } from '../../simulator/scenarios.ts'
import { checkFile } from '../config.ts'

/** What is wrong with files that a user wrote, before a server reads them. */
export interface Validation {
  checked: number
  problems: string[]
}

const isConfig = (path: string): boolean => /^momock[\w.-]*\.(ya?ml|json)$/.test(basename(path))

/** Files that lie about in folders and are neither a scenario nor ours. */
const isOthers = (path: string): boolean => /^(docker-)?compose[\w.-]*\.ya?ml$|^(package|package-lock|tsconfig[\w.-]*|deno)\.json$|\.schema\.json$/.test(basename(path))

/** A file whose name begins like ours is a configuration; everything else is a scenario. In a folder both are looked for. */
export async function validate (paths: readonly string[]): Promise<Validation> {
  const problems: string[] = []
  const groups = byFolder(paths.filter((path) => !isConfig(path)), problems).map((group) => typeof group === 'string' ? filesIn(group) : group)
  const configs = [...paths.filter(isConfig), ...groups.flatMap((group) => group.filter(isConfig))]
  const scenarios = groups.map((group) => group.filter((path) => !isConfig(path)))
  problems.push(...(await Promise.all(configs.map(checkFile))).flat())
  for (const group of scenarios) problems.push(...(await loadScenarios([group])).problems)
  return { checked: configs.length + scenarios.flat().length, problems }
}

/** What of a folder is for us. */
function filesIn (folder: string): string[] {
  return scenarioFiles(folder).filter((path) => !isOthers(path))
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
