import { CoverageAnswer, CoverageQuery } from '../../src/admin-api/coverage.ts'
import { readVersion } from '../../src/domain/api-version.ts'
import { groups, type Group } from '../../src/verification/coverage.ts'
import { Type } from '../../src/lib/typebox.ts'
import { reportCoverage } from '../../src/reports/coverage.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'
import { sendReport } from './reports.ts'
import type { AdminParts } from './parts.ts'

/** Call that reports the coverage of the API, as JSON or as JUnit XML. */
export function coverageRoute (app: TypedApp, { coverageTracker }: AdminParts): void {
  app.get(
    '/coverage',
    {
      config: adminCall(
        'getCoverage',
        'Show which features of the API this account has used',
        'Statuses, failure codes, rejection codes, kinds, operations, flows, faults and callback ' +
          'faults. JUnit XML has one test case per feature, which is skipped if the feature was ' +
          'not used. With `min` it has another test case, which fails if the coverage is lower.'
      ),
      schema: {
        querystring: CoverageQuery,
        response: {
          200: {
            description: 'The features that were used, and those that were not.',
            content: {
              'application/json': { schema: CoverageAnswer },
              'application/xml': { schema: Type.String() },
              'text/markdown': { schema: Type.String() }
            }
          }
        }
      }
    },
    async ({ account, query }, reply) => {
      const { version } = readVersion(query)
      const coverage = await coverageTracker.readCoverage(account, {
        ...(version !== undefined && { version }),
        ...(query.groups !== undefined && { groups: readGroups(query.groups) })
      })
      const min = query.min === undefined ? undefined : Number(query.min)
      if (query.format === 'junit' || query.format === 'markdown') {
        return sendReport(reply, query.format, reportCoverage(coverage, min))
      }
      return reply.send({
        ...coverage,
        ...(min !== undefined && { min, passed: coverage.percent >= min })
      })
    }
  )
}

/** Earlier names of groups, for tests that use them. */
const earlierNames: Partial<Record<string, Group>> = { callbackDrills: 'callbackFaults' }

function readGroups (names: string): Group[] {
  return names.split(',').map((name) => {
    const wanted = name.trim()
    const group = groups.find((group) => group === (earlierNames[wanted] ?? wanted))
    if (group === undefined) {
      throw new AdminError(
        'BAD_REQUEST',
        `groups: there is no group '${name.slice(0, 40)}'`,
        suggestName(name, groups)
      )
    }
    return group
  })
}
