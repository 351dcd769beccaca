import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { groups, type Coverage, type Group } from '../../src/domain/coverage.ts'
import type { CoverageTracker } from '../../src/monitoring/coverage-tracker.ts'
import { closed, wordOf } from '../../src/wire/fields.ts'
import { html, type Html } from '../../src/lib/html.ts'
import { adminCall, AdminError, suggestName } from './guard.ts'

const Query = Type.Object(
  {
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('junit')], {
        description: "'json' or 'junit'; json when left out"
      })
    ),
    min: Type.Optional(
      Type.String({
        pattern: '^(100|[1-9]?[0-9])(\\.[0-9])?$',
        examples: ['60'],
        description: 'a number from 0 to 100: how much must be covered, in percent'
      })
    ),
    generation: Type.Optional(
      Type.Union([Type.Literal('v1'), Type.Literal('v2')], {
        description: "'v1' or 'v2': without what only the other one has"
      })
    ),
    groups: Type.Optional(
      Type.String({ description: `some of ${groups.join(', ')}, with commas between them` })
    )
  },
  closed
)

export const CoverageAnswer = Type.Object(
  {
    covered: Type.Integer({ minimum: 0 }),
    total: Type.Integer({ minimum: 0 }),
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    min: Type.Optional(Type.Number({ description: 'how much must be covered' })),
    passed: Type.Optional(Type.Boolean({ description: 'is as much covered as must be?' })),
    groups: Type.Array(
      Type.Object(
        {
          name: wordOf(...groups),
          covered: Type.Integer({ minimum: 0 }),
          total: Type.Integer({ minimum: 0 }),
          exercised: Type.Array(Type.String()),
          missing: Type.Array(Type.String())
        },
        closed
      )
    )
  },
  closed
)

/**
 * What this account's traffic has exercised, for people and for a gate in continuous integration.
 */
export function coverageRoute (app: FastifyInstance, coverageTracker: CoverageTracker): void {
  app.get(
    '/coverage',
    {
      config: adminCall(
        'getCoverage',
        'What the traffic of this account has exercised, and what not',
        'Statuses, failure codes, rejection codes, kinds, operations, flows, faults and ' +
          'callback drills. As JUnit XML it has a test case for each, skipped where it was not ' +
          'exercised, and with `min` one that fails when too little was.'
      ),
      schema: {
        querystring: Query,
        response: {
          200: {
            description: 'What was exercised, and what not.',
            content: {
              'application/json': { schema: CoverageAnswer },
              'application/xml': { schema: Type.String() }
            }
          }
        }
      }
    },
    async (request, reply) => {
      const {
        format,
        min: least,
        generation,
        groups: names
      } = request.query as Static<typeof Query>
      const coverage = await coverageTracker.readCoverage(request.account, {
        ...(generation !== undefined && { generation }),
        ...(names !== undefined && { groups: chooseGroups(names) })
      })
      const min = least === undefined ? undefined : Number(least)
      if (format === 'junit') {
        return reply
          .type('application/xml; charset=utf-8')
          .serializer((text: string) => text)
          .send(writeJunit(coverage, min).text)
      }
      return reply.send({
        ...coverage,
        ...(min !== undefined && { min, passed: coverage.percent >= min })
      })
    }
  )
}

function chooseGroups (names: string): Group[] {
  return names.split(',').map((name) => {
    const group = groups.find((group) => group === name.trim())
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

/**
 * The same as a report of tests: what was not exercised is skipped, and too little of it is a
 * failure.
 */
function writeJunit ({ covered, total, percent, groups }: Coverage, min: number | undefined): Html {
  const failed = min !== undefined && percent < min
  const failures = failed ? 1 : 0
  const gate =
    min === undefined
      ? undefined
      : html`<testsuite name="coverage" tests="1" failures="${failures}" errors="0" skipped="0">
<testcase classname="momock.coverage" name="at least ${min} percent">${failed ? html`<failure message="${percent} percent is covered, ${covered} of ${total}; ${min} must be"/>` : undefined}</testcase>
</testsuite>
`
  return html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="momock" tests="${total + (min === undefined ? 0 : 1)}" failures="${failures}" errors="0" skipped="${total - covered}">
${gate}${groups.map(
    (
      group
    ) => html`<testsuite name="${group.name}" tests="${group.total}" failures="0" errors="0" skipped="${group.missing.length}">
${group.exercised.map(
  (name) => html`<testcase classname="momock.${group.name}" name="${name}"/>
`
)}${group.missing.map(
      (
        name
      ) => html`<testcase classname="momock.${group.name}" name="${name}"><skipped message="not exercised"/></testcase>
`
    )}</testsuite>
`
  )}</testsuites>
`
}
