import type { Logger } from 'pino'
import { PaymentActions } from './payment-actions.ts'
import { viewAt } from './payment-views.ts'
import type { Accounts } from '../accounts/registry.ts'
import { nameForLog } from '../accounts/sandbox-tokens.ts'
import { Sleeper } from '../lib/sleeper.ts'
import type { Account } from '../domain/account.ts'
import { operations, type Kind } from '../domain/kinds.ts'
import type { AnyPayment } from '../domain/payment.ts'
import { isCheckout, refuseStatusCheck, stateAt } from '../domain/payment.ts'
import { isUsual, nextDue } from '../domain/plan.ts'
import type { Initiation, Ledger, Outbox } from '../ports/ledger.ts'
import { isFinal } from '../domain/status.ts'
import type { ChangeListeners } from '../monitoring/change-listeners.ts'
import type { Counters } from '../monitoring/counters.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { View } from '../wire/wire.ts'
import { prepareDecision } from '../../simulator/decide.ts'
import type { InitiationRequest, PlanningContext } from '../../simulator/drafts.ts'
import { refuseScenario } from '../scenarios/scenario-selection.ts'
import type { Version } from '../domain/api-version.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'
import type { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import type { Transitions } from '../../simulator/transitions.ts'

/**
 * Most looks at the callbacks of a payment before its answer, and the longest time between two. A
 * receiver has at most a minute; a payment that cannot be moved ends the wait, too.
 */
const mostLooks = 300
const longestPauseMs = 250

/** Parts that the payments need. */
export interface PaymentParts {
  ledger: Ledger
  outbox: Pick<Outbox, 'listCallbacks'>
  context: PlanningContext
  transitions: Transitions
  scenarioLibrary: ScenarioLibrary
  accounts: Accounts
  log: Logger
  counters: Counters
  changes: Pick<ChangeListeners, 'listen'>
  /** Does the work of a frozen account that is due now, and waits for no receiver. */
  catchUp: (account: Account) => Promise<void>
}

/** A deposit as the customer of its link finds it. */
export interface LinkedDeposit extends View {
  account: Account
}

/** Initiation and lookup of payments, independent of HTTP. */
export class Payments {
  /** Actions on payments that exist. */
  readonly actions: PaymentActions
  readonly #ledger: Ledger
  readonly #outbox: PaymentParts['outbox']
  readonly #context: PlanningContext
  readonly #scenarioLibrary: ScenarioLibrary
  readonly #accounts: Accounts
  readonly #log: Logger
  readonly #counters: Counters
  readonly #changes: PaymentParts['changes']
  readonly #catchUp: PaymentParts['catchUp']

  constructor ({
    ledger,
    outbox,
    context,
    transitions,
    scenarioLibrary,
    accounts,
    log,
    counters,
    changes,
    catchUp
  }: PaymentParts) {
    this.#ledger = ledger
    this.#outbox = outbox
    this.#context = context
    this.actions = new PaymentActions(ledger, transitions, accounts)
    this.#scenarioLibrary = scenarioLibrary
    this.#accounts = accounts
    this.#log = log
    this.#counters = counters
    this.#changes = changes
    this.#catchUp = catchUp
  }

  /**
   * Accepts a payment or refuses it. An identifier that was accepted before changes nothing. The
   * request may name its scenario.
   */
  async initiate (
    account: Account,
    version: Version,
    kind: Kind,
    paymentRequest: PaymentRequest,
    scenario?: string
  ): Promise<Initiation> {
    if (!this.#scenarioLibrary.isRead) await this.#scenarioLibrary.readAll()
    const unfit =
      scenario === undefined
        ? undefined
        : refuseScenario(this.#context.scenarios, account, scenario, kind)
    if (unfit !== undefined) return { outcome: 'REFUSED', refusal: unfit }
    const request = { account, version, kind, request: paymentRequest, scenario }
    const initiation = await this.#ledger.acceptPayment(
      { account: account.id, kind, id: paymentRequest.id },
      prepareDecision(request, () => this.#accounts.now(account), this.#context)
    )
    this.#countInitiation(request, initiation)
    if (initiation.outcome === 'REFUSED') {
      await this.#beginOutage(account, initiation.refusal)
      if (initiation.refusal.code.startsWith('SCRIPTED')) {
        this.#log.info(this.#logLine(request), initiation.refusal.message)
      }
    } else if (initiation.outcome === 'ACCEPTED') {
      const { plan } = initiation.payment
      const level = isUsual(plan) ? 'debug' : 'info'
      // A line for each ordinary payment would cost a load test a tenth of its rate.
      if (this.#log.isLevelEnabled(level)) {
        const { scenario, why } = plan
        this.#log[level]({ ...this.#logLine(request), scenario, why }, 'payment accepted')
      }
      if (plan.callback?.beforeAnswer === true) {
        await this.#waitForCallbacks(initiation.payment, account)
      }
    }
    return initiation
  }

  /** An outage of the profile begins with the first payment that it refuses. */
  async #beginOutage (account: Account, { outage }: Refusal): Promise<void> {
    if (outage === undefined) return
    const { provider, until } = outage
    const closed = Object.fromEntries(operations.map((operation) => [operation, 'CLOSED' as const]))
    await this.#accounts.changes.setAvailability(account, provider, closed, () => until)
  }

  /** Waits for the first attempt of the callbacks of a payment. Nothing else waits with it. */
  async #waitForCallbacks (payment: AnyPayment, account: Account): Promise<void> {
    const sleeper = new Sleeper()
    const unlisten = this.#changes.listen(account.id, [{ seq: payment.seq }], sleeper.wake)
    try {
      for (let n = 0; n < mostLooks; n++) {
        await this.#catchUp(account)
        if (!(await this.#hasUntried(payment, account))) return
        await sleeper.sleep(longestPauseMs)
      }
    } finally {
      unlisten()
    }
  }

  /** Tells whether a payment has a step or a callback that is due now and has not happened. */
  async #hasUntried ({ kind, details }: AnyPayment, account: Account): Promise<boolean> {
    const now = this.#accounts.now(account)
    const isDue = (due = Infinity): boolean => due <= now
    const found = await this.#ledger.findWithParts({ account: account.id, kind, id: details.id })
    if (found === undefined) return false
    for (const one of [found.payment, ...found.parts]) {
      if (!isFinal(stateAt(one, now).to) && isDue(nextDue(one))) return true
      const query = { payment: one.seq, state: 'PENDING', limit: 1000 } as const
      const callbacks = await this.#outbox.listCallbacks(account.id, query)
      if (callbacks.some(({ tries, due }) => tries === 0 && isDue(due))) return true
    }
    return false
  }

  #countInitiation (
    { version, kind }: Omit<InitiationRequest, 'now'>,
    initiation: Initiation
  ): void {
    const { initiations } = this.#counters
    const named = `${version} ${kind.name} ${initiation.outcome}`
    const name =
      initiation.outcome === 'REFUSED'
        ? `${named} ${initiation.refusal.code} ${initiation.refusal.as ?? ''}`
        : named
    initiations.set(name, (initiations.get(name) ?? 0) + 1)
  }

  #logLine ({ account, kind, request: { id } }: Omit<InitiationRequest, 'now'>): object {
    return { account: nameForLog(account), kind: kind.name, id }
  }

  /** Returns the refusal of a scenario that does not fit the kind, or undefined. */
  async checkScenario (
    account: Account,
    kind: Kind,
    scenario: string | undefined
  ): Promise<Refusal | undefined> {
    if (scenario === undefined) return undefined
    await this.#scenarioLibrary.readAll()
    return refuseScenario(this.#context.scenarios, account, scenario, kind)
  }

  /**
   * Returns a payment, its parts and their states now. Without the history of a final payment it
   * is faster.
   */
  async find (
    account: Account,
    kind: Kind,
    id: string,
    history = true
  ): Promise<View<AnyPayment> | undefined> {
    const key = { account: account.id, kind, id }
    if (kind.money === 'none') {
      const found = await this.#ledger.findWithParts(key, history)
      return found && viewAt(found, this.#accounts.now(account))
    }
    const payment = await this.#ledger.findPayment(key, history)
    return payment && { payment, state: stateAt(payment, this.#accounts.now(account)), parts: [] }
  }

  /** Answers a status check: the payment, or the error that its scenario wants instead. */
  async checkStatus (
    account: Account,
    kind: Kind,
    id: string
  ): Promise<View<AnyPayment> | Refusal | undefined> {
    const view = await this.find(account, kind, id, false)
    return view && (refuseStatusCheck(view.payment, this.#accounts.now(account)) ?? view)
  }

  /** Returns the deposit that a customer authorises on the page of a link, and its state now. */
  async findByCode (code: string): Promise<LinkedDeposit | undefined> {
    const payment = (await this.#ledger.findByCode(code))?.payment
    if (payment === undefined || isCheckout(payment)) return undefined
    const account = this.#accounts.find(payment.account)
    if (account === undefined) return undefined
    return { account, payment, state: stateAt(payment, this.#accounts.now(account)), parts: [] }
  }
}
