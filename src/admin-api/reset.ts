import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'
import { resetParts } from '../domain/reset-parts.ts'

/** Request and answer of the reset of an account. */

const list = resetParts.join(', ')

/** A test run may reset between any two tests, so its coverage stays unless told otherwise. */
const Forgettable = Type.Literal('coverage', {
  description: "'coverage', which is kept by default"
})

export const ResetQuery = Type.Object(
  {
    keep: Type.Optional(Type.String({ description: `a list of ${list}, separated by commas` })),
    forget: Type.Optional(Forgettable)
  },
  closed
)

export const ResetRequest = Type.Object(
  {
    keep: Type.Optional(
      Type.Array(Type.String({ description: `one of ${list}` }), {
        description: `a list of ${list}`,
        examples: [['clock']]
      })
    ),
    forget: Type.Optional(
      Type.Array(Forgettable, { description: "['coverage'], which is kept by default" })
    )
  },
  {
    ...closed,
    description: '{ keep: [ … ], forget: [ … ] }, or no body',
    examples: [{ keep: ['clock'] }]
  }
)

export const ResetAnswer = Type.Object(
  {
    reset: describe(
      'the parts that are as at the start again',
      Type.Array(answerWord(...resetParts))
    ),
    kept: describe('the parts that have stayed', Type.Array(answerWord(...resetParts)))
  },
  closed
)

/** Parts that a reset has set back, and parts that it has kept. */
export interface Reset extends Static<typeof ResetAnswer> {}
