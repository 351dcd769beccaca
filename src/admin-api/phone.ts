import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { decisions } from '../domain/customer-decision.ts'
import { DepositRecord } from '../wire/pages.ts'
import { DateTime, PhoneNumber } from '../wire/fields.ts'
import { kindNames, PaymentId } from './fields.ts'

/** Requests and answers of the calls about a customer's phone. */

/** Subject of a phone link: one deposit, or one checkout with its attempts. */
export const subjectPattern = '^(deposit|checkout)/[0-9a-fA-F-]{36}$'

export const PhonePath = Type.Object({
  phoneNumber: Type.String({
    ...PhoneNumber,
    pattern: '^[0-9]{1,32}$',
    description: 'a phone number with its country code, digits only'
  })
})

export const PromptPath = Type.Object({ ...PhonePath.properties, depositId: PaymentId })

export const PhoneQuery = Type.Object({
  about: Type.Optional(
    Type.String({
      pattern: subjectPattern,
      description: "'deposit/ID' or 'checkout/ID': only what belongs to this payment"
    })
  ),
  key: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'the key of a link to this phone; it replaces the tokens'
    })
  )
})

export const PromptAnswer = Type.Object(
  { decision: choice(decisions) },
  { ...closed, description: '{ decision }' }
)

/** Answer of a customer to a prompt. */
export type PromptDecision = Static<typeof PromptAnswer>['decision']

const PhoneMessage = Type.Object(
  {
    at: DateTime,
    kind: describe('the kind of payment', answerWord(...kindNames)),
    id: Type.String({ description: 'the identifier of the payment' }),
    status: describe('how the payment ended', answerWord('COMPLETED', 'FAILED')),
    from: Type.String({ description: 'the provider that sent it' }),
    text: Type.String({ description: 'the text message' })
  },
  closed
)

export const PhoneView = Type.Object(
  {
    phoneNumber: Type.String({ description: 'the number, digits only' }),
    page: Type.String({
      description:
        'the path of this phone as a page; its key opens this number of this account, or only ' +
        'the payment in `about`, and nothing else'
    }),
    prompts: describe(
      'the deposits that wait for the customer',
      Type.Array(
        Type.Object({
          ...DepositRecord.properties,
          customerMessage: describe('the text on the prompt', Type.String())
        })
      )
    ),
    messages: describe('the text messages, newest last', Type.Array(PhoneMessage))
  },
  closed
)

/** Phone of a customer. */
export interface Phone extends Static<typeof PhoneView> {}

/** Deposit that waits for its customer. */
export type Prompt = Phone['prompts'][number]
