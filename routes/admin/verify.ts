import { VerifyAnswer, VerifyQuery, VerifyRequest } from '../../src/admin-api/verify.ts'
import {
  eventSorts,
  expectationProblem,
  expectsSort,
  type Expectation
} from '../../src/verification/expectation.ts'
import { Type } from '../../src/lib/typebox.ts'
import { reportVerification } from '../../src/reports/verify.ts'
import { findNearest } from '../../src/lib/validator.ts'
import type { RouteIndex } from '../http/route-index.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { checkMatchers, type PlacedStep } from './matcher-words.ts'
import { sendReport } from './reports.ts'
import type { AdminParts } from './parts.ts'

/** Call that checks the expectations of a test. */
export function verifyRoute (app: TypedApp, { journal, routeIndex, ...words }: AdminParts): void {
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
      await checkMatchers(words, account, expectations.flatMap(listSteps))
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
      const { failed, dropped } = await words.verification.verify(account, expectations)
      for (const [index, expectation] of expectations.entries()) {
        if (failed.some((one) => one.index === index)) continue
        checkForbiddenPath(index, expectation, routeIndex)
      }
      const result = { passed: failed.length === 0, failed, dropped }
      if (query.format === undefined || query.format === 'json') return reply.send(result)
      return sendReport(reply, query.format, reportVerification(expectations, result))
    }
  )
}

/** Refuses a misspelt path of requests that must not come: none would ever come. */
function checkForbiddenPath (
  index: number,
  { request: { path } = {}, count, atMost }: Expectation,
  routeIndex: RouteIndex
): void {
  if ((count ?? atMost) !== 0 || path === undefined || routeIndex.isPath(path)) return
  const paths = routeIndex.routes
    .map(({ url }) => url.replace(/:(\w+)/g, '{$1}'))
    .filter((url) => !url.startsWith('/__admin'))
  const near = findNearest(path, paths)
  if (near === undefined) return
  throw new AdminError(
    'BAD_REQUEST',
    `expectations.${index}.request.path: the API has no path '${path.slice(0, 200)}', so no ` +
      'request that it takes could break this',
    `did you mean ${near}? GET /__admin/requests/unmatched lists requests with other paths`
  )
}

/** Lists the matchers of an expectation with their paths in the request. */
function listSteps (expectation: Expectation, index: number): PlacedStep[] {
  const path = `expectations.${index}`
  const steps: PlacedStep[] = [
    [path, expectation],
    ...(expectation.inOrder ?? []).map((step, n): PlacedStep => [`${path}.inOrder.${n}`, step])
  ]
  return steps.flatMap(([path, step]) =>
    eventSorts.flatMap((sort): PlacedStep[] =>
      step[sort] === undefined ? [] : [[`${path}.${sort}`, { [sort]: step[sort] }]]
    )
  )
}
