import { VerifyAnswer, VerifyQuery, VerifyRequest } from '../../src/admin-api/verify.ts'
import { checkWantedBody } from '../../src/domain/body-comparison.ts'
import { expectationProblem, expectsSort } from '../../src/domain/expectation.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { Verification } from '../../src/services/verification.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { sendReport } from './reports.ts'

/** Call that checks the expectations of a test. */
export function verifyRoute (
  app: TypedApp,
  verification: Verification,
  journal: { enabled: boolean }
): void {
  app.post(
    '/verify',
    {
      config: {
        ...adminCall(
          'verify',
          'Compare expectations with the requests, callbacks and payments of this account',
          'Answers 200 in any case: `passed` is true if every expectation was met.'
        ),
        errors: [409]
      },
      schema: {
        querystring: VerifyQuery,
        body: VerifyRequest,
        response: {
          200: {
            description: 'The expectations that were not met.',
            content: {
              'application/json': { schema: VerifyAnswer },
              'application/xml': { schema: Type.String() },
              'text/markdown': { schema: Type.String() }
            }
          }
        }
      }
    },
    async ({ account, query, body: { expectations } }, reply) => {
      for (const { request, callback, inOrder = [] } of expectations) {
        for (const step of [{ request, callback }, ...inOrder]) {
          checkWantedBody(step.request?.body)
          checkWantedBody(step.callback?.body)
        }
      }
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
      if (!journal.enabled && expectsSort('request', expectations)) {
        throw new AdminError(
          'CONFLICT',
          'the request journal is switched off, so requests cannot be verified',
          'start the server without --journal 0'
        )
      }
      const { failed, dropped } = await verification.verify(account, expectations)
      const result = { passed: failed.length === 0, failed, dropped }
      if (query.format === undefined || query.format === 'json') return reply.send(result)
      const { writeVerifyJunit, writeVerifyMarkdown } =
        await import('../../src/admin-api/verify-report.ts')
      const write = query.format === 'junit' ? writeVerifyJunit : writeVerifyMarkdown
      return sendReport(reply, query.format, write(expectations, result))
    }
  )
}
