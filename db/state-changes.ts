import type { Kind } from '../src/domain/kinds.ts'
import { paymentQueue } from '../src/ports/due-queue.ts'
import { isCheckout, type AnyPayment, type Payment } from '../src/domain/payment.ts'
import { nextDue } from '../src/domain/plan.ts'
import type { Observation } from '../src/ports/observer.ts'
import type {
  ChangeNotifier,
  Child,
  Draft,
  StateChange,
  TransitionRules
} from '../src/ports/ledger.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'
import type { SqlDueQueue } from './due-queue.ts'
import type { SqlOutbox } from './outbox.ts'
import type { PaymentRows } from './payments.ts'
import type { RecentPayments } from './recent-payments.ts'
import type { SqlScenarioUses } from './scenario-uses.ts'

/** Parts that the writer needs. */
export interface StateChangeParts {
  payments: PaymentRows
  recent: RecentPayments
  dueQueue: SqlDueQueue
  balances: Balances
  outbox: SqlOutbox
  uses: SqlScenarioUses
  changes: ChangeNotifier
  observation: Observation
}

/**
 * Writes payments and their state changes: state, history, money, parts and callbacks of a payment
 * in one transaction. Called inside a transaction.
 */
export class StateChangeWriter {
  readonly #database: Database
  readonly #parts: StateChangeParts
  readonly #hold
  readonly #unhold

  constructor (database: Database, parts: StateChangeParts) {
    const { connection } = database
    this.#database = database
    this.#parts = parts
    this.#hold = connection.prepareInsert('provider_queue', [
      'ledger',
      'provider',
      'operation',
      'payment'
    ])
    this.#unhold = connection.prepare(`
      DELETE FROM provider_queue
      WHERE ledger = ? AND provider = ? AND operation = ? AND payment = ?`)
  }

  /** Stores a payment with its parts; undefined if its identifier is taken. */
  async storePayment (
    account: number,
    kind: Kind,
    draft: Draft
  ): Promise<AnyPayment | undefined> {
    const { payments, changes, observation, balances, dueQueue } = this.#parts
    const payment = await payments.insert(account, kind, draft)
    if (payment === undefined) return undefined
    const { created, plan, postings, children, due } = draft
    if (changes.hasListeners) changes.notify(account, payment)
    observation.observer?.storePayment(payment)
    if (postings.length > 0) await balances.post(account, payment.seq, created, postings)
    if (due !== undefined) dueQueue.add(account, paymentQueue, due, payment.seq)
    if (plan.held !== undefined) this.#holdPayment(payment)
    if (children !== undefined) await this.#storeParts(payment, children)
    return payment
  }

  /** Writes a change of a payment, and the change of the payment that it is a part of. */
  async apply (
    payment: AnyPayment,
    change: StateChange,
    rules: TransitionRules
  ): Promise<void> {
    const { payments, recent, balances, outbox, uses, changes, observation, dueQueue } = this.#parts
    const { account, seq } = payment
    const { moves, postings, callbacks = [], children = [], others = [], plan, due } = change
    if (changes.hasListeners) changes.notify(account, payment)
    observation.observer?.changePayment(payment, change)
    recent.remove(payment)
    payments.insertMoves(payment, moves)
    if (plan !== undefined) payments.updatePlan(payment, plan)
    for (const scenario of change.usedScenarios ?? []) uses.addUse(account, scenario)
    if (plan?.held !== undefined) this.#holdPayment(payment)
    if (postings.length > 0) {
      const at = moves.at(-1)?.at ?? change.at ?? payment.created
      await balances.post(account, seq, at, postings)
    }
    for (const callback of callbacks) await outbox.addCallback(payment, callback)
    if (due !== undefined) dueQueue.add(account, paymentQueue, due, seq)
    await this.#storeParts(payment, children)
    for (const { payment: other, change: otherChange } of others) {
      await this.apply(other, otherChange, { ...rules, follow: () => undefined })
    }
    if (payment.parent !== undefined && moves.length > 0) {
      await this.#followPart({ account, seq: payment.parent }, rules)
    }
  }

  /** Removes a payment from the queues that a change takes it from, or decides again. */
  withdraw (payment: AnyPayment, { moves, plan }: StateChange): void {
    for (const due of new Set([nextDue(payment), nextDue(payment, true)])) {
      if (due !== undefined) {
        this.#parts.dueQueue.drop(payment.account, paymentQueue, due, payment.seq)
      }
    }
    const staysHeld = plan === undefined && moves.at(-1)?.to === 'ENQUEUED'
    if (payment.plan.held !== undefined && !staysHeld && !isCheckout(payment)) {
      const { account, details, kind, seq } = payment
      this.unholdPayment(account, details.provider, kind.operation, seq)
    }
  }

  /** Removes a payment from the queue of a provider. */
  unholdPayment (account: number, provider: string, operation: string, seq: number): void {
    this.#unhold.run(this.#database.ledgerOf(account), provider, operation, seq)
  }

  /** Returns the parts of a split payment or a checkout; none of any other payment. */
  async listOwnParts (payment: AnyPayment): Promise<Payment[]> {
    return payment.kind.money === 'none' ? await this.#parts.payments.listParts(payment) : []
  }

  #holdPayment ({ account, details, kind, seq }: AnyPayment): void {
    if (!('provider' in details)) return
    this.#hold.run(this.#database.ledgerOf(account), details.provider, kind.operation, seq)
  }

  async #storeParts (
    { account, seq: parent }: AnyPayment,
    children: readonly Child[]
  ): Promise<void> {
    for (const { kind, draft } of children) {
      await this.storePayment(account, kind, { ...draft, parent })
      for (const scenario of draft.usedScenarios ?? []) this.#parts.uses.addUse(account, scenario)
    }
  }

  async #followPart (
    key: Pick<AnyPayment, 'account' | 'seq'>,
    rules: TransitionRules
  ): Promise<void> {
    const { payments } = this.#parts
    const whole = (await payments.findBySeq(key.account, key.seq)) as AnyPayment
    const change = rules.follow(whole, await payments.listParts(key))
    if (change === undefined) return
    if (change.moves.length > 0) this.withdraw(whole, change)
    await this.apply(whole, change, rules)
  }
}
