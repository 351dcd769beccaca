import { parseDuration } from '../lib/duration.ts'
import type { Catalogue, Provider, TestOutcome } from '../domain/catalogue.ts'
import { failureReason } from '../domain/failures.ts'
import type { Plan, PlanOrigin } from '../domain/plan.ts'
import { scheduleSteps } from '../domain/plan.ts'
import {
  completeSteps,
  expiringSteps,
  failSteps,
  promptStep,
  type ScriptStep
} from '../domain/scenario.ts'
import { isFinal } from '../domain/status.ts'

/** Built-in scripts: the steps of a payment that no scenario matches. */
export interface Script {
  origin: PlanOrigin
  name: string
  steps: readonly ScriptStep[]
}

/** Leaves ACCEPTED within 100 ms and completes within a second. */
export const completeScript: Script = {
  origin: 'default',
  name: 'default',
  steps: completeSteps
}

/** Waits for the customer without a limit. */
export const waitScript: Script = {
  origin: 'customer',
  name: 'waits-for-customer',
  steps: [promptStep]
}

/** Failure of a customer who was sent to an authorisation page and did not answer in 15 minutes. */
const walksAway = {
  after: 15 * 60_000,
  to: 'FAILED',
  failureCode: 'PAYMENT_NOT_APPROVED'
} satisfies ScriptStep

/** Waits for the customer for 15 minutes. */
export const waitWithTimeoutScript: Script = {
  origin: 'customer',
  name: 'waits-for-customer',
  steps: [promptStep, walksAway]
}

/** Time after which a prompt expires, unless the catalogue has another for the provider. */
const promptExpiry = '5m'

const promptSteps = new Map<string, readonly ScriptStep[]>()

/** Returns the steps of a deposit whose prompt expires like those of its provider. */
export function expireWithProvider (
  after: Provider['promptExpiresAfter'] = promptExpiry
): readonly ScriptStep[] {
  const key = String(after)
  const steps = promptSteps.get(key) ?? expiringSteps(parseDuration(key) as number)
  promptSteps.set(key, steps)
  return steps
}

/** Makes the script of a sandbox test number. */
export function makeTestNumberScript (outcome: TestOutcome): Script {
  return { origin: 'testNumber', name: `test-number:${outcome}`, steps: outcomeSteps(outcome) }
}

/** Names that payments have as their scenario, although there is no scenario of this name. */
export function scriptNames ({ testOutcomes }: Catalogue): string[] {
  const outcomes = Object.values(testOutcomes).flatMap((numbers) => [...numbers.values()])
  return [
    completeScript.name,
    'production',
    waitScript.name,
    'checkout',
    'split payment',
    'fixture',
    ...new Set(outcomes.map((outcome) => makeTestNumberScript(outcome).name))
  ]
}

/** Steps of a test number: it completes, stays in PROCESSING, or fails with a code. */
function outcomeSteps (outcome: TestOutcome): readonly ScriptStep[] {
  if (outcome === 'COMPLETED') return completeScript.steps
  if (outcome === 'PENDING') return [promptStep]
  return failSteps(outcome)
}

/** Changes a plan that would end by itself: the customer is on the page, so it waits for them. */
export function attendedScript (plan: Plan, now: number): Plan {
  const steps = plan.steps.filter(({ to }) => !isFinal(to))
  const { after, to, failureCode } = walksAway
  return {
    ...plan,
    origin: waitWithTimeoutScript.origin,
    scenario: waitWithTimeoutScript.name,
    why: 'its customer has opened the page to authorise it',
    steps: [...steps, ...scheduleSteps([{ after, to, failure: failureReason(failureCode) }], now)]
  }
}
