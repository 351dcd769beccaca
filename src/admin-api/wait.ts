import { Type } from '../lib/typebox.ts'
import { Duration } from '../lib/duration.ts'
import { statuses } from '../domain/status.ts'
import { closed } from '../wire/fields.ts'
import { createErrorSchema } from './errors.ts'
import { createChoice, KindWord, PaymentId } from './fields.ts'
import { PaymentView } from './payments.ts'

/** Request and error of the call that waits for a payment. */

const goals = ['final', 'acknowledged', ...statuses] as const

export const WaitRequest = Type.Object(
  {
    kind: KindWord,
    id: PaymentId,
    until: Type.Optional(
      createChoice(goals, {
        description: `one of ${goals.join(', ')}; the default is final`,
        examples: ['ACCEPTED']
      })
    ),
    timeout: Type.Optional(Duration)
  },
  { ...closed, description: '{ kind, id, until, timeout }' }
)

export const WaitError = createErrorSchema({
  seen: Type.Object(PaymentView.properties, {
    ...closed,
    description: 'the payment when the wait ended'
  })
})
