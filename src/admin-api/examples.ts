import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { EarlierVersion, versions } from '../domain/api-version.ts'
import { kindNames } from './fields.ts'

/** Requests and answers of the calls about test numbers and example requests. */

export const TestNumberList = Type.Object(
  {
    testNumbers: Type.Array(
      Type.Object(
        {
          phoneNumber: Type.String({ description: 'the number to send' }),
          country: Type.String({ description: 'its country' }),
          provider: Type.String({ description: 'its provider' }),
          operation: describe('the operation that it decides', answerWord('DEPOSIT', 'PAYOUT')),
          outcome: Type.String({ description: 'COMPLETED, PENDING or a failure code' })
        },
        closed
      ),
      { description: 'of all providers of the account; those of PAYOUT also decide refunds' }
    )
  },
  closed
)

/** Phone number that decides a payment. */
export type TestNumber = Static<typeof TestNumberList>['testNumbers'][number]

const optionalText = (description: string) => Type.Optional(Type.String({ description }))

export const ExampleQuery = Type.Object(
  {
    kind: Type.Optional(choice(kindNames)),
    version: Type.Optional(choice(versions)),
    generation: EarlierVersion,
    phoneNumber: optionalText('the phone number of the customer'),
    provider: optionalText('the code of a provider; without it, that of the phone number'),
    amount: optionalText('an amount such as 15.50'),
    currency: optionalText('a currency; without it, the first one of the provider'),
    depositId: optionalText('the deposit that a refund is for')
  },
  closed
)

/** Terms of an example request. */
export interface ExampleTerms extends Static<typeof ExampleQuery> {}

export const ExampleRequest = Type.Object(
  {
    kind: describe('the kind of payment', answerWord(...kindNames)),
    version: describe('the version of the API', answerWord(...versions)),
    method: describe('the method', Type.Literal('POST')),
    path: Type.String({ description: 'the path, without a host' }),
    body: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { additionalProperties: true, description: 'a body that is accepted' })
    )
  },
  closed
)

/** Request that is accepted. */
export interface ExampleRequest extends Static<typeof ExampleRequest> {}

export const SendRequest = Type.Object(
  {
    ...ExampleQuery.properties,
    scenario: optionalText('the scenario that the payment follows')
  },
  {
    ...closed,
    description: '{ kind, version, provider, phoneNumber, amount, currency, depositId, scenario }',
    examples: [{ kind: 'deposit', amount: '15' }]
  }
)

/** Terms of a request to send. */
export interface SendTerms extends Omit<Static<typeof SendRequest>, 'kind'> {}

const Initiated = Type.Object(
  {
    status: Type.Optional(
      describe(
        'what became of it',
        answerWord('ACCEPTED', 'ENQUEUED', 'DUPLICATE_IGNORED', 'REJECTED')
      )
    ),
    created: Type.Optional(Type.String({ description: 'when the payment was created' })),
    redirectUrl: Type.Optional(Type.String({ description: 'page to send the customer to' })),
    failureReason: Type.Optional(
      Type.Object(
        {
          failureCode: Type.String({ description: 'the code' }),
          failureMessage: Type.String({ description: 'a sentence' })
        },
        { additionalProperties: true, description: 'why it was rejected' }
      )
    ),
    problem: Type.Optional(
      Type.String({ description: 'why there was no answer, or no JSON; then it is the only field' })
    )
  },
  { additionalProperties: true, description: 'the answer' }
)

export const SentRequest = Type.Object(
  {
    id: Type.String({ description: 'the identifier of the payment' }),
    request: describe('the request, as it was sent', ExampleRequest),
    status: Type.Integer({ description: 'the HTTP status of the answer; 504 without an answer' }),
    body: Initiated
  },
  closed
)

/** Request that was sent, and its answer. */
export interface SentRequest extends Static<typeof SentRequest> {}
