import { availabilities } from '../domain/account.ts'
import { operations } from '../domain/kinds.ts'
import { answerWord, closed, Type } from '../lib/typebox.ts'
import { DateTime } from '../wire/fields.ts'
import { ClockAnswer } from './clock.ts'

/** Answer of the call that says what is switched on in an account. */

export const Overview = Type.Object(
  {
    clock: ClockAnswer,
    outages: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          operation: answerWord(...operations),
          status: answerWord(...availabilities),
          until: Type.Optional(DateTime)
        },
        closed
      ),
      { description: 'operations of providers that are DELAYED or CLOSED' }
    ),
    scenarios: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          remaining: Type.Optional(
            Type.Integer({
              minimum: 1,
              description: 'number of payments that it is still used for'
            })
          )
        },
        closed
      ),
      { description: 'scenarios that were added to the account and can still be used' }
    ),
    failingCallbacks: Type.Integer({
      minimum: 0,
      description:
        'number of payments whose last callback failed at least once and was not acknowledged, ' +
        'among the latest 1,000 callbacks'
    })
  },
  closed
)
