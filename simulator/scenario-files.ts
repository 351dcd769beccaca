import { readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNearest } from '../src/lib/validator.ts'
import { readYamlFile } from '../src/lib/yaml-file.ts'
import { buildCatalogue, shippedCatalogue, type Catalogue } from '../src/domain/catalogue.ts'
import { reviewScenario } from './scenario-text.ts'
import type { Scenario } from '../src/domain/scenario.ts'
import { ScenarioSchema } from '../src/domain/scenario-file.ts'
import { overlaps } from '../src/domain/scenario-overlap.ts'

/** The scenario files: one story per file, tried in the order of their names. */

export const scenarioEndings = ['.yaml', '.yml', '.json']

/** Does a file have a name that a scenario can have? */
export function isScenarioName (path: string): boolean {
  return scenarioEndings.includes(extname(path))
}

/**
 * Folder of the scenarios in the package: beside the source, or one level up beside the built
 * files.
 */
export const shippedFolders = ['../scenarios', '../../scenarios'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url))
)

export interface LoadedScenarios {
  scenarios: Scenario[]
  problems: string[]
  /** Words of v1 that were read as words of v2. */
  notes: string[]
}

/**
 * Reads every scenario of some folders, the first folder's first; all problems at once, each with
 * its file and line.
 */
export async function loadScenarios (
  folders: ReadonlyArray<string | string[]>,
  catalogue: Catalogue = buildCatalogue(shippedCatalogue)
): Promise<LoadedScenarios> {
  const parts: LoadedScenarios[] = []
  for (const folder of folders) parts.push(await loadFolder(folder, catalogue))
  return {
    scenarios: parts.flatMap(({ scenarios }) => scenarios),
    problems: parts.flatMap(({ problems }) => problems),
    notes: parts.flatMap(({ notes }) => notes)
  }
}

/** A folder of files, or files that are to be read as if they were one. */
async function loadFolder (
  folder: string | string[],
  catalogue: Catalogue
): Promise<LoadedScenarios> {
  const loaded: LoadedScenarios = { scenarios: [], problems: [], notes: [] }
  for (const path of typeof folder === 'string' ? listFiles(folder, loaded.problems) : folder) {
    const name = basename(path, extname(path))
    const { problems } = await readYamlFile(path, ScenarioSchema, (value, unfit) => {
      const { scenario, problems, notes } = reviewScenario(name, value, unfit, catalogue)
      loaded.notes.push(...notes.map((note) => `${path}: ${note}`))
      if (scenario === undefined) return problems
      const first = loaded.scenarios.find((earlier) => overlaps(earlier, scenario, catalogue))
      if (first !== undefined) {
        return [
          {
            path: 'when',
            message:
              `this can never match: '${first.name}', which is tried before it, matches always ` +
              'when this would'
          }
        ]
      }
      loaded.scenarios.push(scenario)
      return []
    })
    loaded.problems.push(...problems)
  }
  return loaded
}

/** The scenario files of a folder, in the order in which they are tried. */
export function scenarioFiles (folder: string): string[] {
  return readdirSync(folder)
    .filter(isScenarioName)
    .sort()
    .map((file) => join(folder, file))
}

function listFiles (folder: string, problems: string[]): string[] {
  try {
    return scenarioFiles(folder)
  } catch (error) {
    problems.push(`${folder}: the scenarios cannot be read (${(error as Error).message})`)
    return []
  }
}

/** Returns the scenario of a name, or an error text for an unknown name. */
export function findScenario (scenarios: readonly Scenario[], name: string): Scenario | string {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found !== undefined) return found
  const near = findNearest(
    name,
    scenarios.map((scenario) => scenario.name)
  )
  return (
    'there is no scenario ' +
    `'${name.slice(0, 60)}'${near === undefined ? '.' : `; did you mean '${near}'?`} There ` +
    `are: ${scenarios.map((scenario) => scenario.name).join(', ')}`
  )
}
