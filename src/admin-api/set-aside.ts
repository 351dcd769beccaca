import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'
import { DateTime } from '../wire/fields.ts'
import { createNumberText, kindNames, NextPage, PageLimit, PaymentId } from './fields.ts'

/** Requests and answers of the calls about payments that were set aside. */

export const SetAsideQuery = Type.Object(
  {
    after: Type.Optional(createNumberText('the `next` of the previous page')),
    limit: Type.Optional(PageLimit)
  },
  closed
)

export const SetAsidePath = Type.Object({
  number: createNumberText('the number of the payment in the list')
})

export const SetAsidePage = Type.Object(
  {
    payments: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ description: 'number for the call that tries it again' }),
          kind: Type.Optional(describe('the kind of payment', answerWord(...kindNames))),
          id: PaymentId,
          at: DateTime,
          error: Type.String({ description: 'why the payment could not be moved' })
        },
        closed
      )
    ),
    next: Type.Optional(NextPage)
  },
  closed
)

/** A payment that was set aside. */
export type SetAsidePayment = Static<typeof SetAsidePage>['payments'][number]
