import { LintAnswer, LintQuery } from '../../src/admin-api/lint.ts'
import { Type } from '../../src/lib/typebox.ts'
import { buildFacts } from '../../src/lint/facts.ts'
import { lint, ruleNames } from '../../src/lint/lint.ts'
import { reportLint } from '../../src/lint/report.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'
import { sendReport } from './reports.ts'
import { showRequest } from './requests.ts'
import type { AdminParts } from './parts.ts'

/** Call that reports the requests of an account that v2 refuses, or that are unwise. */
export function lintRoute (app: TypedApp, { journal, catalogue }: AdminParts): void {
  app.get(
    '/lint',
    {
      config: {
        ...adminCall(
          'lint',
          'List the requests of this account that v2 refuses, or that are unwise',
          'Each finding has the request, the rule, and the same request in v2. ' +
            'As JUnit XML it has a test case for each rule.'
        ),
        errors: [409]
      },
      schema: {
        querystring: LintQuery,
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
          'the request journal is switched off, so requests cannot be checked',
          'start the server without --journal 0'
        )
      }
      const facts = buildFacts(catalogue.countries, account.settings.signedRequestsOnly === true)
      const { exchanges, dropped } = journal.readPart(account.id)
      const report = lint(
        { entries: exchanges.map(showRequest), facts },
        readIgnoredRules(query.ignore)
      )
      if (query.format === 'junit') {
        return sendReport(reply, 'junit', reportLint(report))
      }
      return reply.send({ ...report, dropped })
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
