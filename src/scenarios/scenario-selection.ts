import type { Account } from '../domain/account.ts'
import type { TestOutcome } from '../domain/catalogue.ts'
import { findNearest } from '../lib/validator.ts'
import { kinds, type Kind, type KindName } from '../domain/kinds.ts'
import { isRefusal, refuse, type Refusal } from '../domain/refusal.ts'
import { isAbout, type Scenario, type ScenarioUse } from '../domain/scenario.ts'
import { payableKinds } from '../domain/kinds.ts'
import type { ScenarioSubject } from '../domain/scenario-file.ts'
import { isPossible } from './script-checks.ts'
import {
  counterOf,
  followScenario,
  useCounterOf,
  type ScenarioOrigin
} from './scenario-following.ts'
import { isLikeProduction, selectLikeProduction, selectOutage } from './production.ts'
import {
  completeScript,
  makeTestNumberScript,
  waitScript,
  waitWithTimeoutScript,
  type Script
} from './script.ts'
import type {
  ReadinessInput,
  SelectedScript,
  SelectionContext,
  SelectionInput
} from './selection.ts'

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
  const uses: ScenarioUse[] = []
  const carryOut = (scenario: Scenario, origin: ScenarioOrigin): SelectedScript | Refusal =>
    followScenario(
      scenario,
      origin,
      [...uses, counterOf(scenario, account)],
      () => selectByTestNumber(input, context) ?? selectDefault(input, context),
      input,
      context
    )
  const added = addedScenarios(account)
  if (name !== undefined) {
    const scenario = selectNamed([...added, ...scenarios], name, input.kind)
    if (isRefusal(scenario)) return scenario
    // A scenario that is used up counts as not named.
    if (isReady(scenario, input, context, uses)) return carryOut(scenario, 'named')
  }
  const rule = firstReady(added, input.kind.name, input, context, uses)
  if (rule !== undefined) return carryOut(rule, 'added')
  const usual = selectByTestNumber(input, context)
  if (usual !== undefined) return { ...usual, usedScenarios: uses }
  const file = firstReady(scenarios, input.kind.name, input, context, uses)
  if (file !== undefined) return carryOut(file, 'file')
  const outage = isDecidedByProfile(input) ? selectOutage(input, context) : undefined
  if (outage !== undefined) return outage
  const script = selectDefault(input, context)
  return { ...script, usedScenarios: [...uses, ...script.usedScenarios] }
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

/** Returns the scenario of a name, or an error text for an unknown name. */
function findScenario (scenarios: readonly Scenario[], name: string): Scenario | string {
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

/** Scripts of test numbers, each made once. */
const testNumberScripts = new Map<TestOutcome, Script>()

/** The sandbox table: a number completes, fails with a code, or is never heard of again. */
function selectByTestNumber (
  input: SelectionInput,
  context: SelectionContext
): SelectedScript | undefined {
  const {
    kind,
    details: { phoneNumber }
  } = input
  const outcome = context.catalogue.testOutcomes[kind.operation].get(phoneNumber)
  if (outcome === undefined) return undefined
  if (outcome === 'COMPLETED' && isDecidedByProfile(input)) return undefined
  if (outcome === 'COMPLETED' && waitForCustomer(input, context) !== undefined) return undefined
  let script = testNumberScripts.get(outcome)
  if (script === undefined) {
    testNumberScripts.set(outcome, (script = makeTestNumberScript(outcome)))
  }
  return { ...script, why: `${phoneNumber} is a sandbox test number`, usedScenarios: [] }
}

/**
 * What becomes of a payment of which nobody says anything: it completes, at once or when its
 * customer says so, or it has the fate that the profile of its account draws.
 */
function selectDefault (input: SelectionInput, context: SelectionContext): SelectedScript {
  const waiting = waitForCustomer(input, context)
  if (waiting !== undefined) return waiting
  if (isDecidedByProfile(input)) return selectLikeProduction(input, context)
  return { ...completeScript, why: 'no scenario and no test number matched', usedScenarios: [] }
}

/** A split payment follows its parts, which the profile decides one by one. */
function isDecidedByProfile ({ account, kind }: SelectionInput): boolean {
  return isLikeProduction(account) && kind.money !== 'none'
}

/** How a deposit that would complete by itself waits for its customer instead, if it does. */
function waitForCustomer (
  { account, version, kind, details: { attended, provider } }: SelectionInput,
  { catalogue, versionRules }: SelectionContext
): SelectedScript | undefined {
  if (kind.name !== 'deposit') return undefined
  if (account.settings.approval === 'phone') {
    return { ...waitScript, why: "the account's approval is 'phone'", usedScenarios: [] }
  }
  const isElsewhere =
    attended === true &&
    versionRules[version].can.redirect &&
    catalogue.providers.get(provider)?.authType === 'REDIRECT_AUTH'
  return isElsewhere
    ? { ...waitWithTimeoutScript, why: 'its customer is there to authorise it', usedScenarios: [] }
    : undefined
}

/** Returns the scenarios that were added for an account. */
export function addedScenarios ({ scenarios: rules }: Account): Scenario[] {
  return rules.map(({ scenario }) => scenario)
}

/** Returns the first scenario that matches and can apply. */
export function firstReady (
  scenarios: readonly Scenario[],
  subject: KindName | ScenarioSubject,
  input: ReadinessInput,
  context: SelectionContext,
  uses: ScenarioUse[]
): Scenario | undefined {
  const { version, details } = input
  return scenarios.find(
    (scenario) =>
      isAbout(scenario, subject, version, details) && isReady(scenario, input, context, uses)
  )
}

/**
 * A scenario may be used up or over, it may not be its turn, and one that is left to chance may
 * pass; its seed and how often it was asked decide that.
 */
export function isReady (
  scenario: Scenario,
  input: Omit<ReadinessInput, 'version'>,
  { ids }: SelectionContext,
  uses: ScenarioUse[]
): boolean {
  // Most are always ready, and then it need not be known where they come from.
  if (scenario.isSelective !== true) return true
  const { times, per, probability, seed, every } = scenario
  const { account, used } = input
  const name = counterOf(scenario, account)
  const counter = useCounterOf(scenario, input)
  if (times !== undefined && used(counter) >= times) return false
  if (isOver(scenario, name, input)) return false
  if (every !== undefined) {
    uses.push(`${name}%`)
    if ((used(`${name}%`) + 1) % every !== 0) return false
  }
  if (per !== undefined) uses.push(counter)
  if (probability !== undefined) {
    uses.push(`${name}?`)
    if (ids.chance(`${seed}\n${used(`${name}?`)}`) >= probability) return false
  }
  if (scenario.forMs !== undefined) uses.push({ counter: `${name}@`, since: input.now })
  return true
}

/** Tells whether the time of a scenario is over. It begins with its addition or its first use. */
function isOver (
  { forMs }: Scenario,
  name: string,
  { account, used, now }: Omit<ReadinessInput, 'version'>
): boolean {
  if (forMs === undefined) return false
  const added = account.scenarios.find(({ scenario }) => scenario.name === name)
  const since = added?.since ?? used(`${name}@`)
  return since !== 0 && now >= since + forMs
}
