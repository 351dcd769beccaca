import type { Static } from '@sinclair/typebox'
import { choice, closed, describe, Type } from '../lib/typebox.ts'
import { faults } from '../domain/response-behaviour.ts'
import { statuses } from '../domain/status.ts'
import type { MoveBy, NoCallbackReason, PlanOrigin } from '../domain/plan.ts'

/** Events of a mock, as `GET /__admin/events` sends them. */

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
    type: describe('what happened', Type.Literal('accepted')),
    ...payment,
    status: choice(statuses, { description: 'the first status' }),
    amount: Type.Optional(Type.String({ description: 'the amount, as it was sent' })),
    currency: Type.Optional(Type.String({ description: 'its currency' })),
    provider: Type.Optional(Type.String({ description: 'the provider of the customer' })),
    origin: choice(origins, { description: 'what chose the scenario' }),
    scenario: Type.String({ description: 'the scenario that it follows' })
  },
  closed
)

/** A payment has another status. */
const StatusEvent = Type.Object(
  {
    ...common,
    type: describe('what happened', Type.Literal('status')),
    ...payment,
    status: describe('the status that it got', choice(statuses)),
    failureCode: Type.Optional(Type.String({ description: 'why it failed' })),
    by: choice(causers, { description: 'who changed it' }),
    cause: Type.String({ description: 'why, in a sentence' }),
    origin: choice(origins, { description: 'what chose the scenario' }),
    callback: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'where it is sent' }),
          inMs: Type.Integer({ description: 'the time until the first attempt' })
        },
        { ...closed, description: 'the callback that follows' }
      )
    ),
    noCallback: Type.Optional(
      choice(silences, { description: 'why no callback follows a final status' })
    )
  },
  closed
)

/** A callback was tried. */
const CallbackEvent = Type.Object(
  {
    ...common,
    type: describe('what happened', Type.Literal('callback')),
    kind: Type.String({ description: 'such as deposit, or statement' }),
    paymentId: Type.Optional(payment.paymentId),
    url: Type.String({ description: 'where it was sent' }),
    attempt: Type.Integer({ description: 'the number of the attempt, from 1' }),
    httpStatus: Type.Optional(Type.Integer({ description: 'the answer of the receiver' })),
    error: Type.Optional(Type.String({ description: 'why there was no answer' })),
    durationMs: Type.Integer({ description: 'the time until the answer or the error' }),
    state: describe(
      'PENDING until it was delivered or given up',
      choice(['PENDING', 'ACKNOWLEDGED', 'EXHAUSTED'])
    ),
    nextInMs: Type.Optional(Type.Integer({ description: 'the time until the next attempt' }))
  },
  closed
)

/** A request was refused, or repeated an identifier, or its answer was broken by a scenario. */
const AnswerEvent = Type.Object(
  {
    ...common,
    type: describe('what happened', Type.Literal('answer')),
    method: Type.String({ description: 'the method' }),
    path: Type.String({ description: 'the path' }),
    kind: Type.Optional(payment.kind),
    paymentId: Type.Optional(payment.paymentId),
    httpStatus: Type.Integer({ description: 'the HTTP status of the answer' }),
    code: Type.String({ description: 'the error code, DUPLICATE_IGNORED, or ACCEPTED' }),
    message: Type.Optional(Type.String({ description: 'the message of the answer' })),
    fault: Type.Optional(describe('the fault that a scenario put into the answer', choice(faults)))
  },
  closed
)

export const MockEventSchema = Type.Union([AcceptedEvent, StatusEvent, CallbackEvent, AnswerEvent])

/** Event of a mock. */
export type MockEvent = Static<typeof MockEventSchema>
