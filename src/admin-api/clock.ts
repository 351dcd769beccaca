import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Duration, Type } from '../lib/typebox.ts'
import { ClockSpeed } from '../accounts/stored-state.ts'
import { DateTime } from '../wire/fields.ts'

/** Requests and answers of the calls about an account's clock. */

export const ClockRequest = Type.Object(
  {
    mode: choice(['running', 'frozen'], { description: "'running' or 'frozen'" }),
    now: Type.Optional(DateTime),
    speed: Type.Optional(ClockSpeed)
  },
  {
    ...closed,
    description: '{ mode, now, speed }',
    examples: [{ mode: 'frozen', now: '2026-01-01T00:00:00Z' }]
  }
)

/** Mode and time of a clock to set. */
export interface ClockSettings extends Static<typeof ClockRequest> {}

export const AdvanceRequest = Type.Object(
  {
    by: Type.Optional(Duration),
    to: Type.Optional(DateTime),
    until: Type.Optional(
      choice(['next', 'idle'], {
        description: "'next' (the next due time) or 'idle' (nothing is due any more)"
      })
    )
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description:
      "one of { by: '15m' }, { to: '2026-01-01T00:00:00Z' }, { until: 'next' } and " +
      "{ until: 'idle' }",
    examples: [{ by: '15m' }]
  }
)

/** Duration or time by which the clock is advanced. */
export interface ClockAdvance extends Static<typeof AdvanceRequest> {}

export const ClockAnswer = Type.Object(
  {
    mode: describe('whether it runs or stands', answerWord('running', 'frozen')),
    now: DateTime,
    speed: describe('how fast it runs; 1 is as fast as the clock of the machine', Type.Number())
  },
  closed
)

/** Clock of the account. */
export interface Clock extends Static<typeof ClockAnswer> {}

export const AdvanceAnswer = Type.Object(
  {
    ...ClockAnswer.properties,
    transitions: Type.Integer({ minimum: 0, description: 'number of state changes of payments' }),
    callbacks: Type.Integer({ minimum: 0, description: 'number of callback delivery attempts' }),
    expirations: Type.Integer({
      minimum: 0,
      description: 'number of checkouts and payment page links that expired'
    }),
    expiredCheckouts: Type.Integer({ minimum: 0, description: 'number of expired checkouts' }),
    expiredLinks: Type.Integer({
      minimum: 0,
      description: 'number of payment page links that expired without a payment'
    })
  },
  closed
)

/** Result of an advance of the clock. */
export interface Advance extends Static<typeof AdvanceAnswer> {}
