import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import { failureReason, type FailureCode } from '../domain/failures.ts'
import type { Kind } from '../domain/kinds.ts'
import { forgeryNames, isForged, type CallbackFault } from '../domain/callback-faults.ts'
import { historyAt, isCheckout, stateAt, type AnyPayment } from '../domain/payment.ts'
import { nextStep, passedMoves, type Move } from '../domain/plan.ts'
import type { ChangeDecision, Ledger } from '../ports/ledger.ts'
import type { Refusal } from '../domain/refusal.ts'
import { findWay, isFinal, statusesOf, type Status } from '../domain/status.ts'
import type { Transitions } from '../../simulator/transitions.ts'

/** State that an operator puts a payment into, and the reason. */
export interface MoveRequest {
  to: Status
  failureCode?: FailureCode
  cause: string
}

/** Callback that an operator sends: about an earlier status, or with faults that forge any. */
export interface CallbackOrder {
  status?: Status
  fault: CallbackFault
}

/** Actions on payments that exist: send a callback, cancel, move by hand. */
export class PaymentActions {
  readonly #ledger: Ledger
  readonly #transitions: Transitions
  readonly #accounts: Pick<Accounts, 'now'>

  constructor (ledger: Ledger, transitions: Transitions, accounts: Pick<Accounts, 'now'>) {
    this.#ledger = ledger
    this.#transitions = transitions
    this.#accounts = accounts
  }

  /** Sends the callback of a final payment again. */
  resend (account: Account, kind: Kind, id: string): Promise<Refusal | undefined> {
    return this.#change(account, kind, id, (payment, now, parts) => {
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
    })
  }

  /** Sends a callback about a payment now, whatever its state, with the faults of the order. */
  sendCallback (
    account: Account,
    kind: Kind,
    id: string,
    { status, fault }: CallbackOrder
  ): Promise<Refusal | undefined> {
    return this.#change(account, kind, id, (payment, now, parts) => {
      const claim = isForged(fault) ? status : undefined
      const history = historyAt(payment, now)
      const possible = claim === undefined ? history.map(({ to }) => to) : statusesOf(kind)
      if (status !== undefined && !possible.includes(status)) {
        return { code: 'WRONG_STATE', message: explainStatus(kind, id, status, history) }
      }
      // The true record stays in a forged callback: a resend of it is genuine.
      const state = history.findLast(({ to }) => claim === undefined && to === status)
      const outgoing = this.#transitions.outgoing(payment, now, parts, state)
      if (outgoing === undefined) {
        const message =
          payment.details.silent === true
            ? `${kind.name} '${id}' is a part of another payment, which has the callbacks`
            : `the account has no callback URL for a ${kind.name}`
        return { code: 'WRONG_STATE', message }
      }
      const callbacks = this.#transitions.addFault(outgoing, payment, now, parts, fault, claim)
      return { moves: [], postings: [], callbacks }
    })
  }

  /** Cancels a payment that waits in the queue of its provider: it fails with a callback. */
  cancel (account: Account, kind: Kind, id: string): Promise<Refusal | undefined> {
    return this.#change(account, kind, id, (payment, now) => {
      const { to } = stateAt(payment, now)
      if (to !== 'ENQUEUED') {
        return {
          code: 'WRONG_STATE',
          message: `${kind.name} '${id}' is ${to}; only an ENQUEUED one can be cancelled`
        }
      }
      const { held: _, ...plan } = payment.plan
      return this.#transitions.applyMoves(
        payment,
        [
          ...passedMoves(payment, now),
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
    })
  }

  /**
   * Puts a payment into another state by the shortest way, with its money and callback. The rest of
   * its plan no longer counts: it stays there until it is moved again.
   */
  move (
    account: Account,
    kind: Kind,
    id: string,
    { to, failureCode = 'UNSPECIFIED_FAILURE', cause }: MoveRequest
  ): Promise<Refusal | undefined> {
    return this.#change(account, kind, id, (payment, now, parts) => {
      const from = stateAt(payment, now).to
      const due = passedMoves(payment, now)
      const legal = listLegalMoves(payment, from)
      if (!legal.includes(to)) {
        return {
          code: 'WRONG_STATE',
          message:
            legal.length === 0
              ? `${kind.name} '${id}' is ${from}; it cannot be moved`
              : `${kind.name} '${id}' is ${from}; from there it can go to ${legal.join(', ')}`,
          legalMoves: legal
        }
      }
      const { held: _, ...plan } = payment.plan
      const taken = plan.steps.slice(0, nextStep(payment) + due.length)
      const moves = findWay(kind, from, to).map(
        (next): Move => ({
          at: now,
          to: next,
          by: 'operator',
          cause,
          ...(next === 'FAILED' && { failure: failureReason(failureCode) })
        })
      )
      return this.#transitions.applyMoves(
        payment,
        [...due, ...moves],
        now,
        // A checkout keeps its steps, because its answers show when it expires.
        isCheckout(payment) ? plan : { ...plan, steps: taken },
        parts
      )
    })
  }

  #change (
    account: Account,
    kind: Kind,
    id: string,
    decide: ChangeDecision
  ): Promise<Refusal | undefined> {
    const key = { account: account.id, kind, id }
    return this.#ledger.changePayment(key, {
      decide,
      readNow: () => this.#accounts.now(account),
      rulesAt: (now) => this.#transitions.at(now)
    })
  }
}

/** Explains why no callback can be about a status. */
function explainStatus (kind: Kind, id: string, status: Status, history: Move[]): string {
  const possible = statusesOf(kind)
  if (!possible.includes(status)) {
    return `a ${kind.name} is never ${status}; its statuses are ${possible.join(', ')}`
  }
  return (
    `${kind.name} '${id}' was never ${status}; its statuses are ` +
    `${history.map(({ to }) => to).join(', ')}. Only a forged callback can claim another one: ` +
    `add one of ${forgeryNames.join(', ')}`
  )
}

/**
 * Returns the states that an operator can put a payment into. A split payment follows its parts,
 * and a part that has not begun follows its split payment.
 */
export function listLegalMoves (payment: AnyPayment, from: Status): readonly Status[] {
  if (isCheckout(payment)) {
    return from === 'WAITING_PAYMENT' ? ['FAILED', 'EXPIRED', 'CANCELLED'] : []
  }
  if (payment.kind.stateMachine === 'split' || payment.plan.origin === 'waitingPart') return []
  return statusesOf(payment.kind).filter((to) => findWay(payment.kind, from, to).length > 0)
}
