import type { Static } from '@sinclair/typebox'
import { closed, Type } from '../lib/typebox.ts'
import { createTimestamp } from './fields.ts'

/** Answer of the call about the rates of the server. */

const PerSecond = Type.Number({ minimum: 0, description: 'per second' })

export const RatesAnswer = Type.Object(
  {
    samples: Type.Array(
      Type.Object(
        {
          at: createTimestamp("the end of its second, on the machine's clock"),
          requests: PerSecond,
          payments: PerSecond,
          callbacks: PerSecond
        },
        closed
      ),
      { description: 'one per second, oldest first, of the last two minutes' }
    )
  },
  closed
)

/** Requests, payments and callbacks per second. */
export type Rate = Static<typeof RatesAnswer>['samples'][number]
