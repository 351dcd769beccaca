import type { TSchema } from '@sinclair/typebox'
import { createName, Type } from '../lib/typebox.ts'
import { Duration } from '../lib/duration.ts'
import { closed } from '../wire/fields.ts'
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

const SinkAnswers = Type.Array(SinkAnswer, {
  maxItems: 1000,
  description: 'a list of answers, one for each of the next callbacks, such as [500, 200]'
})

export const SinkRequest = Type.Union(
  [
    SinkAnswers,
    Type.Object(
      {
        answers: Type.Optional(SinkAnswers),
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

const PlannedAnswer = Type.Object({ status: Type.Integer(), delayMs: Type.Integer() }, closed)

export const SinkOrders = Type.Object(
  {
    url: Type.String({ description: 'the callback URL of this sink' }),
    answers: Type.Array(PlannedAnswer),
    then: PlannedAnswer
  },
  closed
)

const ReceivedCallback = Type.Object(
  {
    n: Type.Integer({ minimum: 1 }),
    at: createTimestamp("when it arrived, on the machine's clock"),
    method: Type.String(),
    path: Type.String(),
    headers: HeaderMap,
    body: Type.Unknown({ description: 'the body as JSON, or as text' }),
    bodyTruncated: Type.Optional(
      Type.Boolean({ description: 'true if only the first 64 KiB are shown, as text' })
    ),
    answered: Type.Integer({ description: 'the status of the answer' }),
    signature: Type.Object({ valid: Type.Boolean(), because: Type.String() }, closed)
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
