import type { Account } from '../src/domain/account.ts'
import { availability } from '../src/domain/account.ts'
import type { Selection } from '../src/domain/customer-choice.ts'
import { attemptOf } from '../src/domain/customer-choice.ts'
import type { Catalogue } from '../src/domain/catalogue.ts'
import type { CheckoutDetails } from '../src/domain/checkout.ts'
import { judgeCheckout } from '../src/domain/checkout.ts'
import type { Kind } from '../src/domain/kinds.ts'
import { kinds } from '../src/domain/kinds.ts'
import { postingsFor } from '../src/domain/money.ts'
import type {
  AnyDetails,
  Checkout,
  Delayed,
  Details,
  Generation,
  Instruction,
  Payment,
  Plan
} from '../src/domain/payment.ts'
import type { Child, Draft, Facts } from '../src/domain/ports.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { judgeRefund } from '../src/domain/refunds.ts'
import type { Scenario } from '../src/domain/scenario.ts'
import type { Judgeable } from '../src/domain/rules.ts'
import { isRefusal, judge } from '../src/domain/rules.ts'
import { judgeSplit } from '../src/domain/splits.ts'
import type { Ids } from '../src/lib/ids.ts'
import { checkoutPlan } from './checkouts.ts'
import type { Choice, Situation } from './scenario-selection.ts'
import { chooser, whyNot } from './scenario-selection.ts'
import { completes, dueOf, schedule, stepsOf } from './script.ts'

/** Where customers are sent. */
export interface Addresses {
  /** Where the customer of a deposit authorises it. */
  authorise: (code: string) => string
  /** Where the customer of a checkout pays. */
  checkout: (code: string) => string
}

/**
 * The scenario of a payout that waits for the deposit of its split payment: no money is set aside
 * for it yet.
 */
export const waitingForSplit = 'split payment'

/** How many codes are tried for a checkout before giving up. */
const codeChoices = 4

/** Judges instructions, and plans what becomes of those that are good. */
export class Planner {
  readonly #catalogue: Catalogue
  readonly #ids: Ids
  readonly #choose: (situation: Situation) => Choice | Refusal
  readonly #scenarios: readonly Scenario[]
  readonly #addresses: Addresses
  readonly #used: (account: number, scenario: string) => number

  constructor (
    catalogue: Catalogue,
    scenarios: readonly Scenario[],
    ids: Ids,
    addresses: Addresses,
    used: (account: number, scenario: string) => number
  ) {
    this.#catalogue = catalogue
    this.#scenarios = scenarios
    this.#choose = chooser(catalogue, scenarios, (text) => ids.chance(text))
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
    instruction: Instruction,
    facts: Facts,
    now: number
  ): AnyDetails | Refusal {
    if (kind.name === 'refund') {
      return judgeRefund(instruction, facts, account, this.#catalogue, generation, now)
    }
    if (kind.name === 'splitPayment') {
      return judgeSplit(instruction, facts, account, this.#catalogue, generation)
    }
    if (kind.name === 'checkout') return this.#judgeCheckout(account, instruction, facts)
    return judge(kind, instruction as Judgeable, account, this.#catalogue, generation)
  }

  /** What becomes of a payment, and why; or the refusal that a scenario wants. */
  choose (situation: Situation): Choice | Refusal {
    return this.#choose(situation)
  }

  /**
   * Why a payment of this kind cannot have the scenario that is named for it; nothing, if it can.
   */
  whyNot (account: Account, kind: Kind, scenario: string): Refusal | undefined {
    return whyNot(this.#scenarios, account, scenario, kind)
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
    choice?: Choice
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
    const due = dueOf({ plan, moves: [] }, account.clock.mode === 'frozen')
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
    if (chosen.uses.length > 0) draft.uses = chosen.uses
    if ((chosen.fault ?? chosen.latencyMs) !== undefined) {
      draft.manner = { fault: chosen.fault, latencyMs: chosen.latencyMs }
    }
    if (kind.machine === 'split') {
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
  ): Pick<Draft, 'plan' | 'postings' | 'due' | 'uses'> | Refusal {
    const judged = judge(kinds.payout, details, account, this.#catalogue, generation)
    if (isRefusal(judged)) return judged
    const { plan, postings, due, uses } = this.draft(
      account,
      generation,
      kinds.payout,
      details,
      now
    )
    return {
      plan,
      postings,
      ...(due !== undefined && { due }),
      ...(uses !== undefined && { uses })
    }
  }

  /** The next attempt of a checkout, as its customer chose it. */
  attempt (
    account: Account,
    { details, generation, moves }: Checkout,
    selection: Selection,
    now: number
  ): Child | Refusal {
    const tried = moves.filter(({ to }) => to === 'PROCESSING').length
    const instruction = attemptOf(
      details,
      this.#ids.attempt(account.name, details.id, tried + 1),
      selection,
      this.#catalogue
    )
    if (isRefusal(instruction)) return instruction
    const deposit = judge(kinds.deposit, instruction, account, this.#catalogue, generation)
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
    instruction: Instruction,
    { freeCode }: Facts
  ): CheckoutDetails | Refusal {
    const terms = judgeCheckout(instruction, account, this.#catalogue)
    if (isRefusal(terms)) return terms
    if (freeCode === undefined) throw new Error(`no code is free for checkout ${instruction.id}`)
    const { id, clientReferenceId, metadata } = instruction
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
    { splits = [], ...details }: Details,
    created: number
  ): Child[] {
    const leg: Details = { ...details, id: this.#ids.part(account.name, details.id), silent: true }
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
          scenario: waitingForSplit,
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

  #authorised (account: Account, generation: Generation, kind: Kind, details: Details): Details {
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
  #choosePart (situation: Situation): Choice {
    const choice = this.#choose(situation)
    return isRefusal(choice) ? { ...completes, why: choice.message, uses: [] } : choice
  }

  #plan (
    account: Account,
    kind: Kind,
    details: Details,
    { name, why, steps: script, callback }: Choice,
    created: number
  ): Plan {
    const steps = stepsOf(script).map((step) =>
      notified(callback?.beforeAnswer === true ? { ...step, after: 0 } : step, details)
    )
    const base = {
      scenario: name,
      why,
      ...(callback !== undefined && { callback }),
      providerTransactionId: this.#ids.providerTransaction(account.name, kind.name, details.id)
    }
    // A split payment ends when its parts have ended; of its own it only begins.
    if (kind.machine === 'split') return { ...base, steps: schedule(steps.slice(0, 1), created) }
    if (availability(account, details.provider, kind.operation) === 'DELAYED') {
      return {
        ...base,
        why: `${details.provider} is DELAYED for ${kind.operation}`,
        steps: [{ at: created, to: 'ENQUEUED' }],
        held: steps.filter(({ to }) => to !== 'ENQUEUED')
      }
    }
    return { ...base, steps: schedule(steps, created) }
  }
}

/**
 * The customer of a redirecting provider is waited for, so the merchant hears where to send them.
 */
function notified (step: Delayed, { authorizationUrl }: Details): Delayed {
  return authorizationUrl !== undefined && step.to === 'PROCESSING'
    ? { ...step, notify: true }
    : step
}
