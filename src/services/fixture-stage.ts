import type { Account } from '../domain/account.ts'
import { readVersion, type Version } from '../domain/api-version.ts'
import type { FixturePayment } from './fixture.ts'
import { kinds } from '../domain/kinds.ts'
import { isCheckout, stateAt, type AnyPayment, type Checkout } from '../domain/payment.ts'
import type { Draft, Ledger } from '../ports/ledger.ts'
import { isRefusal, Refused, type Refusal } from '../domain/refusal.ts'
import { promptStep } from '../domain/scenario.ts'
import { findWay, type Status } from '../domain/status.ts'
import { frozenClock } from '../lib/clock.ts'
import type { Wire } from '../wire/wire.ts'
import { prepareDecision } from '../../simulator/decide.ts'
import type { PlanningContext } from '../../simulator/drafts.ts'
import { Transitions } from '../../simulator/transitions.ts'
import { Checkouts } from './checkouts.ts'
import { PaymentActions } from './payment-actions.ts'

/** Time between two moves of a fixture, if there is as much. */
const moveMs = 50
const cause = 'a fixture of the configuration'

/** Parts that the payment of a fixture needs. */
export interface StageParts {
  ledger: Ledger
  wires: Record<Version, Wire>
  context: PlanningContext
}

/** One payment of a fixture: it is made and moved as usual, at times in the past. */
export class FixtureStage {
  readonly #ledger: Ledger
  readonly #wires: Record<Version, Wire>
  readonly #context: PlanningContext
  readonly #actions: PaymentActions
  readonly #checkouts: Checkouts
  readonly #account: Account
  readonly #fixture: FixturePayment
  readonly #now: number
  #time: number

  constructor (
    { ledger, wires, context }: StageParts,
    account: Account,
    fixture: FixturePayment,
    time: number,
    now: number
  ) {
    this.#ledger = ledger
    this.#wires = wires
    this.#context = { ...context, scenarios: [] }
    this.#fixture = fixture
    this.#time = time
    this.#now = now
    this.#account = stageAccount(account, fixture)
    const accounts = {
      byId: () => this.#timed(),
      find: () => this.#timed(),
      now: () => this.#time
    }
    const transitions = new Transitions(accounts, wires, this.#context)
    this.#actions = new PaymentActions(ledger, transitions, accounts)
    const noScenarios = { readAll: async () => {} }
    this.#checkouts = new Checkouts(
      ledger,
      this.#context,
      noScenarios,
      transitions,
      accounts
    )
  }

  async perform (): Promise<Refusal | undefined> {
    const { version = 'v2', status = 'COMPLETED' } = readVersion(this.#fixture)
    const kind = kinds[this.#fixture.kind]
    const codec = this.#wires[version].codecs[kind.name]
    if (codec === undefined) throw new Error(`${version} has no ${kind.name}`)
    try {
      const request = codec.read(this.#fixture.request)
      const { needs, decide } = prepareDecision(
        { account: this.#timed(), version, kind, request },
        () => this.#time,
        this.#context
      )
      const initiation = await this.#ledger.acceptPayment(
        { account: this.#account.id, kind, id: request.id },
        {
          needs,
          decide: (facts) => {
            const draft = decide(facts)
            return isRefusal(draft) ? draft : markDraft(draft)
          }
        }
      )
      if (initiation.outcome === 'REFUSED') return initiation.refusal
      if (initiation.outcome === 'DUPLICATE') return undefined
      return await this.#reach(initiation.payment, status)
    } catch (error) {
      if (error instanceof Refused) return { code: error.code, message: error.message }
      throw error
    }
  }

  async #reach (payment: AnyPayment, status: Status): Promise<Refusal | undefined> {
    if (isCheckout(payment)) return await this.#reachCheckout(payment, status)
    if (payment.kind.stateMachine !== 'split') return await this.#move(payment, status)
    if (status === 'ACCEPTED' || status === 'PROCESSING') return undefined
    const [deposit] = await this.#ledger.listParts(payment)
    const refusal = await this.#move(deposit, status === 'FAILED' ? 'FAILED' : 'COMPLETED')
    if (refusal !== undefined || status === 'FAILED') return refusal
    const [, ...payouts] = await this.#ledger.listParts(payment)
    for (const [index, payout] of payouts.entries()) {
      const isFailing = status === 'PAYOUT_FAILED' && index === 0
      const refusal = await this.#move(payout, isFailing ? 'FAILED' : 'COMPLETED')
      if (refusal !== undefined) return refusal
    }
  }

  /** Lets the customer of a checkout pay, or moves it to another status. */
  async #reachCheckout (checkout: Checkout, status: Status): Promise<Refusal | undefined> {
    if (status !== 'PROCESSING' && status !== 'COMPLETED') return await this.#move(checkout, status)
    this.#pass()
    const { checkoutCode } = checkout.details
    const attempt = await this.#checkouts.startAttempt(checkoutCode, this.#fixture.payer ?? {})
    if (isRefusal(attempt)) return attempt
    if (status === 'PROCESSING') return undefined
    const [deposit] = await this.#ledger.listParts(checkout)
    return await this.#move(deposit, 'COMPLETED')
  }

  /** Moves a payment to a status, on the shortest way. */
  async #move (payment: AnyPayment, status: Status): Promise<Refusal | undefined> {
    const { kind, details } = payment
    this.#pass()
    for (const to of findWay(kind, stateAt(payment, this.#time).to, status)) {
      const { failureCode } = this.#fixture
      const request = { to, cause, ...(failureCode !== undefined && { failureCode }) }
      const refusal = await this.#actions.move(this.#timed(), kind, details.id, request)
      if (refusal !== undefined) return refusal
      this.#pass()
    }
  }

  #pass (): void {
    this.#time = Math.min(this.#time + moveMs, this.#now)
  }

  #timed (): Account {
    return { ...this.#account, clock: frozenClock(this.#time) }
  }
}

/**
 * Returns an account as fixtures see it: no callbacks are sent, no provider is down, and payments
 * wait for the moves of the fixture.
 */
function stageAccount (account: Account, { kind, status }: FixturePayment): Account {
  // The payouts of a split payment count as begun only with a step.
  const steps = kind === 'splitPayment' && status !== 'ACCEPTED' ? [promptStep] : []
  return {
    ...account,
    settings: { ...account.settings, callbacks: {} },
    outages: new Map(),
    scenarios: [{ written: {}, scenario: { name: 'fixture', when: {}, effect: { steps } } }]
  }
}

/** Marks a draft and its parts as fixtures. They use no scenario of the account. */
function markDraft ({ usedScenarios: _, behaviour: __, ...draft }: Draft): Draft {
  const { plan, children } = draft
  const isWaiting = plan.origin === 'waitingPart'
  return {
    ...draft,
    plan: isWaiting ? plan : { ...plan, why: cause },
    ...(children !== undefined && {
      children: children.map((child) => ({ ...child, draft: markDraft(child.draft) }))
    })
  }
}
