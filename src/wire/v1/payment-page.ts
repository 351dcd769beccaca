import { orNull, Type } from '../../lib/typebox.ts'
import { Country, Identifier, Message, PhoneNumber, ReturnUrl } from '../fields.ts'
import { Language, pageCodec, Reason } from '../payment-page.ts'
import { LooseAmount, Metadata, readAmount, readMetadata } from './fields.ts'

/**
 * The payment page in v1: msisdn, statementDescription, and an amount without a
 * currency.
 */
export const page = pageCodec({
  path: '/v1/widget/sessions',
  request: Type.Object(
    {
      depositId: Identifier,
      returnUrl: ReturnUrl,
      statementDescription: Type.Optional(orNull(Message)),
      amount: Type.Optional(orNull(LooseAmount)),
      msisdn: Type.Optional(orNull(PhoneNumber)),
      language: Type.Optional(orNull(Language)),
      country: Type.Optional(orNull(Country)),
      reason: Type.Optional(orNull(Reason)),
      metadata: Type.Optional(orNull(Metadata))
    },
    {
      description: 'a payment page session',
      examples: [
        {
          depositId: '7c2e8b41-6a1f-4d7e-8b66-1d7e2b3c4d5e',
          returnUrl: 'https://shop.example/paid',
          amount: '15.00',
          country: 'ZMB',
          reason: 'Ticket to the festival'
        }
      ]
    }
  ),
  read: ({
    depositId,
    returnUrl,
    statementDescription,
    amount,
    msisdn,
    language,
    country,
    reason,
    metadata
  }) => ({
    depositId,
    returnUrl,
    ...(statementDescription && { customerMessage: statementDescription }),
    ...(amount !== undefined && amount !== null && { amount: readAmount(amount) }),
    ...(msisdn && { phoneNumber: msisdn }),
    ...(language && { language }),
    ...(country && { country }),
    ...(reason && { reason }),
    ...(metadata && { metadata: readMetadata(metadata) })
  })
})
