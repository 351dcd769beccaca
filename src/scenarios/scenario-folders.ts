import { readdirSync, type Dirent } from 'node:fs'
import { extname, join } from 'node:path'
import { packageFolder } from '../lib/package.ts'

/** Folders of scenario files. What is in the files is read by `scenario-files.ts`. */

export const scenarioEndings = ['.yaml', '.yml', '.json']

/** Folders that are never searched for scenarios. */
const skippedFolders = new Set(['node_modules', 'dist', 'data'])
/** Deepest subfolder that is searched. */
export const deepestFolder = 5

/** Does a file have a name that a scenario can have? */
export function isScenarioName (path: string): boolean {
  return scenarioEndings.includes(extname(path))
}

/** Folder of the scenarios in the package. */
export const shippedFolder = join(packageFolder, 'scenarios')

/** Files of a folder that can be scenarios, and its subfolders, in the order of their names. */
export interface ScenarioFolder {
  files: string[]
  subfolders: string[]
}

/** Reads the names in a folder. Hidden folders and those of other tools are left out. */
export function readScenarioFolder (folder: string): ScenarioFolder {
  const entries = readdirSync(folder, { withFileTypes: true })
  const list = (isListed: (entry: Dirent) => boolean): string[] =>
    entries
      .filter(isListed)
      .map(({ name }) => join(folder, name))
      .sort()
  return {
    files: list((entry) => !entry.isDirectory() && isScenarioName(entry.name)),
    subfolders: list(
      (entry) =>
        entry.isDirectory() && !entry.name.startsWith('.') && !skippedFolders.has(entry.name)
    )
  }
}

/** The scenario files of a folder and its subfolders, in the order in which they are tried. */
export function listScenarioFiles (folder: string, depth = 0): string[] {
  const { files, subfolders } = readScenarioFolder(folder)
  if (depth === deepestFolder) return files
  return [
    ...files,
    ...subfolders.flatMap((subfolder) => listScenarioFiles(subfolder, depth + 1))
  ].sort()
}
