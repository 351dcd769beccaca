import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'
import { kindNames } from './fields.ts'

/** Answer of the call about the codes of payments. */

export const CodesAnswer = Type.Object(
  {
    codes: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'the code; those of v1 with another name come last' }),
          means: Type.Optional(
            Type.String({ description: 'code of v2 that means the same, of a code of v1' })
          ),
          fails: Type.Array(answerWord(...kindNames), {
            description: 'the kinds whose accepted payments can fail with it'
          }),
          rejects: Type.Array(answerWord(...kindNames), {
            description: 'the kinds whose requests can be rejected with it'
          }),
          message: Type.Optional(
            Type.String({ description: 'failureMessage of a payment that failed with it' })
          ),
          customer: Type.Object(
            {
              en: Type.String({ description: 'in English' }),
              fr: describe('in French', Type.String())
            },
            { ...closed, description: 'a sentence for your customer, in English and French' }
          )
        },
        closed
      )
    )
  },
  closed
)

/** Code of a failed or rejected payment. */
export type PaymentCode = Static<typeof CodesAnswer>['codes'][number]
