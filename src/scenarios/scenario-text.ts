import type { Catalogue } from '../domain/catalogue.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'
import type { Scenario } from '../domain/scenario.ts'
import type { ScenarioProblem } from './script-checks.ts'
import { createValidator } from '../lib/validator.ts'
import { readYamlText, type LineProblem } from '../lib/yaml-file.ts'
import { validateScenario } from './scenario-validation.ts'
import { replaceV1Words } from './v1-words.ts'

/** A scenario, or its problems, and notes about words of v1. */
export interface ReviewedScenario<Problem> {
  scenario?: Scenario
  problems: readonly Problem[]
  notes: string[]
}

/** Reviews a scenario that was read. `unfit` are the problems of its format. */
export function reviewScenario (
  name: string,
  value: unknown,
  unfit: readonly ScenarioProblem[],
  catalogue: Catalogue
): ReviewedScenario<ScenarioProblem> {
  const { written, notes } = replaceV1Words(value)
  const misfits = notes.length === 0 ? unfit : createValidator(ScenarioSchema).all(written)
  const scenario = validateScenario(name, written, misfits, catalogue)
  return {
    ...(Array.isArray(scenario) ? { problems: scenario } : { scenario, problems: [] }),
    notes: notes.map(({ path, message }) => `${path}: ${message}`)
  }
}

/** Reads a scenario that somebody is typing. Its problems are those of `momock validate`. */
export async function readScenarioText (
  name: string,
  text: string,
  catalogue: Catalogue
): Promise<ReviewedScenario<LineProblem>> {
  let reviewed: ReviewedScenario<ScenarioProblem> = { problems: [], notes: [] }
  const { problems } = await readYamlText(text, ScenarioSchema, (value, unfit) => {
    reviewed = reviewScenario(name, value, unfit, catalogue)
    return reviewed.problems
  })
  return { ...reviewed, problems }
}
