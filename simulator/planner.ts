import type { Account } from '../src/domain/account.ts'
import { availabilityOf } from '../src/domain/account.ts'
import type { CustomerChoice } from '../src/domain/customer-choice.ts'
import { checkoutAttempt } from '../src/domain/customer-choice.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import { judgeCheckout } from '../src/domain/checkout.ts'
import type { Kind } from '../src/domain/kinds.ts'
import { kinds } from '../src/domain/kinds.ts'
import { postingsFor } from '../src/domain/money.ts'
import type { AnyDetails, Checkout, Payment } from '../src/domain/payment.ts'
import type { Child, Draft, Facts } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { judgeRefund } from '../src/domain/refunds.ts'
import type { Scenario } from '../src/domain/scenario.ts'
import type { CompleteRequest } from '../src/domain/rules.ts'
import { judgePayment } from '../src/domain/rules.ts'
import { judgeSplit } from '../src/domain/splits.ts'
import type { Ids } from '../src/lib/ids.ts'
import { checkoutPlan } from './checkouts.ts'
import type { SelectedScript, SelectionInput } from './scenario-selection.ts'
import { createSelector, whyNotAvailable } from './scenario-selection.ts'
import { completeScript, planSteps } from './script.ts'
import type {
  CheckoutDetails,
  PaymentDetails,
  PaymentRequest
} from '../src/domain/payment-request.ts'
import type { DelayedStep, Plan } from '../src/domain/plan.ts'
import { nextDue, scheduleSteps } from '../src/domain/plan.ts'
import type { Generation } from '../src/domain/api-version.ts'
import { isRefusal } from '../src/domain/refusal.ts'

/** Where customers are sent. */
export interface LinkBuilders {
  /** Where the customer of a deposit authorises it. */
  authorise: (code: string) => string
  /** Where the customer of a checkout pays. */
  checkout: (code: string) => string
}

/** How many codes are tried for a checkout before giving up. */
const codeChoices = 4

/** Judges instructions, and plans what becomes of those that are good. */
export class Planner {
  readonly #catalogue: Catalogue
  readonly #ids: Ids
  readonly #choose: (input: SelectionInput) => SelectedScript | Refusal
  readonly #scenarios: readonly Scenario[]
  readonly #addresses: LinkBuilders
  readonly #used: (account: number, scenario: string) => number

  constructor (
    catalogue: Catalogue,
    scenarios: readonly Scenario[],
    ids: Ids,
    addresses: LinkBuilders,
    used: (account: number, scenario: string) => number
  ) {
    this.#catalogue = catalogue
    this.#scenarios = scenarios
    this.#choose = createSelector(catalogue, scenarios, (text) => ids.chance(text))
    this.#ids = ids
    this.#addresses = addresses
    this.#used = used
  }

  countryOf (provider: string | undefined): string | undefined {
    return provider === undefined ? undefined : this.#catalogue.providers.get(provider)?.country
  }

  /** The codes the link of a checkout may end in, the best first. */
  codesFor (account: Account, checkoutId: string): string[] {
    return Array.from({ length: codeChoices }, (_, choice) =>
      this.#ids.checkoutCode(account.name, checkoutId, choice)
    )
  }

  /** What the rules of its kind say to an instruction. */
  judge (
    account: Account,
    generation: Generation,
    kind: Kind,
    paymentRequest: PaymentRequest,
    facts: Facts,
    now: number
  ): AnyDetails | Refusal {
    if (kind.name === 'refund') {
      return judgeRefund(paymentRequest, facts, account, this.#catalogue, generation, now)
    }
    if (kind.name === 'splitPayment') {
      return judgeSplit(paymentRequest, facts, account, this.#catalogue, generation)
    }
    if (kind.name === 'checkout') return this.#judgeCheckout(account, paymentRequest, facts)
    return judgePayment(
      kind,
      paymentRequest as CompleteRequest,
      account,
      this.#catalogue,
      generation
    )
  }

  /** What becomes of a payment, and why; or the refusal that a scenario wants. */
  choose (input: SelectionInput): SelectedScript | Refusal {
    return this.#choose(input)
  }

  /**
   * Why a payment of this kind cannot have the scenario that is named for it; nothing, if it can.
   */
  whyNot (account: Account, kind: Kind, scenario: string): Refusal | undefined {
    return whyNotAvailable(this.#scenarios, account, scenario, kind)
  }

  /**
   * A payment that may be stored, with the plan it will follow and its parts, if it begins with
   * any.
   */
  draft (
    account: Account,
    generation: Generation,
    kind: Kind,
    details: AnyDetails,
    created: number,
    choice?: SelectedScript
  ): Draft {
    if ('checkoutCode' in details) {
      return this.#checkout(account, generation, kind, details, created)
    }
    const settled = this.#authorised(account, generation, kind, details)
    const chosen =
      choice ??
      this.#choosePart({
        account,
        generation,
        kind,
        details,
        used: (scenario) => this.#used(account.id, scenario)
      })
    const plan = this.#plan(account, kind, settled, chosen, created)
    const due = nextDue({ plan, moves: [] }, account.clock.mode === 'frozen')
    const draft: Draft = {
      generation,
      created,
      details: settled,
      plan,
      postings: postingsFor(kind, settled, 'ACCEPTED')
    }
    if (due !== undefined) draft.due = due
    if (settled.authorizationUrl !== undefined) {
      draft.link = this.#authorisationCode(account, details.id)
    }
    if (chosen.usedScenarios.length > 0) draft.usedScenarios = chosen.usedScenarios
    if ((chosen.fault ?? chosen.latencyMs) !== undefined) {
      draft.behaviour = { fault: chosen.fault, latencyMs: chosen.latencyMs }
    }
    if (kind.stateMachine === 'split') {
      draft.children = this.#parts(account, generation, settled, created)
    }
    return draft
  }

  /**
   * What happens to a payout of a split payment when its deposit is through: it begins, or cannot.
   */
  begin (
    account: Account,
    { details, generation }: Payment,
    now: number
  ): Pick<Draft, 'plan' | 'postings' | 'due' | 'usedScenarios'> | Refusal {
    const judged = judgePayment(kinds.payout, details, account, this.#catalogue, generation)
    if (isRefusal(judged)) return judged
    const {
      plan,
      postings,
      due,
      usedScenarios: uses
    } = this.draft(account, generation, kinds.payout, details, now)
    return {
      plan,
      postings,
      ...(due !== undefined && { due }),
      ...(uses !== undefined && { usedScenarios: uses })
    }
  }

  /** The next attempt of a checkout, as its customer chose it. */
  attempt (
    account: Account,
    { details, generation, moves }: Checkout,
    selection: CustomerChoice,
    now: number
  ): Child | Refusal {
    const tried = moves.filter(({ to }) => to === 'PROCESSING').length
    const paymentRequest = checkoutAttempt(
      details,
      this.#ids.attempt(account.name, details.id, tried + 1),
      selection,
      this.#catalogue
    )
    if (isRefusal(paymentRequest)) return paymentRequest
    const deposit = judgePayment(
      kinds.deposit,
      paymentRequest,
      account,
      this.#catalogue,
      generation
    )
    if (isRefusal(deposit)) return deposit
    const choice = this.#choose({
      account,
      generation,
      kind: kinds.deposit,
      details: deposit,
      used: (scenario) => this.#used(account.id, scenario)
    })
    // What a scenario refuses at the door is refused to the customer, too.
    if (isRefusal(choice)) return choice
    return {
      kind: kinds.deposit,
      draft: this.draft(account, generation, kinds.deposit, deposit, now, choice)
    }
  }

  #judgeCheckout (
    account: Account,
    paymentRequest: PaymentRequest,
    { freeCode }: Facts
  ): CheckoutDetails | Refusal {
    const terms = judgeCheckout(paymentRequest, account, this.#catalogue)
    if (isRefusal(terms)) return terms
    if (freeCode === undefined) throw new Error(`no code is free for checkout ${paymentRequest.id}`)
    const { id, clientReferenceId, metadata } = paymentRequest
    return {
      id,
      ...(clientReferenceId !== undefined && { clientReferenceId }),
      ...(metadata !== undefined && { metadata }),
      terms,
      checkoutCode: freeCode,
      redirectUrl: this.#addresses.checkout(freeCode)
    }
  }

  #checkout (
    account: Account,
    generation: Generation,
    kind: Kind,
    details: CheckoutDetails,
    created: number
  ): Draft {
    const due = created + details.terms.expiresAfter * 60_000
    const plan = checkoutPlan(
      due,
      this.#ids.providerTransaction(account.name, kind.name, details.id)
    )
    return { generation, created, details, plan, postings: [], due, link: details.checkoutCode }
  }

  /** The deposit a split payment begins with, and the payouts that wait for it. */
  #parts (
    account: Account,
    generation: Generation,
    { splits = [], ...details }: PaymentDetails,
    created: number
  ): Child[] {
    const leg: PaymentDetails = {
      ...details,
      id: this.#ids.part(account.name, details.id),
      silent: true
    }
    const payouts = splits.map(({ payoutId, ...split }): Child => ({
      kind: kinds.payout,
      draft: {
        generation,
        created,
        details: {
          id: payoutId,
          currency: details.currency,
          country: this.countryOf(split.provider) as string,
          customerMessage: details.customerMessage,
          ...split
        },
        plan: {
          origin: 'waitingPart',
          scenario: 'split payment',
          why: 'it waits for the deposit of its split payment',
          steps: [],
          providerTransactionId: this.#ids.providerTransaction(
            account.name,
            kinds.payout.name,
            payoutId
          )
        },
        postings: []
      }
    }))
    return [
      { kind: kinds.deposit, draft: this.draft(account, generation, kinds.deposit, leg, created) },
      ...payouts
    ]
  }

  /** What the link on which a deposit is authorised ends in. */
  #authorisationCode (account: Account, depositId: string): string {
    return this.#ids.secret('authorise', account.name, depositId)
  }

  #authorised (
    account: Account,
    generation: Generation,
    kind: Kind,
    details: PaymentDetails
  ): PaymentDetails {
    const redirects =
      kind.name === 'deposit' &&
      generation === 'v2' &&
      this.#catalogue.providers.get(details.provider)?.authType === 'REDIRECT_AUTH'
    return redirects
      ? {
          ...details,
          authorizationUrl: this.#addresses.authorise(this.#authorisationCode(account, details.id))
        }
      : details
  }

  /** A part was accepted with its whole, so what would refuse it does not count. */
  #choosePart (input: SelectionInput): SelectedScript {
    const choice = this.#choose(input)
    return isRefusal(choice)
      ? { ...completeScript, why: choice.message, usedScenarios: [] }
      : choice
  }

  #plan (
    account: Account,
    kind: Kind,
    details: PaymentDetails,
    { origin, name, why, steps: script, callback }: SelectedScript,
    created: number
  ): Plan {
    const steps = planSteps(script).map((step) =>
      withNotification(callback?.beforeAnswer === true ? { ...step, after: 0 } : step, details)
    )
    const base = {
      origin,
      scenario: name,
      why,
      ...(callback !== undefined && { callback }),
      providerTransactionId: this.#ids.providerTransaction(account.name, kind.name, details.id)
    }
    // A split payment ends when its parts have ended; of its own it only begins.
    if (kind.stateMachine === 'split') {
      return { ...base, steps: scheduleSteps(steps.slice(0, 1), created) }
    }
    if (availabilityOf(account, details.provider, kind.operation) === 'DELAYED') {
      return {
        ...base,
        why: `${details.provider} is DELAYED for ${kind.operation}`,
        steps: [{ at: created, to: 'ENQUEUED' }],
        held: steps.filter(({ to }) => to !== 'ENQUEUED')
      }
    }
    return { ...base, steps: scheduleSteps(steps, created) }
  }
}

/**
 * The customer of a redirecting provider is waited for, so the merchant hears where to send them.
 */
function withNotification (step: DelayedStep, { authorizationUrl }: PaymentDetails): DelayedStep {
  return authorizationUrl !== undefined && step.to === 'PROCESSING'
    ? { ...step, notify: true }
    : step
}
