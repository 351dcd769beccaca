import type { Static } from '@sinclair/typebox'
import { closed, createName, Type } from '../lib/typebox.ts'
import { ScenarioSchema } from '../domain/scenario-file.ts'
import { createTimestamp } from './fields.ts'

/** Requests and answers of the calls about scenarios. */

export const ScenarioPath = Type.Object({
  name: Type.String({ description: 'the name of the scenario', examples: ['never-answers'] })
})

const ScenarioName = createName(64)

export const NewScenario = Type.Object(
  { name: Type.Optional(ScenarioName), ...ScenarioSchema.properties },
  {
    ...closed,
    description: 'a scenario, which gets a name if it has none',
    examples: [
      {
        name: 'never-answers',
        when: { kind: 'deposit', phoneNumber: '26076345678[0-4]' },
        script: [
          { after: '50ms', to: 'PROCESSING' },
          { after: '30s', to: 'FAILED', failureCode: 'PAYMENT_NOT_APPROVED' }
        ],
        times: 3
      }
    ]
  }
)

/** Fields of a scenario file, and a name. */
export interface Scenario extends Static<typeof NewScenario> {}

export const AddedScenarioAnswer = Type.Object(
  {
    ...NewScenario.properties,
    name: ScenarioName,
    used: Type.Integer({ minimum: 0, description: 'number of payments that used it' }),
    remaining: Type.Optional(
      Type.Integer({ minimum: 0, description: 'number of payments that it is still used for' })
    ),
    until: Type.Optional(createTimestamp("time of the account's clock at which it ends by itself"))
  },
  closed
)

/** Scenario that was added to the account. */
export interface AddedScenario extends Static<typeof AddedScenarioAnswer> {}

export const ScenarioList = Type.Object(
  {
    scenarios: Type.Array(AddedScenarioAnswer),
    files: Type.Array(
      Type.Object({
        name: Type.String(),
        when: ScenarioSchema.properties.when,
        used: AddedScenarioAnswer.properties.used
      })
    )
  },
  closed
)
