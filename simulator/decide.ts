import { deletedAccountError } from '../src/domain/refusal.ts'
import { toHundredths } from '../src/domain/amount.ts'
import { judgeCheckout } from '../src/domain/checkout.ts'
import type { Kind } from '../src/domain/kinds.ts'
import type { AnyDetails } from '../src/domain/payment.ts'
import type { PaymentDetails } from '../src/domain/payment-request.ts'
import type { Facts, FactsNeeded } from '../src/domain/facts.ts'
import type { Draft, PaymentDecision } from '../src/ports/ledger.ts'
import { judgeRefund } from '../src/domain/refunds.ts'
import { refuse, type Refusal } from '../src/domain/refusal.ts'
import { judgePayment, type CompleteRequest, type RuleContext } from '../src/domain/rules.ts'
import { judgeSplit } from '../src/domain/splits.ts'
import {
  draftCheckout,
  draftPayment,
  idChoices,
  type InitiationRequest,
  type PlanningContext
} from './drafts.ts'
import { selectFailure } from '../src/scenarios/scenario-failure.ts'
import { selectScript } from '../src/scenarios/scenario-selection.ts'

/** Number of codes that are tried for the link of a checkout. */
const codeChoices = 4

/**
 * Prepares the decision about a request: lists the facts that it needs, which the ledger reads in
 * the same transaction, and returns the function that decides. The time of the account is read with
 * the facts: the clock may have been changed while the request waited.
 */
export function prepareDecision (
  request: Omit<InitiationRequest, 'now'>,
  readNow: () => number,
  context: PlanningContext
): PaymentDecision {
  return {
    needs: listNeededFacts(request, context),
    decide: (facts) => {
      // The account may have been deleted while the request waited for the transaction.
      if (request.account.gone === true) throw deletedAccountError()
      return decide(facts, { ...request, now: readNow() }, context)
    }
  }
}

function listNeededFacts (
  { account, kind, request }: Omit<InitiationRequest, 'now'>,
  { catalogue, ids }: PlanningContext
): FactsNeeded {
  switch (kind.rules) {
    case 'refund':
      return { deposit: request.depositId }
    case 'split':
      return {
        payouts: request.splits?.map(({ payoutId }) => payoutId),
        depositIds: Array.from({ length: idChoices }, (_, choice) =>
          ids.part(account.name, request.id, choice)
        )
      }
    case 'checkout':
      return {
        codes: Array.from({ length: codeChoices }, (_, choice) =>
          ids.checkoutCode(account.name, request.id, choice)
        )
      }
    case 'wallet': {
      if (kind.money !== 'out' || request.currency === undefined) return {}
      const country = catalogue.providers.get(request.provider ?? '')?.country
      return country === undefined ? {} : { wallet: { country, currency: request.currency } }
    }
  }
}

/**
 * Decides about a request of any kind: a draft that can be stored, or a refusal. Pure: the ledger
 * calls it once, with the facts it read.
 */
export function decide (
  facts: Facts,
  initiation: InitiationRequest,
  context: PlanningContext
): Draft | Refusal {
  const { account, version, kind } = initiation
  const rules = {
    account,
    catalogue: context.catalogue,
    versionRules: context.versionRules[version]
  }
  const details = judges[kind.rules](initiation, facts, rules, context)
  if ('code' in details) return details
  if ('checkoutCode' in details) {
    const failure = selectFailure(
      { ...initiation, subject: 'checkout', details, used: facts.used },
      context
    )
    return draftCheckout(initiation, details, failure, context)
  }
  const shortage = kind.money === 'out' ? refuseShortage(details, facts) : undefined
  if (shortage !== undefined) return shortage
  const script = selectScript({ ...initiation, details, used: facts.used }, context)
  if ('code' in script) return script
  const draft = draftPayment(
    { ...initiation, details, script, used: facts.used, partId: facts.freeDepositId },
    context
  )
  if (facts.deposit !== undefined) draft.parent = facts.deposit.seq
  return draft
}

type Judge = (
  initiation: InitiationRequest,
  facts: Facts,
  rules: RuleContext,
  context: PlanningContext
) => AnyDetails | Refusal

/** Rules by the row of the kind. */
const judges: Record<Kind['rules'], Judge> = {
  wallet: ({ kind, request }, _facts, rules) =>
    judgePayment(kind, request as CompleteRequest, rules),
  refund: ({ request, now }, facts, rules) => judgeRefund(request, facts, rules, now),
  split: ({ request }, facts, rules) => judgeSplit(request, facts, rules),
  checkout: ({ request }, { freeCode }, { account, catalogue }, { links }) => {
    const terms = judgeCheckout(request, account, catalogue)
    if ('code' in terms) return terms
    if (freeCode === undefined) throw new Error(`no code is free for checkout ${request.id}`)
    const { id, clientReferenceId, metadata } = request
    return {
      id,
      ...(clientReferenceId !== undefined && { clientReferenceId }),
      ...(metadata !== undefined && { metadata }),
      terms,
      checkoutCode: freeCode,
      redirectUrl: links.checkout(freeCode)
    }
  }
}

/** Refuses a payment that takes more from a wallet than is available. */
function refuseShortage (
  { amount, country, currency }: PaymentDetails,
  { available }: Facts
): Refusal | undefined {
  if (toHundredths(amount) <= available) return undefined
  return refuse(
    'OUT_OF_FUNDS',
    `the ${country} ${currency} wallet does not hold ${amount} ${currency}; see the wallet ` +
      'balances',
    'amount'
  )
}
