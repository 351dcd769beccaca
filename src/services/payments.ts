import type { Logger } from 'pino'
import { refuseDeletedAccount } from '../accounts/account-changes.ts'
import type { Accounts } from '../accounts/registry.ts'
import type { SystemClock } from '../lib/clock.ts'
import { accountTime } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import { failureReason, type FailureCode } from '../domain/failures.ts'
import type { Kind } from '../domain/kinds.ts'
import type { AnyPayment } from '../domain/payment.ts'
import { isCheckout, stateAt } from '../domain/payment.ts'
import type { Ledger } from '../domain/ports.ts'
import type { Counters } from '../monitoring/counters.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Initiation, View } from '../wire/wire.ts'
import { decide, listNeededFacts } from '../../simulator/decide.ts'
import type { PlanningContext } from '../../simulator/drafts.ts'
import { refuseScenario } from '../../simulator/scenario-selection.ts'
import { isUsual } from '../../simulator/script.ts'
import type { Generation } from '../domain/api-version.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'
import type { Move } from '../domain/plan.ts'
import { isRecorded, nextStep, movesDue } from '../domain/plan.ts'
import type { Status } from '../domain/status.ts'
import { isFinal, movesFrom } from '../domain/status.ts'
import type { ScenarioLibrary } from '../../simulator/scenario-library.ts'
import type { Transitions } from '../../simulator/transitions.ts'

/** A state somebody puts a payment into, and who did. */
export interface MoveRequest {
  to: Status
  failureCode?: FailureCode
  cause: string
}

export interface PaymentParts {
  ledger: Ledger
  context: PlanningContext
  transitions: Transitions
  scenarioLibrary: ScenarioLibrary
  accounts: Accounts
  systemClock: SystemClock
  log: Logger
  counters: Counters
  /** Lets everything happen that is due on an account's clock, callbacks attempted. */
  catchUp: (account: Account) => Promise<unknown>
}

/** The verbs: what a merchant can do with payments. They know no HTTP. */
export class Payments {
  readonly #ledger: Ledger
  readonly #context: PlanningContext
  readonly #transitions: Transitions
  readonly #scenarioLibrary: ScenarioLibrary
  readonly #accounts: Accounts
  readonly #systemClock: SystemClock
  readonly #log: Logger
  readonly #counters: Counters
  readonly #catchUp: PaymentParts['catchUp']

  constructor ({
    ledger,
    context,
    transitions,
    scenarioLibrary,
    accounts,
    systemClock,
    log,
    counters,
    catchUp
  }: PaymentParts) {
    this.#ledger = ledger
    this.#context = context
    this.#transitions = transitions
    this.#scenarioLibrary = scenarioLibrary
    this.#accounts = accounts
    this.#systemClock = systemClock
    this.#log = log
    this.#counters = counters
    this.#catchUp = catchUp
  }

  /**
   * Accepts a payment, or says why not. An identifier that was accepted before changes nothing,
   * whatever else is sent. The request may name the scenario it wants.
   */
  async initiate (
    account: Account,
    generation: Generation,
    kind: Kind,
    paymentRequest: PaymentRequest,
    scenario?: string
  ): Promise<Initiation> {
    const unread = this.#scenarioLibrary.ready()
    if (unread !== undefined) await unread
    const unfit =
      scenario === undefined
        ? undefined
        : refuseScenario(this.#context.scenarios, account, scenario, kind)
    if (unfit !== undefined) return { outcome: 'REFUSED', refusal: unfit }
    const now = this.#now(account)
    const request = { account, generation, kind, request: paymentRequest, scenario, now }
    const acceptance = await this.#ledger.acceptPayment(
      { account: account.id, kind, id: paymentRequest.id },
      listNeededFacts(request, this.#context),
      (facts) => {
        refuseDeletedAccount(account)
        return decide(facts, request, this.#context)
      }
    )
    const line = { account: account.name, kind: kind.name, id: paymentRequest.id }
    if (acceptance.outcome === 'REFUSED' && acceptance.refusal.code.startsWith('SCRIPTED')) {
      this.#log.info(line, acceptance.refusal.message)
    }
    this.#counters.countInitiation(
      generation,
      kind.name,
      acceptance.outcome,
      acceptance.outcome === 'REFUSED' ? acceptance.refusal : undefined
    )
    if (acceptance.outcome !== 'ACCEPTED') return acceptance
    const { plan } = acceptance.payment
    // What goes as it usually does is no news, and a line for each would cost a load test a tenth
    // of its rate.
    const level = isUsual(plan) ? 'debug' : 'info'
    this.#log[level]({ ...line, scenario: plan.scenario, why: plan.why }, 'accepted')
    if (plan.callback?.beforeAnswer === true) await this.#catchUp(account)
    return { ...acceptance, state: stateAt(acceptance.payment, now) }
  }

  /**
   * Why nothing of this kind can have the scenario that a request names; nothing, if it can, or if
   * it names none.
   */
  async checkScenario (
    account: Account,
    kind: Kind,
    scenario: string | undefined
  ): Promise<Refusal | undefined> {
    if (scenario === undefined) return undefined
    await this.#scenarioLibrary.ready()
    return refuseScenario(this.#context.scenarios, account, scenario, kind)
  }

  /**
   * A payment, its parts, and their states at this moment. Who does not want the history of a final
   * one is answered sooner.
   */
  async find (
    account: Account,
    kind: Kind,
    id: string,
    history = true
  ): Promise<View<AnyPayment> | undefined> {
    const payment = await this.#ledger.findPayment({ account: account.id, kind, id }, history)
    if (payment === undefined) return undefined
    const now = this.#now(account)
    const parts = kind.money === 'none' ? await this.#ledger.listParts(payment) : []
    return {
      payment,
      state: stateAt(payment, now),
      parts: parts.map((part) => ({ payment: part, state: stateAt(part, now), parts: [] }))
    }
  }

  /** The deposit that a customer authorises where a link leads, and its state at this moment. */
  async findByCode (code: string): Promise<View | undefined> {
    const payment = await this.#ledger.findByCode(code)
    if (payment === undefined || isCheckout(payment)) return undefined
    return {
      payment,
      state: stateAt(payment, this.#now(this.#accounts.byId(payment.account))),
      parts: []
    }
  }

  /** Sends the callback of a final payment once more. */
  resend (account: Account, kind: Kind, id: string): Promise<Refusal | undefined> {
    const now = this.#now(account)
    return this.#ledger.changePayment(
      { account: account.id, kind, id },
      (payment, parts) => {
        const { to } = stateAt(payment, now)
        if (!isFinal(to)) {
          return {
            code: 'WRONG_STATE',
            message:
              `${kind.name} '${id}' is ${to}; its callback can be resent once it is COMPLETED ` +
              'or FAILED'
          }
        }
        const outgoing = this.#transitions.outgoing(payment, now, parts)
        return { moves: [], postings: [], ...(outgoing !== undefined && { callbacks: [outgoing] }) }
      },
      this.#transitions.at(now)
    )
  }

  /**
   * Cancels a payment that waits in its provider's queue: it fails, and the merchant is called
   * back.
   */
  cancel (account: Account, kind: Kind, id: string): Promise<Refusal | undefined> {
    const now = this.#now(account)
    return this.#ledger.changePayment(
      { account: account.id, kind, id },
      (payment) => {
        const { to } = stateAt(payment, now)
        if (to !== 'ENQUEUED') {
          return {
            code: 'WRONG_STATE',
            message: `${kind.name} '${id}' is ${to}; only an ENQUEUED one can be cancelled`
          }
        }
        const { held: _, ...plan } = payment.plan
        return this.#transitions.tell(
          payment,
          [
            ...hasPassed(payment, now),
            {
              at: now,
              to: 'FAILED',
              failure: failureReason('MANUALLY_CANCELLED'),
              by: 'merchant',
              cause: 'cancelled by the merchant'
            }
          ],
          now,
          plan
        )
      },
      this.#transitions.at(now)
    )
  }

  /**
   * Puts a payment into another state, now. There it stays until it is moved again: the rest of its
   * plan no longer counts. Money and callback go with the move as ever.
   */
  move (
    account: Account,
    kind: Kind,
    id: string,
    { to, failureCode = 'UNSPECIFIED_FAILURE', cause }: MoveRequest
  ): Promise<Refusal | undefined> {
    const now = this.#now(account)
    return this.#ledger.changePayment(
      { account: account.id, kind, id },
      (payment, parts) => {
        const from = stateAt(payment, now).to
        const due = hasPassed(payment, now)
        const legal = isMovable(payment, from)
        if (!legal.includes(to)) {
          return {
            code: 'WRONG_STATE',
            message:
              `${kind.name} '${id}' is ${from}; ` +
              `${legal.length === 0 ? 'it cannot be moved' : `from there it can go to ${legal.join(', ')}`}`,
            legalMoves: legal
          }
        }
        const { held: _, ...plan } = payment.plan
        const taken = plan.steps.slice(0, nextStep(payment) + due.length)
        const move: Move = {
          at: now,
          to,
          by: 'operator',
          cause,
          ...(to === 'FAILED' && { failure: failureReason(failureCode) })
        }
        return this.#transitions.tell(
          payment,
          [...due, move],
          now,
          { ...plan, steps: taken },
          parts
        )
      },
      this.#transitions.at(now)
    )
  }

  #now (account: Account): number {
    return accountTime(account.clock, this.#systemClock.now())
  }
}

/**
 * Where a payment can be put by hand. A whole follows its parts, and a part that has not begun
 * follows its whole.
 */
function isMovable (payment: AnyPayment, from: Status): readonly Status[] {
  if (isCheckout(payment)) return from === 'WAITING_PAYMENT' ? ['EXPIRED', 'CANCELLED'] : []
  if (payment.kind.stateMachine === 'split' || payment.plan.origin === 'waitingPart') return []
  return movesFrom(payment.kind, from)
}

/**
 * The states a payment has passed through that are not in its history yet. A step that must be
 * recorded has not happened before it is.
 */
function hasPassed (payment: AnyPayment, now: number): Move[] {
  return movesDue(payment, now).filter(({ step = 0 }) => !isRecorded(payment.plan.steps[step]))
}
