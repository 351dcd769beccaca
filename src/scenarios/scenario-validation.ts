import { findNearest } from '../lib/validator.ts'
import { v2Words } from '../wire/v1/answers.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { isKindName, kinds } from '../domain/kinds.ts'
import { isKnownToVersion } from './scenario-overlap.ts'
import { toList, type Scenario } from '../domain/scenario.ts'
import type { ScenarioProblem } from './script-checks.ts'
import { readScenario } from './scenario-reading.ts'
import { rejections } from '../domain/rejections.ts'
import type { ScenarioFile } from '../domain/scenario-file.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'

/** Validation of scenarios: lists all problems at once. */

/** Reads a scenario, or lists its problems: those of its format (`unfit`) first. */
export function validateScenario (
  name: string,
  written: unknown,
  unfit: readonly ScenarioProblem[],
  catalogue: Catalogue
): Scenario | ScenarioProblem[] {
  const file = unfit.length === 0 ? (written as ScenarioFile) : keepValidParts(written, unfit)
  const scenario = readScenario(name, file)
  const mute = isKnownToVersion(file.when ?? {})
    ? []
    : [
        {
          path: 'when.version',
          message: `this can never match: v1 has no ${pathsOf(file.when?.kind).join(' and no ')}`
        }
      ]
  const problems = [
    ...(Array.isArray(scenario) ? scenario : []),
    ...unknownNames(file.when ?? {}, catalogue),
    ...mute
  ].filter(
    ({ path }) =>
      unfit.length === 0 ||
      (path !== '' &&
        !unfit.some(
          (other) =>
            `${other.path}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${other.path}.`)
        ))
  )
  if (unfit.length === 0 && problems.length === 0) return scenario
  return [...unfit, ...problems].map((problem) => withV2Word(problem, written))
}

function pathsOf (subjects: Scenario['when']['kind']): string[] {
  return (toList(subjects) ?? []).map((name) => (isKindName(name) ? kinds[name].path : name))
}

/** Names the word of v2 in a problem with a word of v1. */
function withV2Word (problem: ScenarioProblem, written: unknown): ScenarioProblem {
  const path = problem.path.split('.')
  const value = path.reduce<unknown>(
    (object, key) => (object as Record<string, unknown> | undefined)?.[key],
    written
  )
  const word = typeof value === 'string' && value in v2Words ? value : path.at(-1)
  if (word === undefined || !Object.hasOwn(v2Words, word)) return problem
  return { path: problem.path, message: `'${word}' is a word of v1; write ${v2Words[word]}` }
}

/** Keeps the parts of a scenario that fit the format, so that these can be checked, too. */
function keepValidParts (written: unknown, unfit: readonly ScenarioProblem[]): ScenarioFile {
  if (unfit.some(({ path }) => path === '')) return {}
  const file = structuredClone(written) as Record<string, unknown>
  for (const { path } of unfit) leaveOut(file, path.split('.'))
  // Without a valid `when`, the kinds are unknown, and so are the allowed steps.
  const isVague = unfit.some(
    ({ path }) =>
      /^when\b/.test(path) ||
      (!(path in ScenarioSchema.properties) &&
        findNearest(path, Object.keys(ScenarioSchema.properties)) === 'when')
  )
  if (isVague) for (const part of ['script', 'fail', 'sequence']) delete file[part]
  if (isVague && rejections.includes(String(file.reject))) delete file.reject
  return file as ScenarioFile
}

function leaveOut (file: Record<string, unknown>, [top, second, third]: string[]): void {
  const value = file[top]
  if (second === undefined || typeof value !== 'object' || value === null) delete file[top]
  else if (!Array.isArray(value)) delete (value as Record<string, unknown>)[second]
  // Steps after an invalid step cannot be checked.
  else if (third !== 'after' && third !== 'failureCode') {
    value.length = Math.min(value.length, Number(second))
  } else if (Number(second) < value.length) {
    if (third === 'after') value[Number(second)].after = 0
    else delete value[Number(second)].failureCode
  }
}

/** Problems of providers, countries and currencies that do not exist, or not together. */
function unknownNames (
  when: Scenario['when'],
  { providers, countries }: Catalogue
): ScenarioProblem[] {
  const currencies = new Set(
    [...providers.values()].flatMap((provider) => Object.keys(provider.currencies))
  )
  const known: Array<[field: 'provider' | 'country' | 'currency', what: string, names: string[]]> =
    [
      ['provider', 'provider', [...providers.keys()]],
      ['country', 'country', [...countries.keys()]],
      ['currency', 'currency', [...currencies]]
    ]
  const problems = known.flatMap(([field, what, names]) =>
    (toList(when[field]) ?? [])
      .filter((value) => !names.includes(value))
      .map((value) => {
        const near = findNearest(value, names)
        return {
          path: `when.${field}`,
          message:
            `there is no ${what} ` +
            `'${value}'${near === undefined ? '' : `; did you mean ${near}?`}`
        }
      })
  )
  const fits = (
    field: 'provider' | 'country' | 'currency',
    has: (value: string) => boolean
  ): boolean => toList(when[field])?.some(has) ?? true
  const isPossible = [...providers.values()].some(
    ({ code: provider, country, currencies }) =>
      fits('provider', (value) => value === provider) &&
      fits('country', (value) => value === country) &&
      fits('currency', (value) => value in currencies)
  )
  if (problems.length > 0 || isPossible) return problems
  const [field] = known
    .map(([field]) => field)
    .filter((field) => when[field] !== undefined)
    .slice(-1)
  return [
    {
      path: `when.${field}`,
      message: 'this can never match: no provider is in that country and has that currency'
    }
  ]
}
