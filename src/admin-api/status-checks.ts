import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Duration, Type } from '../lib/typebox.ts'
import { createOpenObject } from './fields.ts'

/** Requests and answers of the calls about ordered answers to status checks. */

const mostAnswers = 1000

const Status = Type.Union([Type.Literal(500), Type.Literal(503), Type.Literal(429)], {
  description: '500, 503 or 429'
})

export const StatusCheckAnswer = Type.Object(
  {
    found: Type.Optional(
      Type.Boolean({ description: 'false answers NOT_FOUND, even if the payment exists' })
    ),
    status: Type.Optional(Status),
    fault: Type.Optional(Type.Literal('reset', { description: "'reset'" })),
    delay: Type.Optional(Duration),
    record: Type.Optional(
      createOpenObject(
        'fields of the record that are answered with these values instead; null leaves one out'
      )
    )
  },
  { ...closed, description: '{ found, status, fault, delay, record }' }
)

/** Answer to one status check. */
export interface StatusCheckAnswer extends Static<typeof StatusCheckAnswer> {}

export const StatusCheckRequest = Type.Object(
  {
    answers: Type.Optional(
      Type.Array(StatusCheckAnswer, {
        maxItems: mostAnswers,
        description: 'a list of answers, one for each of the next status checks'
      })
    ),
    then: Type.Optional(StatusCheckAnswer)
  },
  {
    ...closed,
    description:
      '{ answers, then }: `then` is the answer after the list; without it, status checks are ' +
      'answered as usual',
    examples: [{ answers: [{ found: false }] }]
  }
)

/** Answers to the next status checks, and to those after them. */
export interface StatusCheckAnswers extends Static<typeof StatusCheckRequest> {}

const PlannedAnswer = Type.Object(
  {
    found: Type.Optional(Type.Boolean({ description: 'false answers NOT_FOUND' })),
    status: Type.Optional(Type.Integer({ description: 'the HTTP status' })),
    fault: Type.Optional(
      describe('how the connection ends without an answer', answerWord('reset'))
    ),
    delayMs: Type.Optional(Type.Integer({ description: 'the time until the answer' })),
    record: Type.Optional(
      describe('the fields that are answered with these values', createOpenObject())
    )
  },
  closed
)

export const StatusCheckOrders = Type.Object(
  {
    answers: describe('the answers to the next status checks', Type.Array(PlannedAnswer)),
    then: describe('the answer after them', PlannedAnswer)
  },
  closed
)

/** Ordered answers to the next status checks. */
export interface StatusCheckOrders extends Static<typeof StatusCheckOrders> {}
