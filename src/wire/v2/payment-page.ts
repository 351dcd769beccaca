import { closed, orNull, Type } from '../../lib/typebox.ts'
import {
  Amount,
  Country,
  Currency,
  Identifier,
  Message,
  PhoneNumber,
  ReturnUrl
} from '../fields.ts'
import { Language, pageCodec, Reason } from '../payment-page.ts'
import { omitUndefined, Metadata, readMetadata } from './fields.ts'

/** The payment page in v2. */
export const page = pageCodec({
  path: '/paymentpage',
  request: Type.Object(
    {
      depositId: Identifier,
      returnUrl: ReturnUrl,
      customerMessage: Type.Optional(orNull(Message)),
      amountDetails: Type.Optional(
        orNull(
          Type.Object(
            { amount: Amount, currency: Currency },
            { ...closed, description: '{ amount, currency }' }
          )
        )
      ),
      phoneNumber: Type.Optional(orNull(PhoneNumber)),
      language: Type.Optional(orNull(Language)),
      country: Type.Optional(orNull(Country)),
      reason: Type.Optional(orNull(Reason)),
      metadata: Type.Optional(orNull(Metadata))
    },
    {
      ...closed,
      description: 'a payment page session',
      examples: [
        {
          depositId: '3f1d9a52-5f0e-4b6c-9a55-0c6d1a2b3c4d',
          returnUrl: 'https://shop.example/paid',
          amountDetails: { amount: '15.00', currency: 'ZMW' },
          country: 'ZMB',
          reason: 'Ticket to the festival'
        }
      ]
    }
  ),
  read: ({ depositId, returnUrl, amountDetails, metadata, ...rest }) => ({
    depositId,
    returnUrl,
    ...amountDetails,
    ...omitUndefined({ ...rest, metadata: metadata ? readMetadata(metadata) : undefined })
  })
})
