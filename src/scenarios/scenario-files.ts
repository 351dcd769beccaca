import { basename, extname } from 'node:path'
import { readYamlFile, type FileProblem } from '../lib/yaml-file.ts'
import { buildCatalogue, shippedCatalogue, type Catalogue } from '../domain/catalogue.ts'
import { listScenarioFiles } from './scenario-folders.ts'
import { reviewScenario } from './scenario-text.ts'
import type { Scenario } from '../domain/scenario.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'
import { overlaps } from './scenario-overlap.ts'

/** The scenario files: one story per file, tried in the order of their paths. */

export interface LoadedScenarios {
  scenarios: Scenario[]
  problems: string[]
  /** Words of v1 that were read as words of v2, and scenarios that can never match. */
  notes: string[]
}

/**
 * Reads every scenario of some folders and their subfolders, the first folder's first; all problems
 * at once, each with its file and line.
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
  const files = typeof folder === 'string' ? listFiles(folder, loaded.problems) : folder
  for (const path of files) {
    const name = nameOf(path)
    const { problems } = await readYamlFile(path, ScenarioSchema, (value, unfit) => {
      const { scenario, problems, notes } = reviewScenario(name, value, unfit, catalogue)
      loaded.notes.push(...notes.map((note) => `${path}: ${note}`))
      if (scenario === undefined) return problems
      const first = loaded.scenarios.find((other) => overlaps(other, scenario, catalogue))
      if (first !== undefined) loaded.notes.push(`${path}: ${explainHidden(first)}`)
      loaded.scenarios.push(scenario)
      return listNamesakes(scenario, path, files)
    })
    loaded.problems.push(...problems)
  }
  return loaded
}

/** A file that is never used is no reason to refuse all others. */
function explainHidden ({ name }: Scenario): string {
  return (
    `this can never match: '${name}', which is tried before it, matches always when this would; ` +
    'only X-Momock-Scenario reaches it'
  )
}

/** Refuses a second file of the same name: a request names one scenario. */
function listNamesakes (
  { name }: Scenario,
  path: string,
  files: readonly string[]
): FileProblem[] {
  const namesake = files.find((other) => other !== path && nameOf(other) === name)
  return namesake === undefined
    ? []
    : [{ path: '', message: `${namesake} has the same name; rename one of the files` }]
}

const nameOf = (path: string): string => basename(path, extname(path))

function listFiles (folder: string, problems: string[]): string[] {
  try {
    return listScenarioFiles(folder)
  } catch (error) {
    problems.push(`${folder}: the scenarios cannot be read (${(error as Error).message})`)
    return []
  }
}
