import { createChoice, Type } from '../lib/typebox.ts'
import { generations } from '../domain/api-version.ts'
import { closed, answerWord } from '../wire/fields.ts'
import { EarlierVersion, EarlierVersionFilter, kindNames } from './fields.ts'

/** Requests and answers of the calls about test numbers and example requests. */

export const TestNumberList = Type.Object(
  {
    testNumbers: Type.Array(
      Type.Object(
        {
          phoneNumber: Type.String(),
          country: Type.String(),
          provider: Type.String(),
          operation: answerWord('DEPOSIT', 'PAYOUT'),
          outcome: Type.String({ description: 'COMPLETED, PENDING or a failure code' })
        },
        closed
      ),
      { description: 'of all providers of the account; those of PAYOUT also decide refunds' }
    )
  },
  closed
)

const optionalText = (description: string) => Type.Optional(Type.String({ description }))

export const ExampleQuery = Type.Object(
  {
    kind: Type.Optional(createChoice(kindNames)),
    version: Type.Optional(createChoice(generations)),
    generation: Type.Optional(EarlierVersionFilter),
    phoneNumber: optionalText('the phone number of the customer'),
    provider: optionalText('the code of a provider; without it, that of the phone number'),
    amount: optionalText('an amount such as 15.50'),
    currency: optionalText('a currency; without it, the first one of the provider'),
    depositId: optionalText('the deposit that a refund is for')
  },
  closed
)

export const ExampleRequest = Type.Object(
  {
    kind: answerWord(...kindNames),
    version: answerWord(...generations),
    generation: EarlierVersion,
    method: Type.Literal('POST'),
    path: Type.String(),
    body: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { additionalProperties: true, description: 'a body that is accepted' })
    )
  },
  closed
)
