import type { Account } from '../src/domain/account.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import type { PlanOrigin } from '../src/domain/plan.ts'
import { kinds, type Kind } from '../src/domain/kinds.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import type { CallbackFault } from '../src/domain/callback-faults.ts'
import type { PaymentDetails } from '../src/domain/payment-request.ts'
import type { Generation } from '../src/domain/api-version.ts'
import type { ResponseBehaviour } from '../src/domain/response-behaviour.ts'
import type { Scenario, ScriptStep } from '../src/domain/scenario.ts'
import { isAbout, isPossible, payableKinds } from '../src/domain/scenario.ts'
import { findScenario } from './scenario-files.ts'
import { completeScript, testNumberScript, waitScript, waitWithTimeoutScript } from './script.ts'

/** What was chosen for a payment, and why; and which counted scenarios that used. */
export interface SelectedScript extends ResponseBehaviour {
  origin: PlanOrigin
  name: string
  why: string
  steps: readonly ScriptStep[]
  callback?: CallbackFault
  usedScenarios: string[]
}

/** What a choice depends on. */
export interface SelectionInput {
  account: Account
  generation: Generation
  kind: Kind
  details: PaymentDetails
  /** A scenario the request asked for by its name. */
  named?: string
  /** How often a counted scenario has been used on the account. */
  used: (scenario: string) => number
}

/** A number from 0 to 1 that follows from a text. */
export type Chance = (text: string) => number

/**
 * Chooses what becomes of a payment: the scenario the request names, one added for the account, a
 * sandbox test number, a scenario file, or that it completes.
 */
export function createSelector (
  catalogue: Catalogue,
  scenarios: readonly Scenario[],
  chance: Chance
): (input: SelectionInput) => SelectedScript | Refusal {
  return (input) => {
    const { account, named } = input
    const uses: string[] = []
    const carryOut = (
      scenario: Scenario,
      origin: ScenarioOrigin,
      counted: boolean
    ): SelectedScript | Refusal =>
      followScenario(
        scenario,
        origin,
        counted ? [...uses, counterOf(scenario, account)] : uses,
        input,
        catalogue,
        chance
      )
    const added = addedScenarios(account)
    if (named !== undefined) {
      const scenario = selectNamed([...added, ...scenarios], named, input.kind)
      if ('code' in scenario) return scenario
      // One that is used up is as good as not named.
      if (isReady(scenario, input, chance, uses)) {
        return carryOut(scenario, 'named', scenario.times !== undefined || added.includes(scenario))
      }
    }
    const rule = firstReady(added, input, chance, uses)
    if (rule !== undefined) return carryOut(rule, 'added', true)
    const usual = selectByTestNumber(input, catalogue)
    if (usual !== undefined) return { ...usual, usedScenarios: uses }
    const file = firstReady(scenarios, input, chance, uses)
    if (file !== undefined) return carryOut(file, 'file', file.times !== undefined)
    return { ...selectDefault(input, catalogue), usedScenarios: uses }
  }
}

/**
 * Why a request cannot have the scenario it names, whatever else is in it; nothing, if it can. A
 * checkout follows none, but it must exist.
 */
export function whyNotAvailable (
  scenarios: readonly Scenario[],
  account: Account,
  name: string,
  kind: Kind
): Refusal | undefined {
  const scenario = selectNamed([...addedScenarios(account), ...scenarios], name, kind)
  return 'code' in scenario ? scenario : undefined
}

function addedScenarios ({ scenarios: rules }: Account): Scenario[] {
  return rules.map(({ scenario }) => scenario)
}

/**
 * What the uses of a scenario are counted by: one that was added, and a file of the same name, each
 * on its own.
 */
function counterOf (scenario: Scenario, { scenarios: rules }: Account): string {
  return rules.some((rule) => rule.scenario === scenario) ? scenario.name : `file:${scenario.name}`
}

function selectNamed (scenarios: readonly Scenario[], name: string, kind: Kind): Scenario | Refusal {
  const scenario = findScenario(scenarios, name)
  if (typeof scenario === 'string') {
    return { code: 'INVALID', message: `X-Momock-Scenario: ${scenario}` }
  }
  if (kind !== kinds.checkout && !isPossible(scenario, kind)) {
    const able = payableKinds.filter((name) => isPossible(scenario, kinds[name]))
    return {
      code: 'INVALID',
      message: `X-Momock-Scenario: '${name}' is for ${able.join(', ')}, not for a ${kind.name}`
    }
  }
  return scenario
}

/** The sandbox table: a number completes, fails with a code, or is never heard of again. */
function selectByTestNumber (
  input: SelectionInput,
  catalogue: Catalogue
): Omit<SelectedScript, 'usedScenarios'> | undefined {
  const {
    kind,
    details: { phoneNumber }
  } = input
  const outcome = catalogue.testOutcome(kind.name, phoneNumber)
  if (outcome === undefined) return undefined
  if (outcome === 'COMPLETED' && waitForCustomer(input, catalogue) !== undefined) return undefined
  return { ...testNumberScript(outcome), why: `${phoneNumber} is a sandbox test number` }
}

/**
 * What becomes of a payment of which nobody says anything: it completes, at once or when its
 * customer says so.
 */
function selectDefault (
  input: SelectionInput,
  catalogue: Catalogue
): Omit<SelectedScript, 'usedScenarios'> {
  return waitForCustomer(input, catalogue) ?? { ...completeScript, why: 'nothing else matched' }
}

/** How a deposit that would complete by itself waits for its customer instead, if it does. */
function waitForCustomer (
  { account, generation, kind, details: { attended, provider } }: SelectionInput,
  { providers }: Catalogue
): Omit<SelectedScript, 'usedScenarios'> | undefined {
  if (kind.name !== 'deposit') return undefined
  if (account.settings.approval === 'phone') {
    return { ...waitScript, why: "the account's approval is 'phone'" }
  }
  // The earlier generation has no address to send them to.
  const isElsewhere =
    attended === true &&
    generation === 'v2' &&
    providers.get(provider)?.authType === 'REDIRECT_AUTH'
  return isElsewhere
    ? { ...waitWithTimeoutScript, why: 'its customer is there to authorise it' }
    : undefined
}

type ScenarioOrigin = Extract<PlanOrigin, 'named' | 'added' | 'file'>

/** Reason for choosing a scenario, as the history of a payment shows it. */
const reasons: Record<ScenarioOrigin, string> = {
  named: 'the request named it',
  added: 'it was added for the account and matches',
  file: 'its file matches'
}

/** What a scenario says of a payment, and of the answer to it. */
function followScenario (
  scenario: Scenario,
  origin: ScenarioOrigin,
  uses: string[],
  input: SelectionInput,
  catalogue: Catalogue,
  chance: Chance
): SelectedScript | Refusal {
  const why = reasons[origin]
  const { name, effect, latency } = scenario
  const latencyMs =
    latency === undefined
      ? undefined
      : typeof latency === 'number'
        ? latency
        : drawBetween(scenario, latency, input, chance, uses)
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
  const steps =
    effect.steps ?? (selectByTestNumber(input, catalogue) ?? selectDefault(input, catalogue)).steps
  return {
    origin,
    name,
    why,
    steps,
    usedScenarios: uses,
    ...behaviour,
    ...(scenario.callback !== undefined && { callback: scenario.callback }),
    ...(fault !== undefined && { fault })
  }
}

/** Something between two bounds; the seed and how often it was drawn decide what. */
function drawBetween (
  scenario: Scenario,
  { from, to }: { from: number; to: number },
  { used, account }: SelectionInput,
  chance: Chance,
  uses: string[]
): number {
  const draws = `${counterOf(scenario, account)}~`
  uses.push(draws)
  return Math.round(from + (to - from) * chance(`${scenario.seed}\n${used(draws)}`))
}

function firstReady (
  scenarios: readonly Scenario[],
  input: SelectionInput,
  chance: Chance,
  uses: string[]
): Scenario | undefined {
  const { kind, generation, details } = input
  return scenarios.find(
    (scenario) =>
      isAbout(scenario, kind, generation, details) && isReady(scenario, input, chance, uses)
  )
}

/**
 * A scenario may be used up, and one that is left to chance may pass; its seed and how often it was
 * asked decide that.
 */
function isReady (
  scenario: Scenario,
  { account, used, details }: SelectionInput,
  chance: Chance,
  uses: string[]
): boolean {
  const { times, per, probability, seed } = scenario
  // Most are always ready, and then it need not be known where they come from.
  if (times === undefined && per === undefined && probability === undefined) return true
  const name = counterOf(scenario, account)
  const counter = per === undefined ? name : `${name}#${details.id}`
  if (times !== undefined && used(counter) >= times) return false
  if (per !== undefined) uses.push(counter)
  if (probability === undefined) return true
  const draws = `${name}?`
  uses.push(draws)
  return chance(`${seed}\n${used(draws)}`) < probability
}
