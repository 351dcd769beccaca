import { amountOf } from './callback.ts'
import type { Subject } from './bench.ts'
import type { ControlLevel, Judgement } from './check.ts'
import type { Verdict } from '../reports/exam/verdict.ts'
import {
  answerTo,
  isAcknowledged,
  isStatusCheck,
  maySayUnknown,
  outcomeOf,
  type Evidence,
  type Exchange,
  type Observation
} from './evidence.ts'

/** Decisions that several checks share. */

export const passed = (because: string): Judgement => ({ verdict: 'PASSED', because })
export const failed = (because: string): Judgement => ({ verdict: 'FAILED', because })
export const warning = (because: string): Judgement => ({ verdict: 'WARNING', because })
export const review = (because: string): Judgement => ({ verdict: 'REVIEW', because })
export const skipped = (because: string): Judgement => ({ verdict: 'SKIPPED', because })

/** A check that was begun and proves nothing. */
export const inconclusive = (because: string): Judgement => ({
  ...skipped(because),
  isInconclusive: true
})

/** A judgement that counts only if an ordinary genuine callback is acknowledged. */
export const ifAcknowledged = (judgement: Judgement): Judgement => ({
  ...judgement,
  control: 'acknowledged'
})

/** A judgement that counts only if an ordinary genuine callback is booked. */
export const ifBooked = (judgement: Judgement): Judgement => ({ ...judgement, control: 'booked' })

/** A judgement that one exchange shows best. */
export function about (exchange: Exchange | undefined, judgement: Judgement): Judgement {
  return exchange === undefined ? judgement : { ...judgement, exchange }
}

const gravity: readonly Verdict[] = ['FAILED', 'REVIEW', 'WARNING', 'PASSED', 'SKIPPED']

const levels: ReadonlyArray<ControlLevel | undefined> = [undefined, 'acknowledged', 'booked']

/** The gravest of several judgements: the firmest finding, or the pass that needs the most. */
export function gravest (judgements: readonly Judgement[]): Judgement {
  const [first] = judgements.toSorted(
    (one, other) =>
      gravity.indexOf(one.verdict) - gravity.indexOf(other.verdict) ||
      (levels.indexOf(one.control) - levels.indexOf(other.control)) *
        (one.verdict === 'PASSED' ? -1 : 1)
  )
  return first ?? skipped('nothing could be tried')
}

/** Describes in a few words what a merchant has booked. */
export function bookingOf (seen: Observation | undefined): string {
  if (seen === undefined) return 'unknown'
  if (!seen.known) return 'nothing: it does not know the reference'
  const { paid, amount, effects, failed: isFailed } = seen
  const parts = [paid ? 'paid' : isFailed === true ? 'failed' : 'not paid']
  if (amount !== undefined) parts.push(`amount ${amount}`)
  if (effects !== undefined) parts.push(`${effects} ${effects === 1 ? 'effect' : 'effects'}`)
  return parts.join(', ')
}

/** Is a payment booked: paid, or with an effect? */
export function isBooked (seen: Observation | undefined): boolean {
  return seen !== undefined && (seen.paid || (seen.effects ?? 0) > 0)
}

/** Is it booked once, as far as can be seen? */
export function isBookedOnce (seen: Observation | undefined): boolean {
  return seen !== undefined && seen.paid && (seen.effects ?? 1) === 1
}

/** Facts of a callback that must not be believed. */
export interface Forgery {
  subject: Subject
  exchange: Exchange
  seen: Observation | undefined
  /** Result of a genuine callback about another payment that the merchant does not know. */
  honest?: Exchange
}

/** Judges a callback that the merchant must not believe: it must not book anything. */
export function judgeForgery (forgery: Forgery, evidence: Evidence): Judgement {
  return about(forgery.exchange, judgeBelief(forgery, evidence))
}

function judgeBelief ({ subject, exchange, seen, honest }: Forgery, evidence: Evidence): Judgement {
  const { label } = exchange
  const answer = outcomeOf(exchange)
  const asked = evidence.journal.some((entry) => isStatusCheck(entry, [subject.id]))
  if (isBooked(seen) && asked && isRefused(exchange)) {
    return review(
      `the ${label} was refused (${answer}), but after a status check the merchant says: ` +
        `${bookingOf(seen)} (see STA-06)`
    )
  }
  if (seen !== undefined) {
    return isBooked(seen)
      ? failed(`after the ${label} (answered ${answer}) the merchant says: ${bookingOf(seen)}`)
      : ifBooked(passed(`the ${label} ${answerTo(exchange)}, and nothing was booked`))
  }
  const askedAfter = evidence.journal.some(
    (entry) => isStatusCheck(entry, [subject.id]) && entry.request.loggedDate >= exchange.at
  )
  if (askedAfter) {
    return ifAcknowledged(
      passed(`after the ${label} (answered ${answer}) the merchant asked the API what is true`)
    )
  }
  if (isAcknowledged(exchange)) {
    return review(
      `the ${label} ${answerTo(exchange)}; a status alone does not prove that something was ` +
        'booked. Give drive and observe, or look yourself'
    )
  }
  if (exchange.status !== undefined && exchange.status < 500) {
    return refusedForgery(exchange, honest)
  }
  return ifAcknowledged(
    review(`the ${label} ${answerTo(exchange)}; that is no refusal, so look at what it has booked`)
  )
}

function isRefused ({ status }: Exchange): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** A refusal counts only where an honest callback is taken, which the control tells. */
function refusedForgery ({ label, status }: Exchange, honest: Exchange | undefined): Judgement {
  if (honest === undefined || !maySayUnknown(honest)) {
    return ifAcknowledged(passed(`the ${label} was refused with HTTP ${status}`))
  }
  return review(
    `the ${label} was refused with HTTP ${status}, but so was an honest callback about a ` +
      `payment it does not know (${outcomeOf(honest)}). Give drive.deposit to tell them apart`
  )
}

/** Are these the same amount, however they are written? */
export function isSameAmount (one: string, other: string): boolean {
  return Number(one) === Number(other)
}

/** Judges whether an honest payment was booked once, with the right amount. */
export function judgeBooked (
  what: string,
  subject: Subject,
  seen: Observation | undefined,
  exchange?: Exchange
): Judgement {
  return about(exchange, judgeBooking(what, subject, seen, exchange))
}

function judgeBooking (
  what: string,
  { record }: Subject,
  seen: Observation | undefined,
  exchange?: Exchange
): Judgement {
  const answer = exchange === undefined ? '' : ` (answered ${outcomeOf(exchange)})`
  if (seen === undefined) {
    return review(`${what}${answer}: nobody can say whether it was booked; give observe`)
  }
  if (!seen.paid) {
    return ifBooked(failed(`${what}${answer}, and the merchant says: ${bookingOf(seen)}`))
  }
  if ((seen.effects ?? 1) !== 1) {
    return failed(`${what}${answer}, and it had ${seen.effects} effects instead of 1`)
  }
  const amount = amountOf(record)
  if (seen.amount !== undefined && amount !== '' && !isSameAmount(seen.amount, amount)) {
    return failed(`${what}${answer}, and the merchant booked ${seen.amount} instead of ${amount}`)
  }
  return passed(`${what}${answer}, and it was booked once`)
}

/** Facts of a payment that must be booked once. */
export interface Once {
  what: string
  subject: Subject
  seen: Observation | undefined
}

/** Judges a payment that must be booked once. */
export function judgeOnce ({ what, subject, seen }: Once): Judgement {
  if (seen === undefined) {
    return review(`${what}; without a reference nobody can say what was booked`)
  }
  return judgeBooked(what, subject, seen)
}
