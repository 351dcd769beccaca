import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'
import { invariants, type Invariant } from '../domain/invariants.ts'

/** Answer of the call that checks the invariants of an account. */
export const InvariantsAnswer = Type.Object(
  {
    hold: Type.Boolean({ description: 'true if every invariant holds' }),
    invariants: describe(
      'every rule, and what was checked',
      Type.Array(
        Type.Object(
          {
            name: describe(
              'the name of the rule',
              answerWord(...(Object.keys(invariants) as Invariant[]))
            ),
            rule: Type.String({ description: 'what must be true' }),
            checked: Type.Integer({
              minimum: 0,
              description: 'number of payments or wallets that were checked'
            }),
            broken: Type.Integer({ minimum: 0, description: 'number of them that break the rule' }),
            offenders: Type.Array(
              Type.Object(
                {
                  what: Type.String({ description: 'the payment or the wallet' }),
                  problem: describe('how it breaks the rule', Type.String())
                },
                closed
              ),
              { description: 'the first hundred of them' }
            )
          },
          closed
        )
      )
    ),
    oldPayments: Type.Integer({
      minimum: 0,
      description:
        'payments of before resets and restores that are still being deleted in the background'
    })
  },
  closed
)

/** Rules that must always be true of an account, and whether they are. */
export interface Invariants extends Static<typeof InvariantsAnswer> {}
