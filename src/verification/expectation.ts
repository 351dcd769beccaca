import type { Static } from '@sinclair/typebox'
import { closed, Type } from '../lib/typebox.ts'
import { CallbackMatcherSchema, RequestMatcherSchema } from './matching.ts'
import { PaymentMatcherSchema } from './payment-matching.ts'

/** Expectations of a test: how often something happened, or in which order. */

const Times = (which: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: `a number: ${which} so many of them`
  })

const StepSchema = Type.Object(
  {
    request: Type.Optional(RequestMatcherSchema),
    callback: Type.Optional(CallbackMatcherSchema),
    payment: Type.Optional(PaymentMatcherSchema)
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description: '{ request: matcher }, { callback: matcher } or { payment: matcher }'
  }
)

/** Sorts of events that an expectation can be about. */
export const eventSorts = ['request', 'callback', 'payment'] as const
export type EventSort = (typeof eventSorts)[number]

/** One event of an order. */
export type ExpectedStep = Static<typeof StepSchema>

/** Schema of an expectation. */
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
          'a list of 2 to 100 of { request: matcher }, { callback: matcher } and ' +
          '{ payment: matcher }, each after the one before it'
      })
    ),
    count: Type.Optional(Times('exactly')),
    atLeast: Type.Optional(Times('at least')),
    atMost: Type.Optional(Times('at most'))
  },
  {
    ...closed,
    description:
      'one of { request: matcher }, { callback: matcher }, { payment: matcher } and ' +
      '{ inOrder: [ … ] }, all but the last with count, or with atLeast and atMost'
  }
)

/** An expectation of a test. */
export type Expectation = Static<typeof ExpectationSchema>

/** Returns the contradiction in an expectation, or undefined. */
export function expectationProblem ({
  request,
  callback,
  payment,
  inOrder,
  count,
  atLeast,
  atMost
}: Expectation): string | undefined {
  const given = Object.entries({ request, callback, payment, inOrder })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (given.length !== 1) {
    return (
      'must say one of request, callback, payment and inOrder, and says ' +
      `${given.length === 0 ? 'none' : given.join(' and ')}`
    )
  }
  if (inOrder !== undefined && (count ?? atLeast ?? atMost) !== undefined) {
    return 'must not count what is in order; make a second expectation of it'
  }
  if (count !== undefined && (atLeast ?? atMost) !== undefined) {
    return 'must say count, or atLeast and atMost, not both'
  }
  if (atLeast === 0 && atMost === undefined) {
    return 'must not say atLeast 0 alone, which nothing can break'
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    return 'must not say atLeast more than atMost'
  }
}

/** Tells whether an expectation is about a sort of events. */
export function expectsSort (sort: EventSort, expectations: readonly Expectation[]): boolean {
  return expectations.some(
    (expectation) => sort in expectation || expectation.inOrder?.some((step) => sort in step)
  )
}
