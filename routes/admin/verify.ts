import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { expectationProblem, ExpectationSchema, isAbout } from '../../src/domain/expectations.ts'
import type { Journal } from '../../src/monitoring/request-journal.ts'
import type { Verification } from '../../src/services/verification.ts'
import { closed } from '../../src/wire/fields.ts'
import { adminCall, AdminError } from './guard.ts'

const VerifyRequest = Type.Object(
  {
    expectations: Type.Array(ExpectationSchema, {
      minItems: 1,
      maxItems: 1000,
      description: 'a list of 1 to 1000 expectations'
    })
  },
  {
    ...closed,
    description: '{ expectations: [ … ] }',
    examples: [
      {
        expectations: [
          { request: { method: 'POST', path: '/v2/deposits' }, atLeast: 1 },
          { callback: { kind: 'deposit', body: { status: 'FAILED' } }, count: 0 }
        ]
      }
    ]
  }
)

export const VerifyAnswer = Type.Object(
  {
    passed: Type.Boolean({ description: 'was every expectation met?' }),
    failed: Type.Array(
      Type.Object(
        {
          index: Type.Integer({
            minimum: 0,
            description: 'which expectation it is, counted from 0'
          }),
          name: Type.Optional(Type.String()),
          message: Type.String({ description: 'what was expected, and what was seen' }),
          count: Type.Integer({
            minimum: 0,
            description: 'how many fit; in an order, how many of its steps were seen'
          }),
          matched: Type.Array(Type.Integer(), {
            description: 'the ids of those that fit, at most 20'
          }),
          nearest: Type.Optional(
            Type.Object(
              {
                request: Type.Optional(Type.Integer({ description: 'its id in the journal' })),
                callback: Type.Optional(
                  Type.Integer({ description: 'its id among the callbacks' })
                ),
                summary: Type.String(),
                differences: Type.Array(
                  Type.Object(
                    {
                      field: Type.String(),
                      wanted: Type.Unknown(),
                      got: Type.Optional(
                        Type.Unknown({ description: 'left out where there is nothing' })
                      )
                    },
                    closed
                  )
                )
              },
              { ...closed, description: 'what came nearest, and how it differs' }
            )
          )
        },
        closed
      ),
      { description: 'the expectations that were not met' }
    ),
    dropped: Type.Integer({
      minimum: 0,
      description:
        'how many requests the journal had no room for any more, and how many callbacks ' +
        'there are beside the newest 10000: they were not looked at, and so no count, and no ' +
        'atMost, of them can be met'
    })
  },
  closed
)

/** Has everything happened that a test expects, and nothing else? */
export function verifyRoute (
  app: FastifyInstance,
  verification: Verification,
  journal: Journal
): void {
  app.post(
    '/verify',
    {
      config: adminCall(
        'verify',
        'Compare what was expected with the requests and callbacks of this account',
        'Answers 200 whether or not the expectations were met: look at `passed`.'
      ),
      schema: { body: VerifyRequest, response: { 200: VerifyAnswer } }
    },
    async (request) => {
      const { expectations } = request.body as Static<typeof VerifyRequest>
      const problems = expectations.flatMap((expectation, index) => {
        const problem = expectationProblem(expectation)
        return problem === undefined ? [] : [`expectations.${index} ${problem}`]
      })
      if (problems.length > 0) {
        throw new AdminError(
          'BAD_REQUEST',
          problems.join('; '),
          'such as { "request": { "method": "POST", "path": "/v2/deposits" }, "count": 1 }'
        )
      }
      if (!journal.enabled && isAbout('request', expectations)) {
        throw new AdminError(
          'CONFLICT',
          'the journal is switched off, so nothing is known of requests',
          'start the server without --journal 0'
        )
      }
      const { failed, dropped } = await verification.verify(request.account, expectations)
      return { passed: failed.length === 0, failed, dropped }
    }
  )
}
