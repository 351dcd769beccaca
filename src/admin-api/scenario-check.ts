import type { Static } from '@sinclair/typebox'
import { closed, Type } from '../lib/typebox.ts'
import { PaymentSummary } from './payments.ts'

/** Request and answer of the call that checks a scenario. */

export const ScenarioText = Type.Object(
  {
    text: Type.String({
      maxLength: 20_000,
      description: 'a scenario in YAML or JSON, at most 20,000 characters'
    })
  },
  {
    ...closed,
    description: '{ text }',
    examples: [{ text: 'when: { kind: deposit }\nreject: INVALID_CURRENCY' }]
  }
)

const TextProblem = Type.Object(
  {
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'the line in the text' })),
    message: Type.String({ description: 'the field, the rule and the fix' })
  },
  closed
)

export const ScenarioCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'true if there is no problem' }),
    problems: Type.Array(TextProblem, { description: 'in the order of their lines' }),
    notes: Type.Array(Type.String(), { description: 'words of v1 that are read as words of v2' }),
    affected: Type.Optional(
      Type.Object(
        {
          compared: Type.Integer({
            minimum: 0,
            description: 'number of payments that were compared: the last 200 of the account'
          }),
          matching: Type.Integer({ minimum: 0, description: 'number of those that match' }),
          payments: Type.Array(PaymentSummary, {
            description: 'the first 20 that match, newest first'
          })
        },
        { ...closed, description: 'present if it is valid: the payments it would have affected' }
      )
    )
  },
  closed
)

/** Problems of a scenario, and the payments that it would have affected. */
export interface ScenarioCheck extends Static<typeof ScenarioCheck> {}
