import { findNearest } from '../lib/validator.ts'
import type { Catalogue } from './catalogue.ts'
import { isKnownToVersion } from './scenario-overlap.ts'
import {
  toList,
  readScenario,
  rejections,
  ScenarioSchema,
  type Scenario,
  type ScenarioFile,
  type ScenarioProblem
} from './scenario.ts'

/**
 * Says everything that is wrong with a scenario at once: what its form has, what it means, and what
 * it is about.
 */

/** The scenario that was written; or all its problems, those of its form (`unfit`) first. */
export function validateScenario (
  name: string,
  written: unknown,
  unfit: readonly ScenarioProblem[],
  catalogue: Catalogue
): Scenario | ScenarioProblem[] {
  const file = unfit.length === 0 ? (written as ScenarioFile) : keepValidParts(written, unfit)
  const told = readScenario(name, file)
  const mute = isKnownToVersion(file.when ?? {})
    ? []
    : [
        {
          path: 'when.generation',
          message: 'this can never match: v1 has no remittances'
        }
      ]
  const problems = [
    ...(Array.isArray(told) ? told : []),
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
  if (unfit.length > 0 || problems.length > 0) return [...unfit, ...problems]
  return told
}

/**
 * What is left of a scenario without what does not fit its form, so that the rest can be judged all
 * the same.
 */
function keepValidParts (written: unknown, unfit: readonly ScenarioProblem[]): ScenarioFile {
  if (unfit.some(({ path }) => path === '')) return {}
  const file = structuredClone(written) as Record<string, unknown>
  for (const { path } of unfit) leaveOut(file, path.split('.'))
  // Who it is about is not known then, and so not what it may do.
  const isVague = unfit.some(
    ({ path }) =>
      /^when\b/.test(path) ||
      (!(path in ScenarioSchema.properties) &&
        findNearest(path, Object.keys(ScenarioSchema.properties)) === 'when')
  )
  if (isVague) delete file.script
  if (isVague && rejections.includes(String(file.reject))) delete file.reject
  return file as ScenarioFile
}

function leaveOut (file: Record<string, unknown>, [top, second, third]: string[]): void {
  const value = file[top]
  if (second === undefined || typeof value !== 'object' || value === null) delete file[top]
  else if (!Array.isArray(value)) delete (value as Record<string, unknown>)[second]
  // What comes after a step that nobody understands cannot be judged.
  else if (third !== 'after' && third !== 'failureCode') {
    value.length = Math.min(value.length, Number(second))
  } else if (Number(second) < value.length) {
    if (third === 'after') value[Number(second)].after = 0
    else delete value[Number(second)].failureCode
  }
}

/**
 * Providers, countries and currencies that do not exist, or never together: a scenario about them
 * would never be told.
 */
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
