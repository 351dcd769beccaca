import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { ExamQuery, ExamReport } from '../../src/admin-api/exam.ts'
import { createEmptyAnswer } from '../../src/admin-api/fields.ts'
import type { Account } from '../../src/domain/account.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { wantsHtml } from '../http/html.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls about the last report of `momock exam`: the exam sends it, and people look at it. */
export function examRoutes (app: TypedApp, parts: AdminParts): void {
  keepReportRoute(app, parts)
  showReportRoute(app, parts)
}

function keepReportRoute (app: TypedApp, { examReports }: AdminParts): void {
  app.put(
    '/exam/report',
    {
      config: adminCall(
        'saveExamReport',
        'Keep a report of `momock exam`',
        '`momock exam` sends its report after each check. The last one is kept, for each account.'
      ),
      schema: {
        body: ExamReport,
        response: { 204: createEmptyAnswer('The report is kept.') }
      }
    },
    async ({ account, body }, reply) => {
      examReports.keep(account.id, body)
      return reply.code(204).send()
    }
  )
}

function showReportRoute (app: TypedApp, { examReports, accounts }: AdminParts): void {
  app.get(
    '/exam',
    {
      config: {
        ...adminCall(
          'getExamReport',
          'Show the last report of `momock exam`',
          'JSON, or the page that `momock exam --html` writes for browsers. While an exam runs, ' +
            '`summary.interrupted` says so. A reset of the account keeps the report; a restart ' +
            'does not.'
        ),
        errors: [404]
      },
      schema: {
        querystring: ExamQuery,
        response: {
          200: {
            description: 'The report.',
            content: {
              'application/json': { schema: ExamReport },
              'text/html': { schema: Type.String() }
            }
          }
        }
      }
    },
    async (request, reply) => {
      const account = findOwner(accounts, request.account, request.query.account)
      const report = examReports.find(account.id)
      if (report === undefined) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no exam report of the account ${account.name}`,
          'run momock exam --mock URL with the token of this account as mock.token'
        )
      }
      reply.header('cache-control', 'no-store')
      return wantsHtml(request) ? await sendReportPage(reply, report) : reply.send(report)
    }
  )
}

/** Sends a report as the page that `momock exam --html` writes. */
export async function sendReportPage (
  reply: FastifyReply,
  report: Static<typeof ExamReport>
): Promise<FastifyReply> {
  const { htmlReport, reportStyle } = await import('../../src/reports/exam/page.ts')
  const hash = createHash('sha256').update(reportStyle).digest('base64')
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'self'`
    )
    .header('x-content-type-options', 'nosniff')
    .send(htmlReport(report))
}

/** Finds the account whose report is shown: the named one, or the account of the token. */
function findOwner (accounts: Accounts, own: Account, name: string | undefined): Account {
  if (name === undefined) return own
  const account = accounts.byName(name)
  if (account !== undefined) return account
  throw new AdminError(
    'NOT_FOUND',
    `there is no account '${name.slice(0, 40)}'`,
    'GET /__admin/accounts lists the accounts'
  )
}
