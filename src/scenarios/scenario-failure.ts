import { failureReason } from '../domain/failures.ts'
import type { PlanOrigin } from '../domain/plan.ts'
import { toList, type ScenarioUse } from '../domain/scenario.ts'
import type { FailureReason } from '../domain/status.ts'
import { counterOf, reasons } from './scenario-following.ts'
import { addedScenarios, firstReady, isReady } from './scenario-selection.ts'
import type { ReadinessInput, SelectionContext } from './selection.ts'

/** Input for the selection of a failure: a checkout or a statement. */
export interface FailureInput extends ReadinessInput {
  subject: 'checkout' | 'statement'
  /** Scenario that the request names. */
  scenario?: string
}

/** Failure that a scenario wants for a checkout or a statement. */
export interface SelectedFailure {
  after: number
  failure: FailureReason
  origin: PlanOrigin
  name: string
  why: string
  usedScenarios: ScenarioUse[]
}

/** Selects the failure of a checkout or a statement, or returns undefined if it has none. */
export function selectFailure (
  input: FailureInput,
  context: SelectionContext
): SelectedFailure | undefined {
  const { account, subject, scenario: name } = input
  const added = addedScenarios(account)
  const all = [...added, ...context.scenarios]
  const uses: ScenarioUse[] = []
  const named = all.find(
    (scenario) => scenario.name === name && toList(scenario.when.kind)?.join() === subject
  )
  const scenario =
    named !== undefined && isReady(named, input, context, uses)
      ? named
      : firstReady(all, subject, input, context, uses)
  const step = scenario !== undefined && 'steps' in scenario.effect && scenario.effect.steps?.[0]
  if (scenario === undefined || !step || step.failureCode === undefined) return undefined
  const origin =
    scenario === named ? 'named' : added.includes(scenario) ? 'added' : ('file' as const)
  const counted = scenario.times !== undefined || added.includes(scenario)
  return {
    after: step.after,
    failure: failureReason(step.failureCode),
    origin,
    name: scenario.name,
    why: reasons[origin],
    usedScenarios: counted ? [...uses, counterOf(scenario, account)] : uses
  }
}
