import type { Account } from '../domain/account.ts'
import type { CallbackFault } from '../domain/callback-faults.ts'
import type { FailureCode } from '../domain/failures.ts'
import { refuse, type Refusal } from '../domain/refusal.ts'
import { promptStep, type ScriptStep } from '../domain/scenario.ts'
import { expireWithProvider } from './script.ts'
import type { SelectedScript, SelectionContext, SelectionInput } from './selection.ts'

/**
 * The profile 'production' of an account: what becomes of payments that nothing else decides.
 * docs/scenarios.md has the figures.
 */

/** Counter of the payments that the profile has decided. Each has draws of its own. */
const counter = 'profile production'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Hours of a provider that begin with an outage, and how long it lasts. */
const outageShare = 0.03
const outageMs = 10 * minute

type Share = [share: number, code: FailureCode]

const depositFailures: Share[] = [
  [0.08, 'PAYMENT_NOT_APPROVED'],
  [0.05, 'INSUFFICIENT_BALANCE'],
  [0.02, 'PAYER_LIMIT_REACHED'],
  [0.01, 'PAYER_NOT_FOUND'],
  [0.01, 'PAYMENT_IN_PROGRESS'],
  [0.01, 'UNSPECIFIED_FAILURE']
]
const outgoingFailures: Share[] = [
  [0.02, 'RECIPIENT_NOT_FOUND'],
  [0.01, 'RECIPIENT_LIMIT_REACHED'],
  [0.01, 'UNSPECIFIED_FAILURE']
]

/** Customers take up to a minute to approve; out-payments need some seconds. */
const durations = {
  in: { from: second, to: minute },
  out: { from: second, to: 10 * second }
}

const lateShare = 0.05
const lateBy = { from: minute, to: 10 * minute }
const twiceShare = 0.03

export function isLikeProduction ({ settings }: Pick<Account, 'settings'>): boolean {
  return settings.profile === 'production'
}

/** Refuses a payment during an outage of its provider, and says until when the outage lasts. */
export function selectOutage (
  { account, details: { provider }, now }: SelectionInput,
  { ids }: SelectionContext
): Refusal | undefined {
  const began = now - (now % hour)
  const until = began + outageMs
  if (now >= until) return undefined
  const chance = ids.chance(`outage\n${account.name}\n${provider}\n${began}`)
  if (chance >= outageShare) return undefined
  const message = `${provider} is CLOSED until ${new Date(until).toISOString()}`
  return { ...refuse('PROVIDER_UNAVAILABLE', message, 'provider'), outage: { provider, until } }
}

/** Selects what becomes of a payment. The same seed and the same payments give the same day. */
export function selectLikeProduction (
  { account, kind, details, used }: SelectionInput,
  { catalogue, ids }: SelectionContext
): SelectedScript {
  const n = used(counter)
  const draw = (what: string): number => ids.chance(`${what}\n${account.name}\n${n}`)
  const between = (what: string, { from, to }: { from: number; to: number }): number =>
    Math.round(from + (to - from) * draw(what))
  const isDeposit = kind.money === 'in'
  const failureCode = pick(isDeposit ? depositFailures : outgoingFailures, draw('failure'))
  const after = between('duration', durations[isDeposit ? 'in' : 'out'])
  const provider = catalogue.providers.get(details.provider)
  const callback: CallbackFault = {
    ...(draw('late') < lateShare && { delayMs: between('late by', lateBy) }),
    ...(draw('twice') < twiceShare && { duplicates: 1 })
  }
  return {
    origin: 'default',
    name: 'production',
    why: "the account's profile is 'production'",
    steps:
      failureCode === 'PAYMENT_NOT_APPROVED'
        ? expireWithProvider(provider?.promptExpiresAfter)
        : [promptStep, lastStep(after, fitting(failureCode, kind.name))],
    usedScenarios: [counter],
    ...(Object.keys(callback).length > 0 && { callback })
  }
}

function lastStep (after: number, failureCode: FailureCode | undefined): ScriptStep {
  return failureCode === undefined
    ? { after, to: 'COMPLETED' }
    : { after, to: 'FAILED', failureCode }
}

function pick (shares: Share[], draw: number): FailureCode | undefined {
  let end = 0
  return shares.find(([share]) => draw < (end += share))?.[1]
}

/** A refund names no recipient, so that none can be unknown. */
function fitting (
  code: FailureCode | undefined,
  kind: SelectionInput['kind']['name']
): FailureCode | undefined {
  return kind === 'refund' && code === 'RECIPIENT_NOT_FOUND' ? 'UNSPECIFIED_FAILURE' : code
}
