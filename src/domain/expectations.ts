import type { Static } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import {
  CallbackMatcherSchema,
  differencesOfCallback,
  differencesOfRequest,
  RequestMatcherSchema,
  type Difference,
  type SeenCallback,
  type SeenRequest
} from './matching.ts'

/**
 * What a test expects to have happened, and whether it has. Pure: what was seen comes in, what is
 * wrong goes out.
 */

const closed = { additionalProperties: false } as const
const Times = (which: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: `a number: ${which} so many of them`
  })

const StepSchema = Type.Object(
  {
    request: Type.Optional(RequestMatcherSchema),
    callback: Type.Optional(CallbackMatcherSchema)
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description: '{ request: matcher } or { callback: matcher }'
  }
)

type Step = Static<typeof StepSchema>

export const ExpectationSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'what it is called in the answer, at most 200 characters'
      })
    ),
    ...StepSchema.properties,
    inOrder: Type.Optional(
      Type.Array(StepSchema, {
        minItems: 2,
        maxItems: 100,
        description:
          'a list of 2 to 100 of { request: matcher } and { callback: matcher }, each after ' +
          'the one before it'
      })
    ),
    count: Type.Optional(Times('exactly')),
    atLeast: Type.Optional(Times('at least')),
    atMost: Type.Optional(Times('at most'))
  },
  {
    ...closed,
    description:
      'one of { request: matcher }, { callback: matcher } and { inOrder: [ … ] }, the first ' +
      'two with count, or with atLeast and atMost'
  }
)

export type Expectation = Static<typeof ExpectationSchema>

/** Something that happened, by its number among those of its sort. */
export type SeenEvent = { id: number; at: number } & (
  { request: SeenRequest } | { callback: SeenCallback }
)

/** An expectation that was not met. */
export interface UnmetExpectation {
  /** Which one it is, counted from 0. */
  index: number
  name?: string
  message: string
  /** How many fit; in an order, how many of its steps were seen. */
  count: number
  /** Those that fit: the first of them. */
  matched: number[]
  nearest?: NearestEvent
}

/** What came nearest to what was wanted, and how it differs. */
export interface NearestEvent {
  request?: number
  callback?: number
  summary: string
  differences: Difference[]
}

/** At most so many of those that fit are named. */
const namedMatches = 20
/** Values are shown up to this length. */
const shownLength = 300

/** What is wrong with an expectation in itself. */
export function expectationProblem ({
  request,
  callback,
  inOrder,
  count,
  atLeast,
  atMost
}: Expectation): string | undefined {
  const given = Object.entries({ request, callback, inOrder })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (given.length !== 1) {
    return (
      'must say one of request, callback and inOrder, and says ' +
      `${given.length === 0 ? 'none' : given.join(' and ')}`
    )
  }
  if (inOrder !== undefined && (count ?? atLeast ?? atMost) !== undefined) {
    return 'must not count what is in order; make a second expectation of it'
  }
  if (count !== undefined && (atLeast ?? atMost) !== undefined) {
    return 'must say count, or atLeast and atMost, not both'
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    return 'must not say atLeast more than atMost'
  }
}

/** Is any of the expectations about things of this sort? */
export function isAbout (
  sort: 'request' | 'callback',
  expectations: readonly Expectation[]
): boolean {
  return expectations.some(
    (expectation) => sort in expectation || expectation.inOrder?.some((step) => sort in step)
  )
}

/** How many requests and callbacks there were that nobody can look at any more. */
export type DroppedCounts = Record<'request' | 'callback', number>

/**
 * What is wrong with one of the expectations, by all that happened, oldest first; nothing, if it
 * was met.
 */
export function judgeExpectation (
  expectation: Expectation,
  index: number,
  happened: readonly SeenEvent[],
  unseen: DroppedCounts
): UnmetExpectation | undefined {
  const failure =
    expectation.inOrder === undefined
      ? counted(expectation, happened, unseen)
      : ordered(expectation.inOrder, happened)
  return (
    failure && {
      index,
      ...(expectation.name !== undefined && { name: expectation.name }),
      ...failure
    }
  )
}

type Finding = Omit<UnmetExpectation, 'index' | 'name'>

function counted (
  { request, callback, ...expectation }: Expectation,
  happened: readonly SeenEvent[],
  unseen: DroppedCounts
): Finding | undefined {
  const step: Step = {
    ...(request !== undefined && { request }),
    ...(callback !== undefined && { callback })
  }
  const fitting = happened.filter((one) => fits(step, one))
  const [least, most] = bounds(expectation)
  const noun = nounOf(step)
  // Where some were not looked at, there may have been more: nobody can say that there were not.
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
  return {
    message:
      `${wanted} expected, ${fitting.length} ` +
      `seen${unseen[noun] === 0 ? '' : `; ${some(unseen[noun])} before that could not be looked at any more, so there may have been more`}`,
    count: fitting.length,
    matched: fitting.slice(0, namedMatches).map(({ id }) => id),
    ...(fitting.length < least && nearestTo(step, happened))
  }
}

/** Without a number, it must have happened. */
function bounds ({
  count,
  atLeast,
  atMost
}: Pick<Expectation, 'count' | 'atLeast' | 'atMost'>): [least: number, most: number] {
  if (count !== undefined) return [count, count]
  return [atLeast ?? (atMost === undefined ? 1 : 0), atMost ?? Infinity]
}

/** The earliest that fits each step leaves the most room for the next. */
function ordered (steps: readonly Step[], happened: readonly SeenEvent[]): Finding | undefined {
  const matched: number[] = []
  let from = 0
  for (const [n, step] of steps.entries()) {
    const found = happened.findIndex((one, place) => place >= from && fits(step, one))
    if (found !== -1) {
      matched.push(happened[found].id)
      from = found + 1
      continue
    }
    const earlier = happened.some((one) => fits(step, one))
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
      ...(!earlier && nearestTo(step, happened))
    }
  }
}

function nounOf ({ request }: Step): 'request' | 'callback' {
  return request === undefined ? 'callback' : 'request'
}

function fits (step: Step, one: SeenEvent): boolean {
  return differences(step, one)?.length === 0
}

/** How something differs from a step; nothing, if it is of another sort. */
function differences ({ request, callback }: Step, one: SeenEvent): Difference[] | undefined {
  if (request !== undefined) {
    return 'request' in one ? differencesOfRequest(request, one.request) : undefined
  }
  return callback !== undefined && 'callback' in one
    ? differencesOfCallback(callback, one.callback)
    : undefined
}

/** The latest of those that differ least. */
function nearestTo (
  step: Step,
  happened: readonly SeenEvent[]
): { nearest: NearestEvent } | undefined {
  let best: { one: SeenEvent; differs: Difference[] } | undefined
  for (const one of happened) {
    const differs = differences(step, one)
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

/** Another address is further away than another value. */
function weight (differs: readonly Difference[]): number {
  return differs.reduce(
    (sum, { field, wanted }) =>
      sum + (/^(method|path|operation|kind|paymentId)$/.test(field) ? 3 : size(wanted)),
    0
  )
}

/**
 * Where a whole object is missing, so is each of its fields: one that is there and has other fields
 * is nearer.
 */
function size (wanted: unknown): number {
  if (typeof wanted !== 'object' || wanted === null) return 1
  return Object.values(wanted).reduce((sum: number, value) => sum + size(value), 1)
}

function summaryOf (one: SeenEvent): string {
  if ('request' in one) {
    return `${one.request.method} ${one.request.path.slice(0, shownLength)} ${one.request.status}`
  }
  const { kind, paymentId, state, url } = one.callback
  return (
    `${kind ?? 'statement'}${paymentId === undefined ? '' : ` ${paymentId}`} ${state} ` +
    `${url.slice(0, shownLength)}`
  )
}

function brief (value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= shownLength ? value : `${text.slice(0, shownLength)}…`
}
