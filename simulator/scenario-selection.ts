import type { Account } from '../src/domain/account.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import { isFailureCode } from '../src/domain/failures.ts'
import { kinds, type Kind } from '../src/domain/kinds.ts'
import type { CallbackDrill, Details, Generation } from '../src/domain/payment.ts'
import type { Manner, Refusal } from '../src/domain/refusal.ts'
import type { Scenario, ScriptStep } from '../src/domain/scenario.ts'
import { isAbout, isPossible, payableKinds } from '../src/domain/scenario.ts'
import { byName } from './scenario-files.ts'
import { completes, fails, hangs, testNumber, waits, waitsAwhile } from './script.ts'

/** What was chosen for a payment, and why; and which counted scenarios that used. */
export interface Choice extends Manner {
  name: string
  why: string
  steps: readonly ScriptStep[]
  callback?: CallbackDrill
  uses: string[]
}

/** What a choice depends on. */
export interface Situation {
  account: Account
  generation: Generation
  kind: Kind
  details: Details
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
export function chooser (
  catalogue: Catalogue,
  scenarios: readonly Scenario[],
  chance: Chance
): (situation: Situation) => Choice | Refusal {
  return (situation) => {
    const { account, named } = situation
    const uses: string[] = []
    const carryOut = (scenario: Scenario, why: string, counted: boolean): Choice | Refusal =>
      tell(
        scenario,
        why,
        counted ? [...uses, counterOf(scenario, account)] : uses,
        situation,
        catalogue,
        chance
      )
    const added = addedTo(account)
    if (named !== undefined) {
      const scenario = byRequest([...added, ...scenarios], named, situation.kind)
      if ('code' in scenario) return scenario
      // One that is used up is as good as not named.
      if (isReady(scenario, situation, chance, uses)) {
        return carryOut(
          scenario,
          'the request named it',
          scenario.times !== undefined || added.includes(scenario)
        )
      }
    }
    const rule = firstReady(added, situation, chance, uses)
    if (rule !== undefined) return carryOut(rule, 'it was added for the account and matches', true)
    const usual = byNumber(situation, catalogue)
    if (usual !== undefined) return { ...usual, uses }
    const file = firstReady(scenarios, situation, chance, uses)
    if (file !== undefined) return carryOut(file, 'its file matches', file.times !== undefined)
    return { ...usually(situation, catalogue), uses }
  }
}

/**
 * Why a request cannot have the scenario it names, whatever else is in it; nothing, if it can. A
 * checkout follows none, but it must exist.
 */
export function whyNot (
  scenarios: readonly Scenario[],
  account: Account,
  name: string,
  kind: Kind
): Refusal | undefined {
  const scenario = byRequest([...addedTo(account), ...scenarios], name, kind)
  return 'code' in scenario ? scenario : undefined
}

function addedTo ({ rules }: Account): Scenario[] {
  return rules.map(({ scenario }) => scenario)
}

/**
 * What the uses of a scenario are counted by: one that was added, and a file of the same name, each
 * on its own.
 */
function counterOf (scenario: Scenario, { rules }: Account): string {
  return rules.some((rule) => rule.scenario === scenario) ? scenario.name : `file:${scenario.name}`
}

function byRequest (scenarios: readonly Scenario[], name: string, kind: Kind): Scenario | Refusal {
  const scenario = byName(scenarios, name)
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
function byNumber (situation: Situation, catalogue: Catalogue): Omit<Choice, 'uses'> | undefined {
  const {
    kind,
    details: { phoneNumber }
  } = situation
  const outcome = catalogue.testOutcome(kind.name, phoneNumber)
  if (outcome === undefined) return undefined
  const isGood = outcome !== 'PENDING' && !isFailureCode(outcome)
  if (isGood && patience(situation, catalogue) !== undefined) return undefined
  const script = outcome === 'PENDING' ? hangs : isFailureCode(outcome) ? fails(outcome) : completes
  return {
    name: `${testNumber}:${outcome}`,
    why: `${phoneNumber} is a sandbox test number`,
    steps: script.steps
  }
}

/**
 * What becomes of a payment of which nobody says anything: it completes, at once or when its
 * customer says so.
 */
function usually (situation: Situation, catalogue: Catalogue): Omit<Choice, 'uses'> {
  return patience(situation, catalogue) ?? { ...completes, why: 'nothing else matched' }
}

/** How a deposit that would complete by itself waits for its customer instead, if it does. */
function patience (
  { account, generation, kind, details: { attended, provider } }: Situation,
  { providers }: Catalogue
): Omit<Choice, 'uses'> | undefined {
  if (kind.name !== 'deposit') return undefined
  if (account.settings.approval === 'phone') {
    return { ...waits, why: "the account's approval is 'phone'" }
  }
  // The earlier generation has no address to send them to.
  const isElsewhere =
    attended === true &&
    generation === 'v2' &&
    providers.get(provider)?.authType === 'REDIRECT_AUTH'
  return isElsewhere ? { ...waitsAwhile, why: 'its customer is there to authorise it' } : undefined
}

/** What a scenario says of a payment, and of the answer to it. */
function tell (
  scenario: Scenario,
  why: string,
  uses: string[],
  situation: Situation,
  catalogue: Catalogue,
  chance: Chance
): Choice | Refusal {
  const { name, deed, latency } = scenario
  const latencyMs =
    latency === undefined
      ? undefined
      : typeof latency === 'number'
        ? latency
        : drawn(scenario, latency, situation, chance, uses)
  const manner: Manner = { ...(latencyMs !== undefined && { latencyMs }) }
  if ('reject' in deed) {
    return {
      code: 'SCRIPTED_REJECTION',
      as: deed.reject,
      message: `rejected with ${deed.reject} by scenario '${name}', because ${why}`,
      uses,
      manner
    }
  }
  if ('http' in deed) {
    return {
      code: 'SCRIPTED_ERROR',
      status: deed.http,
      message: `answered with ${deed.http} by scenario '${name}', because ${why}`,
      uses,
      manner
    }
  }
  const { fault } = deed
  if (fault === 'reset') {
    return {
      code: 'SCRIPTED_ERROR',
      message: `reset by scenario '${name}', because ${why}`,
      uses,
      manner: { ...manner, fault }
    }
  }
  const steps =
    deed.steps ?? (byNumber(situation, catalogue) ?? usually(situation, catalogue)).steps
  return {
    name,
    why,
    steps,
    uses,
    ...manner,
    ...(scenario.callback !== undefined && { callback: scenario.callback }),
    ...(fault !== undefined && { fault })
  }
}

/** Something between two bounds; the seed and how often it was drawn decide what. */
function drawn (
  scenario: Scenario,
  { from, to }: { from: number; to: number },
  { used, account }: Situation,
  chance: Chance,
  uses: string[]
): number {
  const draws = `${counterOf(scenario, account)}~`
  uses.push(draws)
  return Math.round(from + (to - from) * chance(`${scenario.seed}\n${used(draws)}`))
}

function firstReady (
  scenarios: readonly Scenario[],
  situation: Situation,
  chance: Chance,
  uses: string[]
): Scenario | undefined {
  const { kind, generation, details } = situation
  return scenarios.find(
    (scenario) =>
      isAbout(scenario, kind, generation, details) && isReady(scenario, situation, chance, uses)
  )
}

/**
 * A scenario may be used up, and one that is left to chance may pass; its seed and how often it was
 * asked decide that.
 */
function isReady (
  scenario: Scenario,
  { account, used, details }: Situation,
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
