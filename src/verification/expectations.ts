import { eventSorts, type EventSort, type Expectation, type ExpectedStep } from './expectation.ts'
import {
  differencesOfCallback,
  differencesOfRequest,
  type Difference,
  type SeenCallback,
  type SeenRequest
} from './matching.ts'
import { differencesOfPayment, type SeenPayment } from './payment-matching.ts'

/** Judges the expectations of a test by the events that happened. Pure. */

/** Identifier of an event: a number in the journal or the outbox, or the one of a payment. */
type EventId = number | string

/** A request, a callback or a payment. */
export type SeenEvent = { id: EventId; at: number } & (
  { request: SeenRequest } | { callback: SeenCallback } | { payment: SeenPayment }
)

/** An expectation that was not met. */
export interface UnmetExpectation {
  /** Index in the list of expectations. */
  index: number
  name?: string
  message: string
  /** Number of matches; of an order, number of its steps that were seen. */
  count: number
  /** Identifiers of the first matches. */
  matched: EventId[]
  nearest?: NearestEvent
}

/** The event that differs least from an expectation. */
export interface NearestEvent {
  request?: number
  callback?: number
  payment?: string
  summary: string
  differences: Difference[]
}

/** Most matches that an answer names. */
const namedMatches = 20
/** Longest value that an answer shows, in characters. */
const shownLength = 300

/** Numbers of the events that can no longer be looked at. */
export type DroppedCounts = Record<EventSort, number>

/** Work that yields after each comparison, so that the caller can do it in slices. */
type Comparing<T> = Generator<undefined, T>

/**
 * Compares one of the expectations with all that happened, oldest first. Returns undefined if it
 * was met.
 */
export function * judgeExpectation (
  expectation: Expectation,
  index: number,
  happened: readonly SeenEvent[],
  unseen: DroppedCounts
): Comparing<UnmetExpectation | undefined> {
  const failure =
    expectation.inOrder === undefined
      ? yield * judgeCount(expectation, happened, unseen)
      : yield * judgeOrder(expectation.inOrder, happened)
  return (
    failure && {
      index,
      ...(expectation.name !== undefined && { name: expectation.name }),
      ...failure
    }
  )
}

type Finding = Omit<UnmetExpectation, 'index' | 'name'>

function * judgeCount (
  { request, callback, payment, ...expectation }: Expectation,
  happened: readonly SeenEvent[],
  unseen: DroppedCounts
): Comparing<Finding | undefined> {
  const step: ExpectedStep = {
    ...(request !== undefined && { request }),
    ...(callback !== undefined && { callback }),
    ...(payment !== undefined && { payment })
  }
  const fitting = yield * findFitting(step, happened)
  const [least, most] = bounds(expectation)
  const noun = nounOf(step)
  // Dropped events may have matched, so only a minimum can be checked.
  const sure = unseen[noun] === 0 || most === Infinity
  if (fitting.length >= least && fitting.length <= most && sure) return undefined
  const some = (n: number): string => `${n} ${noun}${n === 1 ? '' : 's'}`
  const wanted =
    least === most
      ? `exactly ${some(least)}`
      : most === Infinity
        ? `at least ${some(least)}`
        : least === 0
          ? `at most ${some(most)}`
          : `${least} to ${some(most)}`
  const doubt =
    unseen[noun] === 0
      ? ''
      : `; ${some(unseen[noun])} before that could not be looked at any more, so there may have ` +
        'been more'
  return {
    message: `${wanted} expected, ${fitting.length} seen${doubt}`,
    count: fitting.length,
    matched: fitting.slice(0, namedMatches).map(({ id }) => id),
    ...(fitting.length < least && (yield * nearestTo(step, happened)))
  }
}

/** Least and most matches. Without a number, one match is enough. */
function bounds ({
  count,
  atLeast,
  atMost
}: Pick<Expectation, 'count' | 'atLeast' | 'atMost'>): [least: number, most: number] {
  if (count !== undefined) return [count, count]
  return [atLeast ?? (atMost === undefined ? 1 : 0), atMost ?? Infinity]
}

/** Judges an order. The earliest match of each step leaves most events for the next step. */
function * judgeOrder (
  steps: readonly ExpectedStep[],
  happened: readonly SeenEvent[]
): Comparing<Finding | undefined> {
  const matched: EventId[] = []
  let from = 0
  for (const [n, step] of steps.entries()) {
    const found = yield * findFirst(step, happened, from)
    if (found !== -1) {
      matched.push(happened[found].id)
      from = found + 1
      continue
    }
    const earlier = (yield * findFirst(step, happened, 0)) !== -1
    const what = `step ${n} of the order, a ${nounOf(step)},`
    return {
      message:
        n === 0
          ? `${what} was not seen`
          : earlier
            ? `${what} was seen only before step ${n - 1}`
            : `${what} was not seen at all`,
      count: n,
      matched,
      ...(!earlier && (yield * nearestTo(step, happened)))
    }
  }
}

/** Returns the place of the first event that fits a step, or -1. */
function * findFirst (
  step: ExpectedStep,
  happened: readonly SeenEvent[],
  from: number
): Comparing<number> {
  for (let place = from; place < happened.length; place++) {
    if (fits(step, happened[place])) return place
    yield
  }
  return -1
}

function nounOf (step: ExpectedStep): EventSort {
  return eventSorts.find((sort) => step[sort] !== undefined) ?? 'request'
}

/** Lists the events that fit a step. */
export function * findFitting (
  step: ExpectedStep,
  happened: readonly SeenEvent[]
): Comparing<SeenEvent[]> {
  const fitting: SeenEvent[] = []
  for (const one of happened) {
    if (fits(step, one)) fitting.push(one)
    yield
  }
  return fitting
}

function fits (step: ExpectedStep, one: SeenEvent): boolean {
  return differences(step, one)?.length === 0
}

/** Differences between an event and a step; undefined if they are of different sorts. */
function differences (
  { request, callback, payment }: ExpectedStep,
  one: SeenEvent
): Difference[] | undefined {
  if (request !== undefined) {
    return 'request' in one ? differencesOfRequest(request, one.request) : undefined
  }
  if (payment !== undefined) {
    return 'payment' in one ? differencesOfPayment(payment, one.payment) : undefined
  }
  return callback !== undefined && 'callback' in one
    ? differencesOfCallback(callback, one.callback)
    : undefined
}

/** The latest of those that differ least. */
function * nearestTo (
  step: ExpectedStep,
  happened: readonly SeenEvent[]
): Comparing<{ nearest: NearestEvent } | undefined> {
  let best: { one: SeenEvent; differs: Difference[] } | undefined
  for (const one of happened) {
    const differs = differences(step, one)
    yield
    if (differs === undefined || differs.length === 0) continue
    if (best === undefined || weight(differs) <= weight(best.differs)) best = { one, differs }
  }
  if (best === undefined) return undefined
  const { one, differs } = best
  return {
    nearest: {
      [nounOf(step)]: one.id,
      summary: summaryOf(one),
      differences: differs.map((difference) => ({
        ...difference,
        ...('got' in difference && { got: brief(difference.got) })
      }))
    }
  }
}

/** Weight of differences. A wrong operation weighs more than a wrong value. */
function weight (differs: readonly Difference[]): number {
  return differs.reduce(
    (sum, { field, wanted }) =>
      sum + (/^(method|path|operation|kind|paymentId|id)$/.test(field) ? 3 : countValues(wanted)),
    0
  )
}

/** Number of values in an object: a missing object weighs as much as all of its fields. */
function countValues (wanted: unknown): number {
  if (typeof wanted !== 'object' || wanted === null) return 1
  return Object.values(wanted).reduce((sum: number, value) => sum + countValues(value), 1)
}

function summaryOf (one: SeenEvent): string {
  if ('request' in one) {
    return `${one.request.method} ${one.request.path.slice(0, shownLength)} ${one.request.status}`
  }
  if ('payment' in one) {
    const { kind, id, amount, currency, provider, status } = one.payment
    return [kind, id, amount, currency, provider, status].filter(Boolean).join(' ')
  }
  const { kind, paymentId, state, url } = one.callback
  return (
    `${kind}${paymentId === undefined ? '' : ` ${paymentId}`} ${state} ` +
    `${url.slice(0, shownLength)}`
  )
}

function brief (value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= shownLength ? value : `${text.slice(0, shownLength)}…`
}
