import type { Static } from '@sinclair/typebox'
import { uuidPattern } from '../lib/ids.ts'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { deliveryStates } from '../ports/outgoing-callback.ts'
import { DateTime } from '../wire/fields.ts'
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
    state: Type.Optional(choice(deliveryStates)),
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
      choice(['oldest', 'newest'], {
        description: "'oldest' or 'newest': which callbacks come first; the default is oldest"
      })
    ),
    after: Type.Optional(createNumberText('the `next` of the previous page')),
    limit: Type.Optional(PageLimit)
  },
  closed
)

export const Attempt = Type.Object(
  {
    at: DateTime,
    durationMs: Type.Number({ description: 'the time until the answer or the error' }),
    request: describe(
      'what was sent',
      Type.Object(
        {
          headers: describe('the headers by their names', HeaderMap),
          body: describe('the body, as it was sent', Type.String())
        },
        closed
      )
    ),
    status: Type.Optional(Type.Integer({ description: 'the HTTP status of the answer' })),
    error: Type.Optional(Type.String({ description: 'why there was no status' })),
    response: Type.Optional(
      describe(
        'the answer of the receiver',
        Type.Object(
          {
            headers: describe('the headers by their names', HeaderMap),
            body: Type.String({ description: 'the first 2 KiB' })
          },
          closed
        )
      )
    )
  },
  closed
)

/** One attempt to deliver a callback. */
export interface CallbackAttempt extends Static<typeof Attempt> {}

export const CallbackView = Type.Object(
  {
    id: Type.Integer({ description: 'its number; it never changes' }),
    kind: describe(
      'the kind of payment that it is about, or statement',
      answerWord(...kindNames, 'statement')
    ),
    paymentId: Type.Optional(Type.String({ description: 'the payment that it reports' })),
    url: Type.String({ description: 'where it is sent; a password in it is hidden' }),
    state: describe('PENDING until it was delivered or given up', answerWord(...deliveryStates)),
    created: createTimestamp("when it was created, on the account's clock"),
    nextAttempt: Type.Optional(
      createTimestamp("when the next attempt is due, on the account's clock")
    ),
    faults: Type.Optional(
      Type.Object(
        {
          staleMs: Type.Optional(
            Type.Integer({ description: 'the age of its signature when it is sent' })
          ),
          wrongKey: Type.Optional(
            Type.Boolean({ description: 'true: signed with a key that is not ours' })
          ),
          otherHost: Type.Optional(Type.Boolean({ description: 'true: signed for another host' })),
          tampered: Type.Optional(
            Type.Boolean({ description: 'true: changed after it was signed' })
          ),
          unsigned: Type.Optional(Type.Boolean({ description: 'true: without a signature' }))
        },
        { ...closed, description: 'the faults that a scenario or the tester put into it' }
      )
    ),
    body: createJsonObject('the JSON that is sent'),
    tries: Type.Integer({ minimum: 0, description: 'number of attempts so far' }),
    attempts: Type.Array(Attempt, {
      description: 'the attempts that are still kept: the last 10,000 of the account'
    })
  },
  closed
)

/** Callback with every attempt to deliver it. */
export interface Callback extends Static<typeof CallbackView> {}

export const CallbackPage = Type.Object(
  { callbacks: Type.Array(CallbackView), next: Type.Optional(NextPage) },
  closed
)
