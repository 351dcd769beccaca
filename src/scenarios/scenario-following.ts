import type { Account } from '../domain/account.ts'
import type { PlanOrigin } from '../domain/plan.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Fault, ResponseBehaviour } from '../domain/response-behaviour.ts'
import type { Scenario, ScenarioUse, ScriptStep, SingleEffect } from '../domain/scenario.ts'
import { expireWithProvider } from './script.ts'
import type {
  ReadinessInput,
  SelectedScript,
  SelectionContext,
  SelectionInput
} from './selection.ts'

export type ScenarioOrigin = Extract<PlanOrigin, 'named' | 'added' | 'file'>

/** Reason for choosing a scenario, as the history of a payment shows it. */
export const reasons: Record<ScenarioOrigin, string> = {
  named: 'X-Momock-Scenario names it',
  added: 'it was added for the account and matches',
  file: 'its file matches'
}

/**
 * Follows a scenario: the script of a payment, or the refusal of it. `selectUsual` gives the script
 * of a payment without a scenario.
 */
export function followScenario (
  scenario: Scenario,
  origin: ScenarioOrigin,
  uses: ScenarioUse[],
  selectUsual: () => SelectedScript,
  input: SelectionInput,
  context: SelectionContext
): SelectedScript | Refusal {
  const why = reasons[origin]
  const { name, latency } = scenario
  const effect = chooseEffect(scenario, input, context)
  const latencyMs =
    latency === undefined
      ? undefined
      : typeof latency === 'number'
        ? latency
        : drawBetween(scenario, latency, input, context, uses)
  const behaviour: ResponseBehaviour = { ...(latencyMs !== undefined && { latencyMs }) }
  if ('reject' in effect) {
    return {
      code: 'SCRIPTED_REJECTION',
      as: effect.reject,
      message: `rejected with ${effect.reject} by scenario '${name}', because ${why}`,
      usedScenarios: uses,
      behaviour
    }
  }
  if ('http' in effect) {
    return {
      code: 'SCRIPTED_ERROR',
      status: effect.http,
      message: `answered with ${effect.http} by scenario '${name}', because ${why}`,
      usedScenarios: uses,
      behaviour
    }
  }
  const { fault } = effect
  if (fault === 'reset') {
    return {
      code: 'SCRIPTED_ERROR',
      message: `reset by scenario '${name}', because ${why}`,
      usedScenarios: uses,
      behaviour: { ...behaviour, fault }
    }
  }
  const usual = effect.steps === undefined ? selectUsual() : undefined
  return {
    origin,
    name,
    why,
    steps: effect.steps ?? usual?.steps ?? [],
    usedScenarios: [...uses, ...(usual?.usedScenarios ?? [])],
    ...behaviour,
    ...(scenario.statusCheck !== undefined && { statusCheck: scenario.statusCheck }),
    ...(scenario.suspiciousActivityReport !== undefined && {
      suspiciousActivityReport: scenario.suspiciousActivityReport
    }),
    ...(scenario.callback !== undefined && { callback: scenario.callback }),
    ...(fault !== undefined && { fault })
  }
}

/** Draws a number between two bounds, from the seed and the number of draws before. */
function drawBetween (
  scenario: Scenario,
  { from, to }: { from: number; to: number },
  { used, account }: SelectionInput,
  { ids }: SelectionContext,
  uses: ScenarioUse[]
): number {
  const draws = `${counterOf(scenario, account)}~`
  uses.push(draws)
  return Math.round(from + (to - from) * ids.chance(`${scenario.seed}\n${used(draws)}`))
}

/** Returns the effect on a payment: the next of a sequence, or that of every payment. */
function chooseEffect (
  scenario: Scenario,
  input: SelectionInput,
  { catalogue }: SelectionContext
): SingleEffect | { steps: readonly ScriptStep[]; fault?: Fault } {
  const { effect } = scenario
  if ('sequence' in effect) {
    return effect.sequence[input.used(useCounterOf(scenario, input)) % effect.sequence.length]
  }
  if (!('prompt' in effect)) return effect
  const provider = catalogue.providers.get(input.details.provider)
  return { steps: expireWithProvider(provider?.promptExpiresAfter), fault: effect.fault }
}

/** Returns the name that the uses of a scenario are counted by, on the account or per payment. */
export function useCounterOf (
  scenario: Scenario,
  { account, details }: Pick<ReadinessInput, 'account' | 'details'>
): string {
  const name = counterOf(scenario, account)
  return scenario.per === undefined ? name : `${name}#${details.id}`
}

/** Returns the name that uses are counted by: an added scenario and a file of its name differ. */
export function counterOf (scenario: Scenario, { scenarios: rules }: Account): string {
  return rules.some((rule) => rule.scenario === scenario)
    ? scenario.name
    : fileCounterOf(scenario.name)
}

/** Returns the name that the uses of a scenario file are counted by. */
export function fileCounterOf (name: string): string {
  return `file:${name}`
}
