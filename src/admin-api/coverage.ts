import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { EarlierVersion, versions } from '../domain/api-version.ts'
import { groups } from '../verification/coverage.ts'

/** Request and answer of the coverage call. */

export const CoverageQuery = Type.Object(
  {
    format: Type.Optional(
      choice(['json', 'junit', 'markdown'], {
        description: "'json', 'junit' or 'markdown'; the default is json"
      })
    ),
    min: Type.Optional(
      Type.String({
        pattern: '^(100|[1-9]?[0-9])(\\.[0-9])?$',
        examples: ['60'],
        description: 'a number from 0 to 100: the percentage that must be covered'
      })
    ),
    version: Type.Optional(
      choice(versions, {
        description: "'v1' or 'v2': leaves out what only the other version has"
      })
    ),
    generation: EarlierVersion,
    groups: Type.Optional(
      Type.String({ description: `some of ${groups.join(', ')}, separated by commas` })
    )
  },
  closed
)

export const CoverageAnswer = Type.Object(
  {
    covered: Type.Integer({ minimum: 0, description: 'the number of features that were used' }),
    total: Type.Integer({ minimum: 0, description: 'the number of all features' }),
    percent: Type.Number({ minimum: 0, maximum: 100, description: 'the part that was used' }),
    min: Type.Optional(Type.Number({ description: 'the percentage that must be covered' })),
    passed: Type.Optional(Type.Boolean({ description: 'true if percent is at least min' })),
    groups: describe(
      'the features by group',
      Type.Array(
        Type.Object(
          {
            name: describe('the group', answerWord(...groups)),
            covered: Type.Integer({
              minimum: 0,
              description: 'the number of its features that were used'
            }),
            total: Type.Integer({ minimum: 0, description: 'the number of all of its features' }),
            exercised: describe('the features that were used', Type.Array(Type.String())),
            missing: describe('the features that were not used', Type.Array(Type.String()))
          },
          closed
        )
      )
    )
  },
  closed
)

/** Features of the API that an account has used, and those that it has not. */
export interface Coverage extends Static<typeof CoverageAnswer> {}
