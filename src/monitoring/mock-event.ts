import type { Static } from '@sinclair/typebox'
import { Type } from '../lib/typebox.ts'
import { faults } from '../domain/response-behaviour.ts'
import { statuses } from '../domain/status.ts'
import type { MoveBy, NoCallbackReason, PlanOrigin } from '../domain/plan.ts'

/** Events of a mock, as `GET /__admin/events` sends them. */

const closed = { additionalProperties: false }

/** Schema of a field that is one of these words. */
function choice<const Word extends string> (words: readonly Word[], description?: string) {
  return Type.Union(
    words.map((word) => Type.Literal(word)),
    { ...(description !== undefined && { description }) }
  )
}

const common = {
  time: Type.String({ format: 'date-time', description: 'the system time of the event' }),
  account: Type.String({
    description: 'the name of the account; a sandbox account is shown with its number'
  })
}

const payment = {
  kind: Type.String({ description: 'such as deposit' }),
  paymentId: Type.String({ description: 'the identifier of the payment' })
}

const origins = [
  'default',
  'testNumber',
  'customer',
  'file',
  'added',
  'named',
  'waitingPart',
  'checkout'
] as const satisfies readonly PlanOrigin[]
const causers = [
  'plan',
  'parts',
  'operator',
  'merchant',
  'customer'
] as const satisfies readonly MoveBy[]
const silences = ['nowhere', 'part', 'dropped'] as const satisfies readonly NoCallbackReason[]

/** A payment was accepted. */
const AcceptedEvent = Type.Object(
  {
    ...common,
    type: Type.Literal('accepted'),
    ...payment,
    status: choice(statuses, 'the first status'),
    amount: Type.Optional(Type.String()),
    currency: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String()),
    origin: choice(origins, 'what chose the scenario'),
    scenario: Type.String({ description: 'the scenario that it follows' })
  },
  closed
)

/** A payment has another status. */
const StatusEvent = Type.Object(
  {
    ...common,
    type: Type.Literal('status'),
    ...payment,
    status: choice(statuses),
    failureCode: Type.Optional(Type.String()),
    by: choice(causers, 'who changed it'),
    cause: Type.String(),
    origin: choice(origins, 'what chose the scenario'),
    callback: Type.Optional(
      Type.Object(
        {
          url: Type.String(),
          inMs: Type.Integer({ description: 'the time until the first attempt' })
        },
        { ...closed, description: 'the callback that follows' }
      )
    ),
    noCallback: Type.Optional(choice(silences, 'why no callback follows a final status'))
  },
  closed
)

/** A callback was tried. */
const CallbackEvent = Type.Object(
  {
    ...common,
    type: Type.Literal('callback'),
    kind: Type.String({ description: 'such as deposit, or statement' }),
    paymentId: Type.Optional(payment.paymentId),
    url: Type.String(),
    attempt: Type.Integer({ description: 'the number of the attempt, from 1' }),
    httpStatus: Type.Optional(Type.Integer({ description: 'the answer of the receiver' })),
    error: Type.Optional(Type.String({ description: 'why there was no answer' })),
    durationMs: Type.Integer(),
    state: choice(['PENDING', 'ACKNOWLEDGED', 'EXHAUSTED']),
    nextInMs: Type.Optional(Type.Integer({ description: 'the time until the next attempt' }))
  },
  closed
)

/** A request was refused, or repeated an identifier, or its answer was broken by a scenario. */
const AnswerEvent = Type.Object(
  {
    ...common,
    type: Type.Literal('answer'),
    method: Type.String(),
    path: Type.String(),
    kind: Type.Optional(payment.kind),
    paymentId: Type.Optional(payment.paymentId),
    httpStatus: Type.Integer(),
    code: Type.String({ description: 'the error code, DUPLICATE_IGNORED, or ACCEPTED' }),
    message: Type.Optional(Type.String()),
    fault: Type.Optional(choice(faults))
  },
  closed
)

export const MockEventSchema = Type.Union([AcceptedEvent, StatusEvent, CallbackEvent, AnswerEvent])

/** Event of a mock. */
export type MockEvent = Static<typeof MockEventSchema>
