import type { Accounts } from '../src/accounts/registry.ts'
import { callbackUrl } from '../src/domain/account.ts'
import type { AccountSettings } from '../src/domain/account-settings.ts'
import { amountStyleFor, type AmountStyle } from '../src/domain/amount.ts'
import { postingsFor } from '../src/domain/money.ts'
import type { AnyPayment, Checkout, Payment } from '../src/domain/payment.ts'
import { historyAt, isCheckout, stateAt } from '../src/domain/payment.ts'
import type { StateChange, OutgoingCallback, TransitionRules } from '../src/ports/ledger.ts'
import type { View, Wire } from '../src/wire/wire.ts'
import { afterAttempt, afterExpiry } from './checkouts.ts'
import { applyFault, raiseAmounts } from './callback-faults.ts'
import type { Version } from '../src/domain/api-version.ts'
import type { CallbackFault } from '../src/domain/callback-faults.ts'
import { failureReason } from '../src/domain/failures.ts'
import type { Move, Plan, NoCallbackReason } from '../src/domain/plan.ts'
import { nextDue, movesDue, scheduleSteps } from '../src/domain/plan.ts'
import { firstStatus, isFinal, mayMove, type Status } from '../src/domain/status.ts'
import { isRefusal } from '../src/domain/refusal.ts'
import type { PlanningContext } from './drafts.ts'
import { beginPayout } from './planner.ts'
import { nextSplitStep } from './splits.ts'
import { UnstoredUses } from '../src/scenarios/unstored-uses.ts'
import { newAdvanceCounts, type AdvanceCounts } from './advance.ts'

/** Derives the effects of a move: the money, the callback, and the next due time of the payment. */
export class Transitions {
  readonly #accounts: Pick<Accounts, 'byId'>
  readonly #wires: Record<Version, Wire>
  readonly #context: PlanningContext

  constructor (
    accounts: Pick<Accounts, 'byId'>,
    wires: Record<Version, Wire>,
    context: PlanningContext
  ) {
    this.#accounts = accounts
    this.#wires = wires
    this.#context = context
  }

  /** Rules at a time of the account's clock. The moves are counted, from 0 if they are repeated. */
  at (now: number, counts: AdvanceCounts = newAdvanceCounts()): TransitionRules {
    return {
      restart: () => Object.assign(counts, newAdvanceCounts()),
      apply: (payment, parts) => countMoves(this.#happen(payment, parts, now), counts),
      resume: (payment) => countMoves(this.#resume(payment, now), counts),
      follow: (whole, parts) => countMoves(this.#follow(whole, parts, now), counts)
    }
  }

  /** Returns the change of a payment that makes some moves: postings, callbacks, due time. */
  applyMoves (
    payment: AnyPayment,
    made: Move[],
    now: number,
    plan: Plan = payment.plan,
    parts: Payment[] = []
  ): StateChange {
    const moves = addTimes(payment, made)
    let from = payment.moves.at(-1)?.to ?? firstStatus(payment.kind)
    for (const { to } of moves) {
      if (!mayMove(payment.kind, from, to)) {
        throw new Error(
          `scenario '${plan.scenario}' would move a ${payment.kind.name} from ${from} to ${to}`
        )
      }
      from = to
    }
    const after = { ...payment, plan, moves: [...payment.moves, ...moves] }
    const due = isFinal(from)
      ? undefined
      : nextDue(after, this.#accounts.byId(payment.account).clock.mode === 'frozen')
    const needsCallback = moves.some(
      ({ to, step }) => isFinal(to) || (step !== undefined && plan.steps[step].notify === true)
    )
    const outgoing = needsCallback ? this.outgoing(after, now, parts) : undefined
    const outgoingCallbacks =
      outgoing === undefined ? [] : this.addFault(outgoing, after, now, parts, plan.callback)
    return {
      moves:
        isFinal(from) && outgoingCallbacks.length === 0
          ? moves.map((move) =>
            isFinal(move.to)
              ? { ...move, noCallbackReason: noCallbackReason(payment, outgoing) }
              : move
          )
          : moves,
      postings: moves.flatMap(({ to }) => postingsFor(payment.kind, payment.details, to)),
      ...(plan !== payment.plan && { plan }),
      ...(outgoingCallbacks.length > 0 && { callbacks: outgoingCallbacks }),
      ...(due !== undefined && { due })
    }
  }

  /**
   * Callback about the current state of a payment, or about another one, in the version of its
   * request. Undefined if none is wanted.
   */
  outgoing (
    payment: AnyPayment,
    now: number,
    parts: Payment[] = [],
    state: Move = stateAt(payment, now)
  ): OutgoingCallback | undefined {
    const { settings } = this.#accounts.byId(payment.account)
    const own = callbackUrl(settings, payment.kind)
    const { listeners } = this.#context
    const isWanted = own !== undefined || listeners.has(payment.account)
    if (!isWanted || payment.details.silent === true) return undefined
    const body = this.#write(payment, state, parts, (part) => stateAt(part, now))
    const url = own ?? listeners.placeFor(payment.account, payment.kind.path, body)
    return url === undefined ? undefined : { url, body, created: now, due: now }
  }

  /**
   * The callbacks that a fault makes of one about a payment. A forged one may claim another status;
   * one that is tampered with claims COMPLETED by default, or more money.
   */
  addFault (
    outgoing: OutgoingCallback,
    payment: AnyPayment,
    now: number,
    parts: Payment[],
    fault: CallbackFault = {},
    claim: Status | undefined = fault.tampered === true ? 'COMPLETED' : undefined
  ): OutgoingCallback[] {
    const isClaim = claim !== undefined && claim !== stateAt(payment, now).to
    return applyFault(
      outgoing,
      fault,
      isClaim
        ? this.#forge(payment, now, parts, claim)
        : fault.tampered === true
          ? raiseAmounts(outgoing.body)
          : undefined
    )
  }

  /** Body that a payment would have in a status. The parts of a completed one are completed. */
  #forge (payment: AnyPayment, now: number, parts: Payment[], claim: Status): string {
    const claimed = (of: AnyPayment): Move =>
      historyAt(of, now).findLast(({ to }) => to === claim) ?? {
        at: now,
        to: claim,
        by: 'operator',
        cause: 'forged',
        ...(claim === 'FAILED' && { failure: failureReason('UNSPECIFIED_FAILURE') })
      }
    const last = parts.at(-1)
    return this.#write(payment, claimed(payment), parts, (part) =>
      claim === 'COMPLETED' && (part === last || !isCheckout(payment))
        ? claimed(part)
        : stateAt(part, now)
    )
  }

  #write (
    payment: AnyPayment,
    state: Move,
    parts: Payment[],
    stateOf: (part: Payment) => Move
  ): string {
    const view: View<AnyPayment> = {
      payment,
      state,
      parts: parts.map((part) => ({ payment: part, state: stateOf(part), parts: [] }))
    }
    const { settings } = this.#accounts.byId(payment.account)
    const codec = this.#wires[payment.version].codecs[payment.kind.name]
    const written = settings.callbackClientReference === false ? omitReference(view) : view
    return JSON.stringify(codec?.write(written, callbackAmounts(settings)))
  }

  #happen (payment: AnyPayment, parts: Payment[], now: number): StateChange {
    if (isCheckout(payment)) return this.#timeIsUp(payment, parts, now)
    return this.applyMoves(payment, movesDue(payment, now), now)
  }

  /**
   * Continues a payment when the queue of its provider is released: its remaining steps begin now.
   */
  #resume (payment: Payment, now: number): StateChange {
    const { held = [], ...plan } = payment.plan
    return this.applyMoves(payment, movesDue(payment, now), now, {
      ...plan,
      steps: [...plan.steps, ...scheduleSteps(held, now)]
    })
  }

  /** A checkout with an attempt in flight is not looked at again before that has ended. */
  #timeIsUp (checkout: Checkout, attempts: Payment[], now: number): StateChange {
    const moves = afterExpiry(checkout, now)
    return moves.length === 0
      ? { moves, postings: [] }
      : this.applyMoves(checkout, moves, now, checkout.plan, attempts)
  }

  #follow (whole: AnyPayment, parts: Payment[], now: number): StateChange | undefined {
    if (isCheckout(whole)) {
      const moves = afterAttempt(whole, parts, now)
      return moves.length === 0 ? undefined : this.applyMoves(whole, moves, now, whole.plan, parts)
    }
    if (whole.kind.stateMachine !== 'split') return undefined
    const step = nextSplitStep(whole, parts, now)
    if (step === undefined) return undefined
    const uses = new UnstoredUses((name) => this.#context.used(whole.account, name))
    const others = [
      ...(step.begin ?? []).map((payment) => ({
        payment,
        change: this.#begin(payment, now, uses)
      })),
      ...(step.fail ?? []).map((payment) => ({
        payment,
        change: this.#fail(payment, 'the deposit of its split payment failed', now)
      }))
    ]
    const ended = parts.map((part) => {
      const moves = others.find(({ payment }) => payment.seq === part.seq)?.change.moves ?? []
      return { ...part, moves: [...part.moves, ...moves] }
    })
    const change = this.applyMoves(whole, step.moves, now, whole.plan, ended)
    // If no payout can begin, the split payment ends.
    const end = isFinal(step.moves.at(-1)?.to ?? 'PROCESSING')
      ? undefined
      : nextSplitStep({ ...whole, moves: [...whole.moves, ...step.moves] }, ended, now)
    if (end === undefined || end.begin !== undefined) return { ...change, others }
    const moves = [...step.moves, ...end.moves]
    return { ...this.applyMoves(whole, moves, now, whole.plan, ended), others }
  }

  /** A payout of a split payment begins; if its provider does not take it any more, it fails. */
  #begin (payout: Payment, now: number, uses: UnstoredUses): StateChange {
    const account = this.#accounts.byId(payout.account)
    const begun = beginPayout(account, payout, now, this.#context, (name) => uses.count(name))
    if (isRefusal(begun)) return this.#fail(payout, begun.message, now)
    uses.add(begun.usedScenarios)
    return { moves: [], ...begun, at: now }
  }

  /** A payout fails before any money was set aside for it. */
  #fail (payout: Payment, why: string, now: number): StateChange {
    const failure = { failureCode: 'UNSPECIFIED_FAILURE', failureMessage: why }
    const { postings: _, ...change } = this.applyMoves(
      payout,
      [{ at: now, to: 'FAILED', failure, by: 'parts', cause: 'split payment' }],
      now
    )
    return { ...change, postings: [] }
  }
}

function noCallbackReason (
  { details }: AnyPayment,
  outgoing: OutgoingCallback | undefined
): NoCallbackReason {
  return outgoing !== undefined ? 'dropped' : details.silent === true ? 'part' : 'nowhere'
}

function countMoves<T extends StateChange | undefined> (change: T, counts: AdvanceCounts): T {
  for (const { to } of change?.moves ?? []) {
    counts[to === 'EXPIRED' ? 'expirations' : 'transitions']++
    if (to === 'EXPIRED') counts.expiredCheckouts++
  }
  return change
}

/** Time of a move. A clock can be set back, but a move is never earlier than the one before it. */
function addTimes ({ created, moves }: AnyPayment, made: Move[]): Move[] {
  let last = moves.at(-1)?.at ?? created
  return made.map((move) => {
    last = Math.max(last, move.at)
    return move.at === last ? move : { ...move, at: last }
  })
}

/** Callbacks of a production account have four decimals, unless it says otherwise. */
function callbackAmounts ({ amounts, profile }: AccountSettings): AmountStyle | undefined {
  const style = amountStyleFor('callbacks', amounts)
  return style === undefined && profile === 'production' ? 'four' : style
}

/** Leaves the reference of the merchant out of a payment and its parts. */
function omitReference<P extends AnyPayment> (view: View<P>): View<P> {
  const { clientReferenceId: _, ...details } = view.payment.details
  return {
    ...view,
    payment: { ...view.payment, details },
    parts: view.parts.map(omitReference)
  }
}
