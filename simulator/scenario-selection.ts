import type { Account } from '../src/domain/account.ts'
import type { Ids } from '../src/lib/ids.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import { failureReason } from '../src/domain/failures.ts'
import type { PlanOrigin, StatusCheckFault, SuspiciousActivity } from '../src/domain/plan.ts'
import type { FailureReason } from '../src/domain/status.ts'
import { kinds, type Kind, type KindName } from '../src/domain/kinds.ts'
import { isRefusal, refuse, type Refusal } from '../src/domain/refusal.ts'
import type { CallbackFault } from '../src/domain/callback-faults.ts'
import type { PaymentDetails } from '../src/domain/payment-request.ts'
import type { ApiVersion, Generation } from '../src/domain/api-version.ts'
import type { ResponseBehaviour } from '../src/domain/response-behaviour.ts'
import type { MatchedDetails, Scenario, ScriptStep } from '../src/domain/scenario.ts'
import { isAbout, toList } from '../src/domain/scenario.ts'
import { isPossible } from '../src/domain/script-checks.ts'
import { payableKinds, type ScenarioSubject } from '../src/domain/scenario-file.ts'
import { findScenario } from './scenario-files.ts'
import { completeScript, testNumberScript, waitScript, waitWithTimeoutScript } from './script.ts'

/** Script selected for a payment. */
export interface SelectedScript extends ResponseBehaviour {
  origin: PlanOrigin
  name: string
  why: string
  steps: readonly ScriptStep[]
  callback?: CallbackFault
  statusCheck?: StatusCheckFault
  suspiciousActivityReport?: SuspiciousActivity[]
  /** Counted scenarios that the selection used. */
  usedScenarios: string[]
}

/** What the selection depends on: the payment. */
export interface SelectionInput {
  account: Account
  generation: Generation
  kind: Kind
  details: PaymentDetails
  /** Scenario that the request names. */
  scenario?: string
  /** Number of uses of a counted scenario on the account. */
  used: (scenario: string) => number
}

/** What the selection depends on: the server. */
export interface SelectionContext {
  catalogue: Catalogue
  scenarios: readonly Scenario[]
  versions: Record<Generation, ApiVersion>
  ids: Pick<Ids, 'chance'>
}

/**
 * Selects the script of a payment: the scenario that the request names, a scenario added for the
 * account, a sandbox test number, a scenario file, or the built-in script.
 */
export function selectScript (
  input: SelectionInput,
  context: SelectionContext
): SelectedScript | Refusal {
  const { account, scenario: name } = input
  const { scenarios } = context
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
      context
    )
  const added = addedScenarios(account)
  if (name !== undefined) {
    const scenario = selectNamed([...added, ...scenarios], name, input.kind)
    if (isRefusal(scenario)) return scenario
    // A scenario that is used up counts as not named.
    if (isReady(scenario, input, context, uses)) {
      const counted = scenario.times !== undefined || added.includes(scenario)
      return carryOut(scenario, 'named', counted)
    }
  }
  const rule = firstReady(added, input.kind.name, input, context, uses)
  if (rule !== undefined) return carryOut(rule, 'added', true)
  const usual = selectByTestNumber(input, context)
  if (usual !== undefined) return { ...usual, usedScenarios: uses }
  const file = firstReady(scenarios, input.kind.name, input, context, uses)
  if (file !== undefined) return carryOut(file, 'file', file.times !== undefined)
  return { ...selectDefault(input, context), usedScenarios: uses }
}

/** Selects the script of a part. It was accepted with the whole, so no scenario can refuse it. */
export function selectPartScript (
  input: SelectionInput,
  context: SelectionContext
): SelectedScript {
  const { scenario: _, ...part } = input
  const script = selectScript(part, context)
  return isRefusal(script) ? { ...completeScript, why: script.message, usedScenarios: [] } : script
}

/**
 * Refuses a scenario that a request names and that does not exist or is not for this kind. A
 * checkout follows no scenario, but the name must exist.
 */
export function refuseScenario (
  scenarios: readonly Scenario[],
  account: Account,
  name: string,
  kind: Kind
): Refusal | undefined {
  const scenario = selectNamed([...addedScenarios(account), ...scenarios], name, kind)
  return isRefusal(scenario) ? scenario : undefined
}

/** Input for the selection of a failure: a checkout or a statement. */
export interface FailureInput {
  account: Account
  generation: Generation
  subject: 'checkout' | 'statement'
  details: MatchedDetails & { id: string }
  /** Scenario that the request names. */
  scenario?: string
  /** Number of uses of a counted scenario on the account. */
  used: (scenario: string) => number
}

/** Failure that a scenario wants for a checkout or a statement. */
export interface SelectedFailure {
  after: number
  failure: FailureReason
  origin: PlanOrigin
  name: string
  why: string
  usedScenarios: string[]
}

/** Selects the failure of a checkout or a statement, or returns undefined if it has none. */
export function selectFailure (
  input: FailureInput,
  context: SelectionContext
): SelectedFailure | undefined {
  const { account, subject, scenario: name } = input
  const added = addedScenarios(account)
  const all = [...added, ...context.scenarios]
  const uses: string[] = []
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

function selectNamed (
  scenarios: readonly Scenario[],
  name: string,
  kind: Kind
): Scenario | Refusal {
  const scenario = findScenario(scenarios, name)
  if (typeof scenario === 'string') {
    return refuse('INVALID', `X-Momock-Scenario: ${scenario}`)
  }
  if (kind !== kinds.checkout && !isPossible(scenario, kind)) {
    const able = payableKinds.filter((name) => isPossible(scenario, kinds[name]))
    return refuse(
      'INVALID',
      `X-Momock-Scenario: '${name}' is for ${able.join(', ')}, not for a ${kind.name}`
    )
  }
  return scenario
}

/** The sandbox table: a number completes, fails with a code, or is never heard of again. */
function selectByTestNumber (
  input: SelectionInput,
  context: SelectionContext
): Omit<SelectedScript, 'usedScenarios'> | undefined {
  const {
    kind,
    details: { phoneNumber }
  } = input
  const outcome = context.catalogue.testOutcomes[kind.operation].get(phoneNumber)
  if (outcome === undefined) return undefined
  if (outcome === 'COMPLETED' && waitForCustomer(input, context) !== undefined) return undefined
  return { ...testNumberScript(outcome), why: `${phoneNumber} is a sandbox test number` }
}

/**
 * What becomes of a payment of which nobody says anything: it completes, at once or when its
 * customer says so.
 */
function selectDefault (
  input: SelectionInput,
  context: SelectionContext
): Omit<SelectedScript, 'usedScenarios'> {
  return waitForCustomer(input, context) ?? { ...completeScript, why: 'nothing else matched' }
}

/** How a deposit that would complete by itself waits for its customer instead, if it does. */
function waitForCustomer (
  { account, generation, kind, details: { attended, provider } }: SelectionInput,
  { catalogue, versions }: SelectionContext
): Omit<SelectedScript, 'usedScenarios'> | undefined {
  if (kind.name !== 'deposit') return undefined
  if (account.settings.approval === 'phone') {
    return { ...waitScript, why: "the account's approval is 'phone'" }
  }
  const isElsewhere =
    attended === true &&
    versions[generation].can.redirect &&
    catalogue.providers.get(provider)?.authType === 'REDIRECT_AUTH'
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
  context: SelectionContext
): SelectedScript | Refusal {
  const why = reasons[origin]
  const { name, effect, latency } = scenario
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
  const steps =
    effect.steps ?? (selectByTestNumber(input, context) ?? selectDefault(input, context)).steps
  return {
    origin,
    name,
    why,
    steps,
    usedScenarios: uses,
    ...behaviour,
    ...(scenario.statusCheck !== undefined && { statusCheck: scenario.statusCheck }),
    ...(scenario.suspiciousActivityReport !== undefined && {
      suspiciousActivityReport: scenario.suspiciousActivityReport
    }),
    ...(scenario.callback !== undefined && { callback: scenario.callback }),
    ...(fault !== undefined && { fault })
  }
}

/** Something between two bounds; the seed and how often it was drawn decide what. */
function drawBetween (
  scenario: Scenario,
  { from, to }: { from: number; to: number },
  { used, account }: SelectionInput,
  { ids }: SelectionContext,
  uses: string[]
): number {
  const draws = `${counterOf(scenario, account)}~`
  uses.push(draws)
  return Math.round(from + (to - from) * ids.chance(`${scenario.seed}\n${used(draws)}`))
}

function firstReady (
  scenarios: readonly Scenario[],
  subject: KindName | ScenarioSubject,
  input: Pick<FailureInput, 'account' | 'generation' | 'details' | 'used'>,
  context: SelectionContext,
  uses: string[]
): Scenario | undefined {
  const { generation, details } = input
  return scenarios.find(
    (scenario) =>
      isAbout(scenario, subject, generation, details) && isReady(scenario, input, context, uses)
  )
}

/**
 * A scenario may be used up, and one that is left to chance may pass; its seed and how often it was
 * asked decide that.
 */
function isReady (
  scenario: Scenario,
  { account, used, details }: Pick<FailureInput, 'account' | 'details' | 'used'>,
  { ids }: SelectionContext,
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
  return ids.chance(`${seed}\n${used(draws)}`) < probability
}
