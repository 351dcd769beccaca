import type { FailureCode } from '../src/domain/failures.ts'
import { failureReason } from '../src/domain/failures.ts'
import type { DelayedStep, Move, Plan, PlannedLife, Step } from '../src/domain/payment.ts'
import { isFinal, isRecorded, nextStep } from '../src/domain/payment.ts'
import { promptStep, type ScriptStep } from '../src/domain/scenario.ts'

/**
 * A script says what a payment does and when; pure functions turn it into a plan, and a plan into
 * what happens next.
 */

/** A script that comes with the mock. */
interface Script {
  name: string
  steps: readonly ScriptStep[]
}

/** A payment leaves ACCEPTED within a tenth of a second and completes within one. */
export const completeScript: Script = {
  name: 'default',
  steps: [promptStep, { after: 450, to: 'COMPLETED' }]
}

/** Is this what becomes of a payment of which nobody has said anything: it completes? */
export function isUsual (scenario: string): boolean {
  return scenario === completeScript.name || scenario === `${testNumber}:COMPLETED`
}

/** The scenarios of the sandbox test numbers begin with this. */
export const testNumber = 'test-number'

/** It fails, at the same pace. */
export function failScript (failureCode: FailureCode): Script {
  return { name: 'fails', steps: [promptStep, { after: 450, to: 'FAILED', failureCode }] }
}

/** It never ends, and so nothing is ever called back. */
export const hangScript: Script = { name: 'hangs', steps: [promptStep] }

/** Its customer is asked, and it waits until they have decided. */
export const waitScript: Script = { name: 'waits-for-customer', steps: [promptStep] }

/**
 * Who was sent elsewhere to decide, and has not done so after a quarter of an hour, has walked
 * away.
 */
const walksAway: ScriptStep = {
  after: 15 * 60_000,
  to: 'FAILED',
  failureCode: 'PAYMENT_NOT_APPROVED'
}

/** Its customer is sent elsewhere to decide. */
export const waitWithTimeoutScript: Script = {
  name: 'waits-for-customer',
  steps: [promptStep, walksAway]
}

/**
 * A plan that would have ended by itself waits from now on, because the customer is there to
 * decide.
 */
export function attendedScript (plan: Plan, now: number): Plan {
  const steps = plan.steps.filter(({ to }) => !isFinal(to))
  return {
    ...plan,
    scenario: waitWithTimeoutScript.name,
    why: 'its customer has opened the page to authorise it',
    steps: [...steps, ...scheduleSteps(planSteps([walksAway]), now)]
  }
}

const worded = new WeakMap<readonly ScriptStep[], readonly DelayedStep[]>()

/** The steps of a script, with the failure in words; put so once for each script. */
export function planSteps (steps: readonly ScriptStep[]): readonly DelayedStep[] {
  let delayed = worded.get(steps)
  if (delayed === undefined) {
    delayed = steps.map(({ failureCode, ...step }) => ({
      ...step,
      ...(failureCode !== undefined && { failure: failureReason(failureCode) })
    }))
    worded.set(steps, delayed)
  }
  return delayed
}

/** Steps begun at a time: each with the time it falls due. */
export function scheduleSteps (steps: readonly DelayedStep[], start: number): Step[] {
  let at = start
  return steps.map(({ after, to, failure, notify }) => {
    at += after
    const step: Step = { at, to }
    if (failure !== undefined) step.failure = failure
    if (notify !== undefined) step.notify = notify
    return step
  })
}

/**
 * When the next step that has to be recorded falls due; nothing, if the plan holds no more of them.
 * On a clock that a tester moves by hand every step is, so that it can be counted.
 */
export function nextDue (planned: PlannedLife, every = false): number | undefined {
  const { steps } = planned.plan
  for (let i = nextStep(planned); i < steps.length; i++) {
    if (every || isRecorded(steps[i])) return steps[i].at
  }
  return undefined
}

/**
 * Everything the plan has let happen up to `now` that is not in the history yet, up to the first
 * recorded step.
 */
export function movesDue (payment: PlannedLife, now: number): Move[] {
  const { scenario, steps } = payment.plan
  const moves: Move[] = []
  for (let i = nextStep(payment); i < steps.length && steps[i].at <= now; i++) {
    const { at, to, failure } = steps[i]
    moves.push({ at, to, ...(failure !== undefined && { failure }), cause: scenario, step: i })
    if (isRecorded(steps[i])) break
  }
  return moves
}
