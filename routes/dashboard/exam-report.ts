import { ExamReport } from '../../src/admin-api/exam.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { AdminError } from '../admin/errors.ts'
import { sendReportPage } from '../admin/exam.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { wantsHtml } from '../http/html.ts'
import { readError } from './admin-call.ts'
import { findVisit, openRoute, type DashboardParts } from './find-visit.ts'
import { askForToken } from './sign-in.ts'

const reportValidator = createValidator(ExamReport)

/** Adds the whole report of an exam: the admin API has it, too, but takes no cookie. */
export function examReportRoute (app: TypedApp, parts: DashboardParts): void {
  app.get('/ui/exam/report', openRoute, async (request, reply) => {
    const { hasAccess, ask } = findVisit(parts, request)
    if (!hasAccess) return await askForToken(request, reply)
    const answer = await ask({ method: 'GET', path: '/__admin/exam' })
    const { body } = answer
    if (!reportValidator.check(body)) {
      const { message, hint } = readError(answer)
      throw new AdminError('NOT_FOUND', message, hint)
    }
    reply.header('vary', 'accept').header('cache-control', 'no-store')
    return wantsHtml(request) ? await sendReportPage(reply, body) : reply.send(body)
  })
}
