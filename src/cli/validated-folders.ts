import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ScenarioSchema } from '../domain/scenario-file.ts'

/** Folders that are never searched. */
const skipped = new Set(['node_modules', 'dist', 'data'])
/** Deepest folder that is searched. */
const deepest = 5

/** Lists a folder and its subfolders, except hidden ones and those of other tools. */
export function listFolders (folder: string, depth = 0): string[] {
  if (depth > deepest) return [folder]
  const inner = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .filter(({ name }) => !skipped.has(name))
    .map(({ name }) => join(folder, name))
    .sort()
  return [folder, ...inner.flatMap((path) => listFolders(path, depth + 1))]
}

export function isFolder (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

const fields = Object.keys(ScenarioSchema.properties)
const field = new RegExp(`^\\s*["']?(${fields.join('|')})["']?\\s*:`, 'm')

/** Returns true if a file has a field of a scenario. */
export function looksLikeScenario (path: string): boolean {
  try {
    return field.test(readFileSync(path, 'utf8'))
  } catch {
    return true
  }
}
