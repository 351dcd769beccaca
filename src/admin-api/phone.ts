import { createChoice, Type } from '../lib/typebox.ts'
import { decisions } from '../domain/customer-decision.ts'
import { DepositRecord } from '../wire/pages.ts'
import { closed, DateTime, PhoneNumber, answerWord } from '../wire/fields.ts'
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
  { decision: createChoice(decisions) },
  { ...closed, description: '{ decision }' }
)

const PhoneMessage = Type.Object(
  {
    at: DateTime,
    kind: answerWord(...kindNames),
    id: Type.String(),
    status: answerWord('COMPLETED', 'FAILED'),
    from: Type.String({ description: 'the provider that sent it' }),
    text: Type.String()
  },
  closed
)

export const PhoneView = Type.Object(
  {
    phoneNumber: Type.String(),
    page: Type.String({
      description:
        'the path of this phone as a page; its key opens this number of this account, or only ' +
        'the payment in `about`, and nothing else'
    }),
    prompts: Type.Array(
      Type.Object({ ...DepositRecord.properties, customerMessage: Type.String() })
    ),
    messages: Type.Array(PhoneMessage)
  },
  closed
)
