import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import type { CustomerChoice } from '../domain/customer-choice.ts'
import { mergeRefusals, resolveChoice, termsOfCheckout } from '../domain/customer-choice.ts'
import { expiryOf } from '../domain/checkout.ts'
import { kinds } from '../domain/kinds.ts'
import type { Checkout, Payment } from '../domain/payment.ts'
import { isCheckout, stateAt } from '../domain/payment.ts'
import type { StateChange, Ledger } from '../ports/ledger.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Move } from '../domain/plan.ts'
import { listBrokenRules } from '../domain/rules.ts'
import { isFinal } from '../domain/status.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { View } from '../wire/wire.ts'
import { viewAt } from './payment-views.ts'
import { endNow, expiredByMerchant } from '../../simulator/checkouts.ts'
import type { PlanningContext } from '../../simulator/drafts.ts'
import { draftAttempt, listAttemptIds } from '../../simulator/planner.ts'
import type { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import type { Transitions } from '../../simulator/transitions.ts'

/** A checkout as its customer finds it. */
export interface CheckoutVisit extends View<Checkout> {
  account: Account
}

/** Result of an expiry request. */
export interface Expiry {
  state: Move
  /** Time from which it takes no new attempts. */
  expiredAt: number
  /** Was it, or will it be, expired by the merchant rather than by time? */
  manual: boolean
}

/**
 * Changes of checkouts after their initiation: expiry by the merchant, and payment by the customer.
 */
export class Checkouts {
  readonly #ledger: Ledger
  readonly #context: PlanningContext
  readonly #scenarioLibrary: Pick<ScenarioLibrary, 'readAll'>
  readonly #transitions: Transitions
  readonly #accounts: Pick<Accounts, 'byId' | 'find' | 'now'>

  constructor (
    ledger: Ledger,
    context: PlanningContext,
    scenarioLibrary: Pick<ScenarioLibrary, 'readAll'>,
    transitions: Transitions,
    accounts: Pick<Accounts, 'byId' | 'find' | 'now'>
  ) {
    this.#ledger = ledger
    this.#context = context
    this.#scenarioLibrary = scenarioLibrary
    this.#transitions = transitions
    this.#accounts = accounts
  }

  /**
   * Expires a checkout early. A final checkout does not change; an attempt in progress is waited
   * for.
   */
  async expire (account: Account, id: string): Promise<Expiry | Refusal> {
    let reached: Expiry | undefined
    const refusal = await this.#act(account, id, (checkout, now, attempts) => {
      const state = stateAt(checkout, now)
      const move: Move = { at: now, to: 'EXPIRED', by: 'merchant', cause: expiredByMerchant }
      if (isFinal(state.to)) {
        reached = { state, expiredAt: state.at, manual: state.by === 'merchant' }
        return { moves: [], postings: [] }
      }
      if (state.to === 'PROCESSING') {
        reached = { state, expiredAt: now, manual: true }
        return { moves: [], postings: [], plan: endNow(checkout.plan, now) }
      }
      reached = { state: move, expiredAt: now, manual: true }
      return this.#transitions.applyMoves(checkout, [move], now, checkout.plan, attempts)
    })
    return refusal ?? (reached as Expiry)
  }

  /** Content of the checkout page. */
  async visit (code: string): Promise<CheckoutVisit | undefined> {
    const found = await this.#ledger.findByCode(code)
    if (found === undefined || !isCheckout(found.payment)) return undefined
    const { payment, parts } = found
    const account = this.#accounts.find(payment.account)
    return account && { account, ...viewAt({ payment, parts }, this.#accounts.now(account)) }
  }

  /**
   * Attempts a payment. The deposit is created together with the move of the checkout. The request
   * may name a scenario.
   */
  async startAttempt (
    code: string,
    choice: CustomerChoice,
    scenario?: string
  ): Promise<{ depositId: string } | Refusal> {
    const found = await this.#open(code)
    if (isRefusal(found)) return found
    await this.#scenarioLibrary.readAll()
    const { account, id } = found
    let depositId = ''
    const refusal = await this.#act(account, id, (checkout, now, attempts, freeId) => {
      const closed = whyClosed(checkout, now)
      if (closed !== undefined) return closed
      const child = draftAttempt(
        { account, checkout, choice, now, freeId, ...(scenario !== undefined && { scenario }) },
        this.#context
      )
      if (isRefusal(child)) return child
      depositId = child.draft.details.id
      return {
        ...this.#transitions.applyMoves(
          checkout,
          [{ at: now, to: 'PROCESSING', by: 'customer', cause: 'the customer tries to pay' }],
          now,
          checkout.plan,
          attempts
        ),
        children: [child]
      }
    })
    return refusal ?? { depositId }
  }

  /** Lists the problems of a choice, at most one for each field. Nothing is stored. */
  listProblems ({ account, payment }: CheckoutVisit, choice: CustomerChoice): Refusal[] {
    const { catalogue, versionRules } = this.#context
    const { id, terms, redirectUrl } = payment.details
    const { fixed, suggested } = termsOfCheckout(terms)
    const { chosen, refusals } = resolveChoice({ ...suggested, ...choice }, fixed, catalogue)
    const request = { ...chosen, id, successfulUrl: redirectUrl, failedUrl: redirectUrl }
    const rules = { account, catalogue, versionRules: versionRules[payment.version] }
    return mergeRefusals(refusals, listBrokenRules(kinds.deposit, request, rules))
  }

  /** The customer gives up. */
  async cancel (code: string): Promise<Refusal | undefined> {
    const found = await this.#open(code)
    if (isRefusal(found)) return found
    return await this.#act(
      found.account,
      found.id,
      (checkout, now, attempts) =>
        whyClosed(checkout, now) ??
        this.#transitions.applyMoves(
          checkout,
          [{ at: now, to: 'CANCELLED', by: 'customer', cause: 'cancelled by the customer' }],
          now,
          checkout.plan,
          attempts
        )
    )
  }

  async #open (code: string): Promise<{ account: Account; id: string } | Refusal> {
    const visit = await this.visit(code)
    if (visit === undefined) {
      return {
        code: 'NOT_FOUND',
        message: `there is no checkout with the code '${code.slice(0, 40)}'`
      }
    }
    return { account: visit.account, id: visit.payment.details.id }
  }

  #act (
    account: Account,
    id: string,
    decide: (
      checkout: Checkout,
      now: number,
      attempts: Payment[],
      freeId: string | undefined
    ) => StateChange | Refusal
  ): Promise<Refusal | undefined> {
    const key = { account: account.id, kind: kinds.checkout, id }
    return this.#ledger.changePayment(key, {
      choices: (payment) => listAttemptIds(account, payment as Checkout, this.#context),
      decide: (payment, ...facts) => decide(payment as Checkout, ...facts),
      readNow: () => this.#accounts.now(account),
      rulesAt: (now) => this.#transitions.at(now)
    })
  }
}

/** Reason why the page accepts nothing: it is final, or an attempt is in progress. */
function whyClosed (checkout: Checkout, now: number): Refusal | undefined {
  const { to } = stateAt(checkout, now)
  if (to === 'PROCESSING') {
    return { code: 'WRONG_STATE', message: 'an attempt is being processed; wait for its outcome' }
  }
  if (isFinal(to)) {
    return {
      code: 'WRONG_STATE',
      message: `this checkout is ${to}; ask the merchant for a new one`
    }
  }
  if (expiryOf(checkout) <= now) {
    return {
      code: 'WRONG_STATE',
      message: 'this checkout is EXPIRED; ask the merchant for a new one'
    }
  }
}
