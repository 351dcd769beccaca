import { uuidPattern } from '../lib/ids.ts'
import { createChoice, Type } from '../lib/typebox.ts'
import { deliveryStates } from '../ports/outgoing-callback.ts'
import { closed, DateTime, answerWord } from '../wire/fields.ts'
import {
  createJsonObject,
  createNumberText,
  createTimestamp,
  HeaderMap,
  kindNames,
  NextPage,
  PageLimit,
  PaymentId
} from './fields.ts'

/** Requests and answers of the calls about callbacks. */

export const CallbackPath = Type.Object({ id: createNumberText('the id of the callback') })

export const CallbackQuery = Type.Object(
  {
    state: Type.Optional(createChoice(deliveryStates)),
    kind: Type.Optional(Type.String({ description: 'only callbacks of this kind of payment' })),
    paymentId: Type.Optional(
      Type.String({
        pattern: uuidPattern,
        examples: PaymentId.examples as string[],
        description: 'a UUID: only callbacks of this payment'
      })
    ),
    url: Type.Optional(
      Type.String({ format: 'http-url', description: 'an http or https URL: only callbacks to it' })
    ),
    order: Type.Optional(
      createChoice(['oldest', 'newest'], {
        description: "'oldest' or 'newest': which callbacks come first; the default is oldest"
      })
    ),
    after: Type.Optional(createNumberText('the `next` of the previous page')),
    limit: Type.Optional(PageLimit)
  },
  closed
)

const Attempt = Type.Object(
  {
    at: DateTime,
    durationMs: Type.Number(),
    request: Type.Object({ headers: HeaderMap, body: Type.String() }, closed),
    status: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String({ description: 'why there was no status' })),
    response: Type.Optional(
      Type.Object(
        { headers: HeaderMap, body: Type.String({ description: 'the first 2 KiB' }) },
        closed
      )
    )
  },
  closed
)

export const CallbackView = Type.Object(
  {
    id: Type.Integer(),
    kind: answerWord(...kindNames, 'statement'),
    paymentId: Type.Optional(Type.String({ description: 'the payment that it reports' })),
    url: Type.String({ description: 'where it is sent; a password in it is hidden' }),
    state: answerWord(...deliveryStates),
    created: createTimestamp("when it was created, on the account's clock"),
    nextAttempt: Type.Optional(
      createTimestamp("when the next attempt is due, on the account's clock")
    ),
    faults: Type.Optional(
      Type.Object(
        {
          staleMs: Type.Optional(Type.Integer()),
          wrongKey: Type.Optional(Type.Boolean()),
          otherHost: Type.Optional(Type.Boolean()),
          tampered: Type.Optional(Type.Boolean()),
          unsigned: Type.Optional(Type.Boolean())
        },
        { ...closed, description: 'the faults that a scenario or the tester put into it' }
      )
    ),
    body: createJsonObject(),
    tries: Type.Integer({ minimum: 0, description: 'number of attempts so far' }),
    attempts: Type.Array(Attempt, {
      description: 'the attempts that are still kept: the last 10,000 of the account'
    })
  },
  closed
)

export const CallbackPage = Type.Object(
  { callbacks: Type.Array(CallbackView), next: Type.Optional(NextPage) },
  closed
)
