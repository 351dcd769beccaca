import type { Static, TSchema } from '@sinclair/typebox'
import { closed, createName, describe, Duration, Type } from '../lib/typebox.ts'
import { AdminErrorAnswer } from './errors.ts'
import { createEmptyAnswer, createTimestamp, HeaderMap, PageLimit } from './fields.ts'

/** Requests and answers of the calls about callback sinks. */

export const SinkPath = Type.Object({ name: createName(64, ['shop']) })

export const SinkQuery = Type.Object({ limit: Type.Optional(PageLimit) }, closed)

const Status = Type.Integer({
  minimum: 200,
  maximum: 599,
  description: 'an HTTP status from 200 to 599'
})

export const SinkAnswer = Type.Union(
  [Status, Type.Object({ status: Type.Optional(Status), delay: Type.Optional(Duration) }, closed)],
  { description: 'a status such as 500, or { status, delay }' }
)

/** Answer of a sink: a status, or a status and a delay. */
export type SinkAnswer = Static<typeof SinkAnswer>

const AnswerList = Type.Array(SinkAnswer, {
  maxItems: 1000,
  description: 'a list of answers, one for each of the next callbacks, such as [500, 200]'
})

export const SinkRequest = Type.Union(
  [
    AnswerList,
    Type.Object(
      {
        answers: Type.Optional(AnswerList),
        delay: Type.Optional(Duration),
        then: Type.Optional(SinkAnswer)
      },
      { ...closed, minProperties: 1 }
    )
  ],
  {
    description:
      'a list of answers such as [500, 200], or { answers, delay, then }: `delay` is the ' +
      'default delay of every answer, `then` is the answer after the list (default 200)',
    examples: [[500, 200]]
  }
)

/** Answers of a sink to the next callbacks, and to those after them. */
export type SinkAnswers = Static<typeof SinkRequest>

const PlannedAnswer = Type.Object(
  {
    status: Type.Integer({ description: 'the HTTP status' }),
    delayMs: describe('the time until the answer', Type.Integer())
  },
  closed
)

export const SinkOrders = Type.Object(
  {
    url: Type.String({ description: 'the callback URL of this sink' }),
    answers: describe('the answers to the next callbacks', Type.Array(PlannedAnswer)),
    then: describe('the answer after them', PlannedAnswer)
  },
  closed
)

/** Answers of a sink to the next callbacks. */
export interface SinkOrders extends Static<typeof SinkOrders> {}

const ReceivedCallback = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'its number in the sink' }),
    at: createTimestamp("when it arrived, on the machine's clock"),
    method: Type.String({ description: 'the method' }),
    path: Type.String({ description: 'the path' }),
    headers: describe('the headers by their names', HeaderMap),
    body: Type.Unknown({ description: 'the body as JSON, or as text' }),
    bodyTruncated: Type.Optional(
      Type.Boolean({ description: 'true if only the first 64 KiB are shown, as text' })
    ),
    answered: Type.Integer({ description: 'the status of the answer' }),
    signature: describe(
      'whether its signature is right',
      Type.Object(
        {
          valid: Type.Boolean({ description: 'true if nothing is wrong with it' }),
          because: describe('why, in a sentence', Type.String())
        },
        closed
      )
    )
  },
  closed
)

export const SinkView = Type.Object(
  {
    ...SinkOrders.properties,
    received: Type.Integer({
      minimum: 0,
      description: 'number of received callbacks; the last 1,000 are kept'
    }),
    callbacks: Type.Array(ReceivedCallback, { description: 'newest last' })
  },
  closed
)

/** Callbacks that a sink received, newest last. */
export interface Sink extends Static<typeof SinkView> {}

const Ordered = createEmptyAnswer('The answer that the sink was told to give.')

/** A sink answers callbacks with any status it was told to. */
export const SinkReply: Record<string, TSchema> = {
  '2xx': createEmptyAnswer('The answer that the sink was told to give; 200 by default.'),
  '3xx': Ordered,
  '4xx': Type.Union([Ordered, AdminErrorAnswer], {
    description: 'The answer that the sink was told to give, or the name of the sink is invalid.'
  }),
  '5xx': Ordered
}
