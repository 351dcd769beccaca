import type { Account } from '../src/domain/account.ts'
import { availabilityOf } from '../src/domain/rules.ts'
import type { VersionRules, Version } from '../src/domain/api-version.ts'
import type { Kind } from '../src/domain/kinds.ts'
import { failureReason } from '../src/domain/failures.ts'
import { kinds } from '../src/domain/kinds.ts'
import { postingsFor } from '../src/domain/money.ts'
import type {
  CheckoutDetails,
  PaymentDetails,
  PaymentRequest
} from '../src/domain/payment-request.ts'
import type { DelayedStep, Plan } from '../src/domain/plan.ts'
import { nextDue, scheduleSteps } from '../src/domain/plan.ts'
import type { Child, Draft } from '../src/ports/ledger.ts'
import type { ScriptStep } from '../src/domain/scenario.ts'
import type { Ids } from '../src/lib/ids.ts'
import type { Listeners } from '../src/listening/listeners.ts'
import { checkoutPlan } from './checkouts.ts'
import type { SelectedFailure } from '../src/scenarios/scenario-failure.ts'
import { selectPartScript } from '../src/scenarios/scenario-selection.ts'
import type { SelectedScript, SelectionContext } from '../src/scenarios/selection.ts'

/** Drafts of payments: details, plan, postings and parts, ready to be stored. */

/**
 * Number of identifiers that are tried for a deposit that the server creates itself. A merchant
 * could have used one of them before.
 */
export const idChoices = 8

/** URLs that customers are sent to. */
export interface LinkBuilders {
  /** Page on which the customer authorises a deposit. */
  authorise: (code: string) => string
  /** Page on which the customer of a checkout pays. */
  checkout: (code: string) => string
}

/** Parts of the server that decisions and plans depend on. */
export interface PlanningContext extends SelectionContext {
  ids: Ids
  links: LinkBuilders
  /** Programs that fetch callbacks: an account with one needs no callback URL. */
  listeners: Listeners
  versionRules: Record<Version, VersionRules>
  /** Number of uses of a counted scenario on an account. */
  used: (account: number, scenario: string) => number
}

/** Request to initiate a payment. */
export interface InitiationRequest {
  account: Account
  version: Version
  kind: Kind
  request: PaymentRequest
  /** Scenario that the request names. */
  scenario?: string
  /** Time on the account's clock. */
  now: number
}

interface PaymentToDraft extends Omit<InitiationRequest, 'request' | 'scenario'> {
  details: PaymentDetails
  script: SelectedScript
  used: (scenario: string) => number
  /** Free identifier for the deposit of a split payment. */
  partId?: string
}

/** Draft of a payment that passed all rules, with its parts. */
export function draftPayment (payment: PaymentToDraft, context: PlanningContext): Draft {
  const { account, version, kind, script, now } = payment
  const code = authorisationCode(payment, context)
  const details =
    code === undefined
      ? payment.details
      : { ...payment.details, authorizationUrl: context.links.authorise(code) }
  const plan = buildPlan({ ...payment, details }, context)
  const due = nextDue({ plan, moves: [] }, account.clock.mode === 'frozen')
  const draft: Draft = {
    version,
    created: now,
    details,
    plan,
    // Only a payment to a customer takes money when it is accepted.
    postings: kind.money === 'out' ? postingsFor(kind, details, 'ACCEPTED') : []
  }
  if (due !== undefined) draft.due = due
  if (code !== undefined) draft.link = code
  if (script.usedScenarios.length > 0) draft.usedScenarios = script.usedScenarios
  if ((script.fault ?? script.latencyMs) !== undefined) {
    draft.behaviour = { fault: script.fault, latencyMs: script.latencyMs }
  }
  if (kind.stateMachine === 'split') draft.children = draftParts({ ...payment, details }, context)
  return draft
}

/** Draft of a checkout. It expires, unless a scenario lets it fail. */
export function draftCheckout (
  { account, version, kind, now }: InitiationRequest,
  details: CheckoutDetails,
  failure: SelectedFailure | undefined,
  { ids }: PlanningContext
): Draft {
  const expiresAt = now + details.terms.expiresAfter * 60_000
  const plan = checkoutPlan(
    expiresAt,
    transactionId(ids, account.name, kind, details.id),
    failure && { ...failure, at: now + failure.after }
  )
  const usedScenarios = failure?.usedScenarios ?? []
  return {
    version,
    created: now,
    details,
    plan,
    postings: [],
    due: plan.steps[0].at,
    link: details.checkoutCode,
    ...(usedScenarios.length > 0 && { usedScenarios })
  }
}

/** Drafts of the parts of a split payment: its deposit, and the payouts that wait for it. */
function draftParts (split: PaymentToDraft, context: PlanningContext): Child[] {
  const { account, version, now } = split
  const { ids, catalogue } = context
  const { splits = [], ...details } = split.details
  if (split.partId === undefined) {
    throw new Error(`no identifier is free for a part of ${details.id}`)
  }
  const deposit = {
    ...split,
    kind: kinds.deposit,
    details: { ...details, id: split.partId, silent: true }
  }
  const script = selectPartScript(deposit, context)
  const payouts = splits.map(({ payoutId, ...part }): Child => ({
    kind: kinds.payout,
    draft: {
      version,
      created: now,
      details: {
        id: payoutId,
        currency: details.currency,
        country: catalogue.providers.get(part.provider)?.country ?? details.country,
        customerMessage: details.customerMessage,
        ...part
      },
      plan: {
        origin: 'waitingPart',
        scenario: 'split payment',
        why: 'it waits for the deposit of its split payment',
        steps: [],
        providerTransactionId: transactionId(
          ids,
          account.name,
          kinds.payout,
          payoutId,
          part.provider
        )
      },
      postings: []
    }
  }))
  return [{ kind: kinds.deposit, draft: draftPayment({ ...deposit, script }, context) }, ...payouts]
}

/** Returns the code of the authorisation link of a deposit, or undefined without such a page. */
function authorisationCode (
  { account, version, kind, details }: PaymentToDraft,
  { ids, catalogue, versionRules }: PlanningContext
): string | undefined {
  const redirects =
    kind === kinds.deposit &&
    versionRules[version].can.redirect &&
    catalogue.providers.get(details.provider)?.authType === 'REDIRECT_AUTH'
  return redirects ? ids.secret('authorise', account.name, details.id) : undefined
}

function buildPlan (
  { account, kind, details, script, now }: PaymentToDraft,
  { ids }: PlanningContext
): Plan {
  const { origin, name, why, callback, statusCheck, suspiciousActivityReport } = script
  const steps = planSteps(script.steps).map((step) =>
    withNotification(callback?.beforeAnswer === true ? { ...step, after: 0 } : step, details)
  )
  const base = {
    origin,
    scenario: name,
    why,
    ...(callback !== undefined && { callback }),
    ...(statusCheck !== undefined && { statusCheck }),
    ...(suspiciousActivityReport !== undefined && { suspiciousActivityReport }),
    providerTransactionId: transactionId(ids, account.name, kind, details.id, details.provider)
  }
  // A split payment ends when its parts have ended, so its own plan has only the first step.
  if (kind.stateMachine === 'split') {
    return { ...base, steps: scheduleSteps(steps.slice(0, 1), now) }
  }
  // The rules refuse the other kinds while their provider is DELAYED.
  if (
    kind.stateMachine === 'queueing' &&
    availabilityOf(account, details.provider, kind.operation) === 'DELAYED'
  ) {
    return {
      ...base,
      why: `${details.provider} is DELAYED for ${kind.operation}`,
      steps: [{ at: now, to: 'ENQUEUED' }],
      held: steps.filter(({ to }) => to !== 'ENQUEUED')
    }
  }
  return { ...base, steps: scheduleSteps(steps, now) }
}

const planned = new WeakMap<readonly ScriptStep[], readonly DelayedStep[]>()

/** Steps of a script with failure messages; built once for each script. */
function planSteps (steps: readonly ScriptStep[]): readonly DelayedStep[] {
  let delayed = planned.get(steps)
  if (delayed === undefined) {
    delayed = steps.map(({ failureCode, ...step }) => ({
      ...step,
      ...(failureCode !== undefined && { failure: failureReason(failureCode) })
    }))
    planned.set(steps, delayed)
  }
  return delayed
}

/** Transaction number in the style of the provider: Airtel has its own, the others use UUIDs. */
function transactionId (
  ids: Ids,
  account: string,
  { name }: Kind,
  id: string,
  provider = ''
): string {
  return provider.startsWith('AIRTEL')
    ? `airtel.money.id.${ids.transactionCode(account, name, id)}`
    : ids.transactionUuid(account, name, id)
}

/** Adds a callback to the step that asks the customer to authorise a redirected deposit. */
function withNotification (step: DelayedStep, { authorizationUrl }: PaymentDetails): DelayedStep {
  return authorizationUrl !== undefined && step.to === 'PROCESSING'
    ? { ...step, notify: true }
    : step
}
