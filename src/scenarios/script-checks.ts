import type { Static } from '@sinclair/typebox'
import { parseDuration } from '../lib/duration.ts'
import { findNearest } from '../lib/validator.ts'
import { failuresOf, type FailureCode } from '../domain/failures.ts'
import type { Kind } from '../domain/kinds.ts'
import { kinds } from '../domain/kinds.ts'
import { rejectionsOf } from '../domain/rejections.ts'
import type { ScenarioFile, ScenarioSubject, ScriptStepSchema } from '../domain/scenario-file.ts'
import { payableKinds } from '../domain/kinds.ts'
import type { Scenario, ScriptStep } from '../domain/scenario.ts'
import { expiringSteps, failSteps, promptStep, toList } from '../domain/scenario.ts'
import { firstStatus, isFinal, mayMove } from '../domain/status.ts'

/** Checks of scripts: each step must be a transition of the kinds that the scenario is for. */

/** Problem of a scenario, with the dotted path of the field. */
export interface ScenarioProblem {
  path: string
  message: string
}

type FileStep = Static<typeof ScriptStepSchema>

/** Longest delay of a step. */
export const maxDelayMs = 31 * 86_400_000

/** Subjects that have no default script, and can only fail. */
const failing: readonly ScenarioSubject[] = ['checkout', 'statement']

/** Reads the steps of a file. */
export function readSteps ({ script = [], fail, when, expires }: ScenarioFile): ScriptStep[] {
  if (fail !== undefined) {
    const steps = failSteps(fail)
    // A checkout and a statement have no step before the failure.
    return toList(when?.kind)?.some(isFailing) === true ? steps.slice(-1) : steps
  }
  if (script === 'phone') {
    return expires === undefined ? [promptStep] : expiringSteps(parseDuration(expires) as number)
  }
  return script.map(({ after, to, failureCode }) => ({
    after: parseDuration(after) as number,
    to,
    ...(failureCode !== undefined && { failureCode })
  }))
}

/** Finds the problems of the script of a file. */
export function findScriptProblems (file: ScenarioFile): ScenarioProblem[] {
  const { script, when } = file
  const about = toList(when?.kind) ?? [...payableKinds]
  const failed = about.find((subject) => isFailing(subject))
  if (failed !== undefined) return findFailureProblems(file, failed)
  if (script === undefined) return findFailureCodeProblems(file.fail, 'fail', file)
  if (script === 'phone') {
    return about.join() === 'deposit'
      ? []
      : [
          {
            path: 'script',
            message: "only a deposit waits for its customer's phone; say when: { kind: deposit }"
          }
        ]
  }
  const problems = about.flatMap((name) =>
    isFailing(name) ? [] : findStepProblems(kinds[name], script, when?.kind === undefined)
  )
  // One problem for each field, although several kinds may find one there.
  return problems.filter(
    ({ path }, index) => problems.findIndex((other) => other.path === path) === index
  )
}

/** Problems of a failure code: every kind of the scenario must have it. */
export function findFailureCodeProblems (
  code: FailureCode | undefined,
  path: string,
  { when }: ScenarioFile
): ScenarioProblem[] {
  if (code === undefined) return []
  const names = (toList(when?.kind) ?? payableKinds).filter((name) => !isFailing(name))
  return names
    .flatMap((name) => findStepProblems(kinds[name], failSteps(code), when?.kind === undefined))
    .slice(0, 1)
    .map(({ message }) => ({ path, message }))
}

function isFailing (subject: string): subject is 'checkout' | 'statement' {
  return (failing as readonly string[]).includes(subject)
}

/** Problems of a scenario for checkouts or statements: it has one step, which goes to FAILED. */
function findFailureProblems (file: ScenarioFile, subject: ScenarioSubject): ScenarioProblem[] {
  const { script, fail, when, times, probability, statusCheck, every } = file
  const codes: readonly string[] = failuresOf('checkout')
  if (toList(when?.kind)?.length !== 1) {
    return [{ path: 'when.kind', message: `a scenario for a ${subject} is for nothing else` }]
  }
  const step =
    fail === undefined
      ? Array.isArray(script) && script.length === 1
        ? script[0]
        : undefined
      : { to: 'FAILED', failureCode: fail }
  if (step?.to !== 'FAILED' || !codes.includes(step.failureCode ?? '')) {
    return [
      {
        path: fail === undefined ? 'script' : 'fail',
        message:
          `a scenario for a ${subject} has one step, { after, to: FAILED, failureCode }, and ` +
          `the code is one of ${codes.join(', ')}`
      }
    ]
  }
  const counted = Object.entries({ times, probability, statusCheck, every, for: file.for }).find(
    ([, value]) => value !== undefined
  )
  if (subject === 'statement' && counted !== undefined) {
    return [{ path: counted[0], message: `a statement has no ${counted[0]}; leave it out` }]
  }
  return []
}

/** Problems of the steps for one kind. `any` means that the file does not name its kinds. */
function findStepProblems (
  kind: Kind,
  script: readonly FileStep[],
  any: boolean
): ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  const hint = any ? `; it is for every kind, say when.kind if it is not for ${kind.path}` : ''
  let from = firstStatus(kind)
  for (const [index, step] of script.entries()) {
    const path = `script.${index}`
    if (isFinal(from)) {
      problems.push({
        path: `${path}.to`,
        message: `nothing comes after ${from}, which is final`
      })
    } else if (!mayMove(kind, from, step.to)) {
      problems.push({
        path: `${path}.to`,
        message: `a ${kind.name} cannot go from ${from} to ${step.to}${hint}`
      })
    }
    if ((parseDuration(step.after) ?? 0) > maxDelayMs) {
      problems.push({
        path: `${path}.after`,
        message: 'a step comes at most 31 days after the one before'
      })
    }
    const message = findCodeProblem(kind, step, hint)
    if (message !== undefined) problems.push({ path: `${path}.failureCode`, message })
    from = step.to
  }
  return problems
}

function findCodeProblem (
  { name }: Kind,
  { to, failureCode }: FileStep,
  hint: string
): string | undefined {
  const codes: readonly string[] = failuresOf(name)
  if (to !== 'FAILED') {
    return failureCode === undefined
      ? undefined
      : `only FAILED has a failureCode, this step goes to ${to}`
  }
  if (failureCode === undefined) return `FAILED needs a failureCode: ${codes.join(', ')}`
  return codes.includes(failureCode)
    ? undefined
    : `'${failureCode}' is not a failure of a ${name}${suggestCode(failureCode, codes)}: ` +
        `${codes.join(', ')}${hint}`
}

/** Names the code that was probably meant, if it is one of those that are possible. */
export function suggestCode (code: string, codes: readonly string[]): string {
  const near = findNearest(code, codes)
  return near === undefined ? '' : `, did you mean ${near}?`
}

/** Tells whether a payment of a kind can follow a scenario, whatever its `when` says. */
export function isPossible (
  { effect, when }: Pick<Scenario, 'effect' | 'when'>,
  kind: Kind
): boolean {
  const isForOthers = toList(when.kind)?.some((subject) => isFailing(subject)) === true
  if (isForOthers) return toList(when.kind)?.some((subject) => subject === kind.name) === true
  if (kind.money === 'none') return false
  if ('reject' in effect) return rejectionsOf(kind.name).includes(effect.reject)
  if ('prompt' in effect) return kind === kinds.deposit
  if ('sequence' in effect) {
    return effect.sequence.every((one) => isPossible({ effect: one, when }, kind))
  }
  if ('http' in effect || effect.steps === undefined) return true
  return findStepProblems(kind, effect.steps, false).length === 0
}
