import type { Account } from '../src/domain/account.ts'
import type { Catalogue } from '../src/domain/catalog.ts'
import { isFailureCode } from '../src/domain/failures.ts'
import type { Kind } from '../src/domain/kinds.ts'
import type { Details, Generation } from '../src/domain/payment.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import type { Scenario, ScriptStep } from '../src/domain/scenario.ts'
import { isAbout, kindsOf } from '../src/domain/scenario.ts'
import { byName } from './scenarios.ts'
import { completes, fails, hangs } from './script.ts'

/** What was chosen for a payment, and why; and which counted scenarios that used. */
export interface Choice {
  name: string
  why: string
  steps: readonly ScriptStep[]
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

/** Chooses what becomes of a payment: the scenario the request names, one added for the account, a sandbox test number, a scenario file, or that it completes. */
export function chooser (catalogue: Catalogue, scenarios: readonly Scenario[], chance: Chance): (situation: Situation) => Choice | Refusal {
  return (situation) => {
    const { account, kind, details, named } = situation
    const added = account.rules.map(({ scenario }) => scenario)
    if (named !== undefined) return byRequest([...added, ...scenarios], named, kind)
    const uses: string[] = []
    const rule = firstReady(added, situation, chance, uses)
    if (rule !== undefined) return carryOut(rule, 'it was added for the account and matches', [...uses, rule.name])
    const outcome = catalogue.testOutcome(kind.name, details.phoneNumber)
    if (outcome !== undefined) return byNumber(outcome, details.phoneNumber, uses)
    const file = firstReady(scenarios, situation, chance, uses)
    if (file !== undefined) return carryOut(file, 'its file matches', file.times === undefined ? uses : [...uses, file.name])
    return { ...completes, why: 'nothing else matched', uses }
  }
}

function byRequest (scenarios: readonly Scenario[], name: string, kind: Kind): Choice | Refusal {
  const scenario = byName(scenarios, name)
  if (typeof scenario === 'string') return { code: 'INVALID', message: `X-Momock-Scenario: ${scenario}` }
  if (!kindsOf(scenario).includes(kind.name)) return { code: 'INVALID', message: `X-Momock-Scenario: '${name}' is for ${kindsOf(scenario).join(', ')}, not for a ${kind.name}` }
  return carryOut(scenario, 'the request named it', [])
}

/** The sandbox table: a number completes, fails with a code, or is never heard of again. */
function byNumber (outcome: string, phoneNumber: string, uses: string[]): Choice {
  const script = outcome === 'PENDING' ? hangs : isFailureCode(outcome) ? fails(outcome) : completes
  return { name: `test-number:${outcome}`, why: `${phoneNumber} is a sandbox test number`, steps: script.steps, uses }
}

function carryOut ({ name, deed }: Scenario, why: string, uses: string[]): Choice | Refusal {
  if ('reject' in deed) return { code: 'SCRIPTED_REJECTION', as: deed.reject, message: `rejected with ${deed.reject} by scenario '${name}', because ${why}`, uses }
  if ('http' in deed) return { code: 'SCRIPTED_ERROR', status: deed.http, message: `answered with ${deed.http} by scenario '${name}', because ${why}`, uses }
  return { name, why, steps: deed.steps, uses }
}

function firstReady (scenarios: readonly Scenario[], situation: Situation, chance: Chance, uses: string[]): Scenario | undefined {
  const { kind, generation, details } = situation
  return scenarios.find((scenario) => isAbout(scenario, kind, generation, details) && isReady(scenario, situation, chance, uses))
}

/** A scenario may be used up, and one that is left to chance may pass; its seed and how often it was asked decide that. */
function isReady ({ name, times, probability, seed }: Scenario, { used }: Situation, chance: Chance, uses: string[]): boolean {
  if (times !== undefined && used(name) >= times) return false
  if (probability === undefined) return true
  const draws = `${name}?`
  uses.push(draws)
  return chance(`${seed}\n${used(draws)}`) < probability
}
