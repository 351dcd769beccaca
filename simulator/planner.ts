import type { Account } from '../src/domain/account.ts'
import type { CustomerChoice } from '../src/domain/customer-choice.ts'
import { checkoutAttempt } from '../src/domain/customer-choice.ts'
import { kinds } from '../src/domain/kinds.ts'
import type { Checkout, Payment } from '../src/domain/payment.ts'
import type { Child, Draft } from '../src/ports/ledger.ts'
import { isRefusal, type Refusal } from '../src/domain/refusal.ts'
import { judgePayment } from '../src/domain/rules.ts'
import { draftPayment, idChoices, type PlanningContext } from './drafts.ts'
import { selectPartScript, selectScript } from '../src/scenarios/scenario-selection.ts'

/** Plans of payments that are parts of others: payouts of split payments, attempts of checkouts. */

/**
 * Draft parts of a payout that begins, or the refusal if its provider no longer takes it. `used`
 * counts the uses of a scenario.
 */
export function beginPayout (
  account: Account,
  { details, version }: Payment,
  now: number,
  context: PlanningContext,
  used: (scenario: string) => number
): Pick<Draft, 'plan' | 'postings' | 'due' | 'usedScenarios'> | Refusal {
  const kind = kinds.payout
  const versionRules = context.versionRules[version]
  const judged = judgePayment(kind, details, {
    account,
    catalogue: context.catalogue,
    versionRules
  })
  if (isRefusal(judged)) return judged
  const payout = { account, version, kind, details, used, now }
  const script = selectPartScript(payout, context)
  const { plan, postings, due, usedScenarios } = draftPayment({ ...payout, script }, context)
  return {
    plan,
    postings,
    ...(due !== undefined && { due }),
    ...(usedScenarios !== undefined && { usedScenarios })
  }
}

/** Attempt of a customer to pay a checkout. */
export interface Attempt {
  account: Account
  checkout: Checkout
  choice: CustomerChoice
  /** Scenario that the request names. */
  scenario?: string
  /** Time on the account's clock. */
  now: number
  /** First of the identifiers that no deposit has. */
  freeId: string | undefined
}

/** Lists identifiers for the next attempt of a checkout, the best first. */
export function listAttemptIds (
  { name }: Account,
  { details, moves }: Checkout,
  { ids }: Pick<PlanningContext, 'ids'>
): string[] {
  const tried = moves.filter(({ to }) => to === 'PROCESSING').length
  return Array.from({ length: idChoices }, (_, choice) =>
    ids.attempt(name, details.id, tried + 1, choice)
  )
}

/** Draft of the next attempt of a checkout. */
export function draftAttempt (
  { account, checkout: { details: checkout, version }, choice, ...attempt }: Attempt,
  context: PlanningContext
): Child | Refusal {
  const { now, freeId: id, scenario } = attempt
  const kind = kinds.deposit
  const { catalogue } = context
  if (id === undefined) throw new Error(`no identifier is free for an attempt of ${checkout.id}`)
  const request = checkoutAttempt(checkout, id, choice, catalogue)
  if (isRefusal(request)) return request
  const rules = { account, catalogue, versionRules: context.versionRules[version] }
  const details = judgePayment(kind, request, rules)
  if (isRefusal(details)) return details
  const used = (scenario: string): number => context.used(account.id, scenario)
  const deposit = { account, version, kind, details, used, now, scenario }
  // A scenario that rejects the deposit of a merchant also rejects that of a customer.
  const script = selectScript(deposit, context)
  return isRefusal(script) ? script : { kind, draft: draftPayment({ ...deposit, script }, context) }
}
