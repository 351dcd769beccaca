import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Journal } from '../../src/monitoring/request-journal.ts'
import { lint, ruleNames } from '../../src/lint/lint.ts'
import { buildFacts } from '../../src/lint/facts.ts'
import { writeJunitReport } from '../../src/lint/report.ts'
import { Type } from '../../src/lib/typebox.ts'
import { closed, wordOf } from '../../src/wire/fields.ts'
import { adminCall, AdminError, suggestName } from './guard.ts'
import { showRequest } from './requests.ts'

const Query = Type.Object(
  {
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('junit')], {
        description: "'json' or 'junit'; json when left out"
      })
    ),
    ignore: Type.Optional(
      Type.String({
        examples: ['browser-call,token-in-url'],
        description: 'rules to leave out, with commas between them'
      })
    )
  },
  closed
)

const Severity = wordOf('refused', 'warning')

export const LintAnswer = Type.Object(
  {
    passed: Type.Boolean({ description: 'is there no finding?' }),
    checked: Type.Integer({ minimum: 0, description: 'how many requests were looked at' }),
    dropped: Type.Integer({
      minimum: 0,
      description: 'how many requests the journal had no room for any more: they were not looked at'
    }),
    findings: Type.Array(
      Type.Object(
        {
          rule: Type.String(),
          severity: Severity,
          title: Type.String({ description: 'the rule, in a sentence' }),
          why: Type.String(),
          message: Type.String({ description: 'how the rule is broken' }),
          count: Type.Integer({
            minimum: 1,
            description: 'how many requests break it in this way'
          }),
          requests: Type.Array(Type.Integer(), {
            description: 'the ids of the first 20 of them in the journal'
          }),
          request: Type.Object(
            {
              id: Type.Integer(),
              method: Type.String(),
              url: Type.String(),
              body: Type.Optional(Type.Unknown())
            },
            { ...closed, description: 'the first of them' }
          ),
          equivalent: Type.Optional(
            Type.Object(
              {
                method: Type.String(),
                path: Type.String(),
                body: Type.Optional(Type.Unknown()),
                notes: Type.Optional(
                  Type.Array(Type.String(), {
                    description: 'what has to be added or decided by hand'
                  })
                )
              },
              { ...closed, description: 'the same in v2' }
            )
          )
        },
        closed
      )
    ),
    rules: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          severity: Severity,
          title: Type.String(),
          found: Type.Integer({ minimum: 0 })
        },
        closed
      ),
      { description: 'every rule that was applied' }
    )
  },
  closed
)

/** What the application does that v2 refuses, or that is unwise. */
export function lintRoute (app: FastifyInstance, journal: Journal, catalogue: Catalogue): void {
  app.get(
    '/lint',
    {
      config: adminCall(
        'lint',
        'What the requests of this account do that v2 refuses, or that is unwise',
        'Each finding has the request, the rule, and the same request in v2. ' +
          'As JUnit XML it has a test case for each rule.'
      ),
      schema: {
        querystring: Query,
        response: {
          200: {
            description: 'The findings.',
            content: {
              'application/json': { schema: LintAnswer },
              'application/xml': { schema: Type.String() }
            }
          }
        }
      }
    },
    async ({ account, query }, reply) => {
      if (!journal.enabled) {
        throw new AdminError(
          'CONFLICT',
          'the journal is switched off, so nothing is known of requests',
          'start the server without --journal 0'
        )
      }
      const { format, ignore } = query as Static<typeof Query>
      const facts = buildFacts(catalogue.countries, account.settings.signedRequestsOnly === true)
      const report = lint(
        { entries: [...journal.listNewest(account.id)].map(showRequest), facts },
        readIgnoredRules(ignore)
      )
      if (format === 'junit') {
        return reply
          .type('application/xml; charset=utf-8')
          .serializer((text: string) => text)
          .send(writeJunitReport(report))
      }
      return reply.send({ ...report, dropped: journal.dropped(account.id) })
    }
  )
}

function readIgnoredRules (names = ''): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      if (!ruleNames.includes(name)) {
        throw new AdminError(
          'BAD_REQUEST',
          `ignore: there is no rule '${name.slice(0, 40)}'`,
          suggestName(name, ruleNames)
        )
      }
      return name
    })
}
