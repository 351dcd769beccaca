import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import { failureReason } from '../domain/failures.ts'
import { kinds, type Kind } from '../domain/kinds.ts'
import type { AnyPayment, Payment } from '../domain/payment.ts'
import { isCheckout, nextChange, stateAt } from '../domain/payment.ts'
import type { ChangeDecision, StateChange, Ledger } from '../ports/ledger.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { View } from '../wire/wire.ts'
import { attendedScript } from '../scenarios/script.ts'
import type { Move, Plan } from '../domain/plan.ts'
import { nextStep, movesDue, isUsual } from '../domain/plan.ts'
import type { Decision } from '../domain/customer-decision.ts'
import { isFinal } from '../domain/status.ts'
import type { Transitions } from '../../simulator/transitions.ts'

/**
 * Screen of a phone: deposits that wait for an answer, and messages about payments that have ended.
 */
export interface PhoneScreen {
  prompts: View[]
  messages: View[]
  /** Time on the account's clock at which a payment changes by its plan. */
  next?: number
}

/**
 * The one payment that somebody looks at a phone for: a deposit, or a checkout with its attempts.
 */
export interface PhoneSubject {
  kind: Kind
  id: string
}

/** Time after which the payment of an ignored prompt fails. */
export const ignoredMs = 30_000
/** At most this many payments of a number are looked at. */
const shownPayments = 50

/**
 * The customer's side of a deposit: the phone that asks for the PIN, or the page of the provider.
 */
export class CustomerPhone {
  readonly #ledger: Ledger
  readonly #transitions: Transitions
  readonly #accounts: Accounts

  constructor (
    ledger: Ledger,
    transitions: Transitions,
    accounts: Accounts
  ) {
    this.#ledger = ledger
    this.#transitions = transitions
    this.#accounts = accounts
  }

  /** Screen of the phone of a number: all payments, or only those of one subject. */
  async readScreen (
    account: Account,
    phoneNumber: string,
    about?: PhoneSubject
  ): Promise<PhoneScreen> {
    const now = this.#accounts.now(account)
    const payments =
      about === undefined
        ? await this.#ledger.listByPhone(account.id, phoneNumber, shownPayments)
        : await this.listRelatedPayments(account, about)
    const views = payments
      .filter(({ details }) => details.phoneNumber === phoneNumber)
      .map((payment) => ({ payment, state: stateAt(payment, now), parts: [] }))
    const changes = views.flatMap(({ payment }) => nextChange(payment, now) ?? [])
    return {
      ...(changes.length > 0 && { next: Math.min(...changes) }),
      prompts: views.filter(({ payment, state }) => isPrompt(payment, state)),
      messages: views
        .filter(({ payment, state }) => isTold(payment, state))
        .sort((one, other) => other.state.at - one.state.at)
    }
  }

  /** Payments that belong to a subject, newest first. Empty if it has none yet. */
  async listRelatedPayments (account: Account, about: PhoneSubject): Promise<Payment[]> {
    const payment = await this.#ledger.findPayment({ account: account.id, ...about })
    return payment === undefined
      ? []
      : (await this.#family(payment)).sort((one, other) => other.seq - one.seq)
  }

  /** A deposit with its refunds, or the attempts of a checkout with theirs. */
  async #family (payment: AnyPayment): Promise<Payment[]> {
    const parts = await Promise.all(
      (await this.#ledger.listParts(payment)).map((part) => this.#family(part))
    )
    return isCheckout(payment) ? parts.flat() : [payment, ...parts.flat()]
  }

  /**
   * Makes a deposit wait for its customer, who has opened the page. A deposit that a scenario or a
   * test number decides is not changed.
   */
  waitForCustomer (account: Account, depositId: string): Promise<Refusal | undefined> {
    return this.#changeDeposit(account, depositId, (payment, now) => {
      const due = movesDue(payment, now)
      const { to } = due.at(-1) ?? stateAt(payment, now)
      const { plan } = payment
      return isFinal(to) || !isUsual(plan)
        ? { moves: [], postings: [] }
        : this.#transitions.applyMoves(payment, due, now, attendedScript(plan, now))
    })
  }

  /**
   * Answers the prompt of a deposit. A deposit that already ended with this answer is not changed.
   */
  answerPrompt (
    account: Account,
    depositId: string,
    decision: Decision,
    cause: string
  ): Promise<Refusal | undefined> {
    return this.#changeDeposit(account, depositId, (payment, now) => {
      // Includes the steps that are due now and not stored yet.
      const due = movesDue(payment, now)
      const { to } = due.at(-1) ?? stateAt(payment, now)
      if (
        (decision === 'approve' && to === 'COMPLETED') ||
        (decision === 'decline' && to === 'FAILED')
      ) {
        return { moves: [], postings: [] }
      }
      if (to !== 'ACCEPTED' && to !== 'PROCESSING') {
        return {
          code: 'WRONG_STATE',
          message: `deposit '${depositId}' is ${to}; its customer has nothing to decide any more`
        }
      }
      return this.#answered(
        payment,
        decision,
        to === 'ACCEPTED' ? [...due, { at: now, to: 'PROCESSING', by: 'customer', cause }] : due,
        cause,
        now
      )
    })
  }

  #changeDeposit (
    account: Account,
    id: string,
    decide: ChangeDecision
  ): Promise<Refusal | undefined> {
    const key = { account: account.id, kind: kinds.deposit, id }
    return this.#ledger.changePayment(key, {
      decide,
      readNow: () => this.#accounts.now(account),
      rulesAt: (now) => this.#transitions.at(now)
    })
  }

  /** Replaces the rest of the plan. The moves before the answer are stored with it. */
  #answered (
    payment: AnyPayment,
    decision: Decision,
    before: Move[],
    cause: string,
    now: number
  ): StateChange {
    const taken = payment.plan.steps.slice(
      0,
      nextStep(payment) + before.filter(({ step }) => step !== undefined).length
    )
    const failure = failureReason('PAYMENT_NOT_APPROVED')
    if (decision === 'ignore') {
      const plan: Plan = {
        ...payment.plan,
        ignored: true,
        steps: [...taken, { at: now + ignoredMs, to: 'FAILED', failure }]
      }
      return this.#transitions.applyMoves(payment, before, now, plan)
    }
    const end: Move =
      decision === 'approve'
        ? { at: now, to: 'COMPLETED', by: 'customer', cause }
        : { at: now, to: 'FAILED', failure, by: 'customer', cause }
    const plan = { ...payment.plan, steps: taken }
    return this.#transitions.applyMoves(payment, [...before, end], now, plan)
  }
}

/** A customer who authorises a deposit on a page gets no prompt. */
function isPrompt ({ kind, details, plan }: Payment, { to }: Move): boolean {
  return (
    kind.name === 'deposit' &&
    to === 'PROCESSING' &&
    details.authorizationUrl === undefined &&
    plan.ignored !== true
  )
}

/** Customers get a message about the end of their payment, and about received money. */
function isTold ({ kind, plan }: Payment, { to }: Move): boolean {
  if (plan.origin === 'waitingPart' || kind.money === 'none') return false
  return kind.money === 'in' ? isFinal(to) : to === 'COMPLETED'
}
