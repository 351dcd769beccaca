import type { Static, TSchema } from '@sinclair/typebox'
import { choice, closed, Duration, Type } from '../lib/typebox.ts'
import { statuses } from '../domain/status.ts'
import { createErrorSchema } from './errors.ts'
import { KindWord, PaymentId } from './fields.ts'
import { PaymentView } from './payments.ts'
import { Nearest } from './verify.ts'

/** Request and error of the call that waits for a payment. */

const goals = ['final', 'acknowledged', ...statuses] as const

export const WaitRequest = Type.Object(
  {
    kind: KindWord,
    id: PaymentId,
    until: Type.Optional(
      choice(goals, {
        description: `one of ${goals.join(', ')}; the default is final`,
        examples: ['ACCEPTED']
      })
    ),
    timeout: Type.Optional(Duration)
  },
  { ...closed, description: '{ kind, id, until, timeout }' }
)

/** Goal of a wait. */
export type WaitGoal = NonNullable<Static<typeof WaitRequest>['until']>

const many = 1000

/** Creates the schema of a wait for events that match. */
export function createEventWait<Matcher extends TSchema> (matcher: Matcher) {
  return Type.Object(
    {
      matcher,
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: many,
          description: `a number from 1 to ${many}: how many must match; the default is 1`
        })
      ),
      timeout: Type.Optional(Duration)
    },
    { ...closed, description: '{ matcher, count, timeout }' }
  )
}

export const EventWaitError = createErrorSchema({ nearest: Type.Optional(Nearest) })

export const WaitError = createErrorSchema({
  seen: Type.Object(PaymentView.properties, {
    ...closed,
    description: 'the payment when the wait ended'
  })
})
