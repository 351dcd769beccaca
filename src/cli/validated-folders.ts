import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import {
  deepestFolder,
  listScenarioFiles,
  readScenarioFolder
} from '../scenarios/scenario-folders.ts'
import { ConfigSchema } from '../config/config.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'

/** Files of other tools, which are skipped in folders. */
const foreignNames = [
  /^(docker-)?compose[\w.-]*\.ya?ml$/,
  /^(package|package-lock|tsconfig[\w.-]*|deno)\.json$/,
  /^exam\.ya?ml$/,
  /\.schema\.json$/
]
const isForeign = (path: string): boolean => foreignNames.some((name) => name.test(basename(path)))

/** Does a file have the name of a configuration, or only fields of one? */
export function isConfig (path: string): boolean {
  if (/^momock[\w.-]*\.(ya?ml|json)$/.test(basename(path))) return true
  return !isForeign(path) && hasText(path, configField) && !hasText(path, topScenarioField)
}

export function isFolder (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Groups the files of a folder that was named. A folder with a scenario is a group with all its
 * subfolders, as a start reads it; other folders of a project are searched. Every file of the named
 * folder counts; in its subfolders lie other files of the project, too.
 */
export function listFolderGroups (folder: string, depth = 0): string[][] {
  if (depth > deepestFolder) return []
  const { files, subfolders } = readScenarioFolder(folder)
  const own = files.filter((path) => isConfig(path) || (depth === 0 && !isForeign(path)))
  const isScenario = (path: string): boolean =>
    !isConfig(path) && !isForeign(path) && looksLikeScenario(path)
  if (!files.some(isScenario)) {
    return [own, ...subfolders.flatMap((subfolder) => listFolderGroups(subfolder, depth + 1))]
  }
  const inner = listScenarioFiles(folder).filter((path) => isConfig(path) || isScenario(path))
  return [[...new Set([...own, ...inner])].sort()]
}

const scenarioFields = Object.keys(ScenarioSchema.properties)
const configFields = Object.keys(ConfigSchema.properties).filter(
  (field) => !scenarioFields.includes(field)
)

/** Finds a field in a YAML or JSON text; `indent` is what may stand before it. */
function fieldPattern (fields: readonly string[], indent: string): RegExp {
  return new RegExp(`^${indent}["']?(${fields.join('|')})["']?\\s*:`, 'm')
}

const scenarioField = fieldPattern(scenarioFields, '\\s*')
/** At the top of a JSON file a field stands after a brace, or is indented once. */
const atTop = '(\\{\\s*| {1,2}(?="))?'
const topScenarioField = fieldPattern(scenarioFields, atTop)
const configField = fieldPattern(configFields, atTop)

/** Returns true if a file has a field of a scenario. */
function looksLikeScenario (path: string): boolean {
  return hasText(path, scenarioField, true)
}

function hasText (path: string, pattern: RegExp, ifUnreadable = false): boolean {
  try {
    return pattern.test(readFileSync(path, 'utf8'))
  } catch {
    return ifUnreadable
  }
}
