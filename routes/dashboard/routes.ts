import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Overview } from '../../src/admin-api/overview.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { Account } from '../../src/domain/account.ts'
import { originalClock } from '../../src/lib/clock.ts'
import type { Html } from '../../src/lib/html.ts'
import { Type } from '../../src/lib/typebox.ts'
import { showUrls } from '../../src/lib/url.ts'
import type { ActionResult } from '../../src/services/action-results.ts'
import { AdminError, explainFailure, sendFailure, statusOf } from '../admin/errors.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import { readForms, readTexts } from '../http/forms.ts'
import { findAction, type Action, type ActionContext, type Fields } from './actions.ts'
import { findProblem, readError, type AdminAnswer, type AdminCall } from './admin-call.ts'
import { examReportRoute } from './exam-report.ts'
import { findVisit, longestField, openRoute } from './find-visit.ts'
import type { DashboardParts } from './find-visit.ts'
import { addSignInRoute, askForToken, signInFirst } from './sign-in.ts'
import { home, linkTo, type Visit } from './visit.ts'
import type { View } from './view.ts'
import { views } from './views.ts'

/** A stream tells of changes at most this often: browsers then stay responsive under load. */
const paceMs = 250
/** The journal has no change listeners: a stream looks at it this often. */
const journalMs = 1000

const overviewValidator = createValidator(Overview)

/** Name of the snapshot that takes back the last action that destroyed. */
const undoSnapshot = 'before-last-reset'

const ActionPath = Type.Object({ action: Type.String() })

/** Adds the pages of the dashboard and the forms of its actions. */
export function dashboardRoutes (app: TypedApp, parts: DashboardParts): void {
  readForms(app, longestField)
  showErrors(app, parts)
  for (const view of views) {
    const show = async (request: FastifyRequest, reply: FastifyReply) =>
      await showView(parts, view, request, reply)
    app.get(`/ui${view.path}`, openRoute, show)
    if (view.hasPreview === true) app.post(`/ui${view.path}`, openRoute, show)
  }
  app.get('/ui', openRoute, (request, reply) =>
    reply.redirect(linkTo(findVisit(parts, request), '/payments'))
  )
  app.get('/ui/events', openRoute, async (request, reply) => {
    const { account, hasAccess } = findVisit(parts, request)
    if (!hasAccess) throw signInFirst()
    const look = async () => ({
      account,
      body: versionOf(parts, account),
      topics: [{ any: true as const }],
      final: false
    })
    return await parts.eventStreams.send(reply, look, { paceMs, everyMs: journalMs })
  })
  addActionRoute(app, parts)
  addSignInRoute(app, parts)
  examReportRoute(app, parts)
  app.get('/ui/*', openRoute, async ({ url }) => {
    throw new AdminError(
      'NOT_FOUND',
      `the dashboard has no page ${url.split('?', 1)[0]}`,
      `the page ${home} leads to all pages`
    )
  })
}

/** Shows errors as pages to browsers. */
function showErrors (app: TypedApp, { log }: Pick<DashboardParts, 'log'>): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const failure = await explainFailure(error, request, log)
    if (!wantsHtml(request)) return sendFailure(reply, failure)
    const { errorPage } = await import('./templates/layout.ts')
    return sendHtml(reply.code(statusOf(failure.reason)), errorPage(failure))
  })
}

async function showView (
  parts: DashboardParts,
  view: View,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  const visit = findVisit(parts, request)
  if (!visit.hasAccess) return await askForToken(request, reply)
  const isPage = wantsHtml(request) && visit.query.format !== 'json'
  const params = readTexts(request.params)
  const call = view.call(params, visit)
  // Read before the content: a change in between is a later version.
  const mark =
    view.isSlow === true
      ? undefined
      : snapshotTag(versionOf(parts, visit.account), visit.account)
  const [answer, overview] = await Promise.all([visit.ask(call), isPage && readOverview(visit)])
  // Added, because Vary names Origin for a web page.
  reply.raw.appendHeader('vary', 'accept')
  if (!isPage) {
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.body)
  }
  const { layout } = await import('./templates/layout.ts')
  const page = { tab: view.tab, call, mark, overview: overview || undefined }
  if (answer.status !== 200) {
    const { status, ...content } = await explainAnswer(view, answer)
    return sendHtml(reply.code(status), layout(visit, { ...page, ...content }))
  }
  const content = await view.show(visit, answer.body, params)
  return sendHtml(reply, layout(visit, { ...page, ...content }))
}

/** Content in place of an answer that is empty or an error. */
async function explainAnswer (
  { emptyTitle }: View,
  answer: AdminAnswer
): Promise<{ status: number; title: string; body: Html }> {
  const { emptyHtml, problemHtml } = await import('./templates/problem.ts')
  const { status } = answer
  const error = readError(answer)
  if (status === 404 && emptyTitle !== undefined) {
    return { status: 200, title: emptyTitle, body: emptyHtml(error) }
  }
  const title = status === 404 ? 'Not found' : 'Not possible'
  return { status, title, body: problemHtml(error) }
}

/** Reads what is switched on, for the head of every page. */
async function readOverview (visit: Visit): Promise<Static<typeof Overview> | undefined> {
  const { body } = await visit.ask({ method: 'GET', path: '/__admin/overview' })
  return overviewValidator.check(body) ? body : undefined
}

/** What the pages of an account show changes with this, and with its clock. */
function versionOf (
  { accountVersions, journal, accounts }: DashboardParts,
  { id }: Account
): Record<string, number> {
  return {
    changes: accountVersions.find(id),
    requests: journal.total,
    accounts: accounts.all.length
  }
}

function addActionRoute (app: TypedApp, parts: DashboardParts): void {
  app.post(
    '/ui/actions/:action',
    { ...openRoute, schema: { params: ActionPath } },
    async (request, reply) => {
      const visit = findVisit(parts, request)
      if (!visit.hasAccess) throw signInFirst()
      const action = findAction(request.params.action)
      if (action === undefined) {
        throw new AdminError(
          'NOT_FOUND',
          'there is no such action',
          `GET ${home} shows all actions`
        )
      }
      const fields = readTexts(request.body, longestField)
      const { back = '/payments' } = fields
      const context = { newId: randomUUID, base: parts.links.base, ask: visit.ask }
      const { next = back, ...outcome } = await takeAction(visit, action, fields, context)
      const result = parts.actionResults.add({ ...outcome, fields })
      return reply.redirect(linkBack(visit, next, result), 303)
    }
  )
}

/** Address of the page after an action, with the number of its result. */
function linkBack (visit: Visit, page: string, result: string): string {
  const { pathname, searchParams } =
    URL.parse(page, 'http://dashboard') ?? new URL('http://dashboard/payments')
  return linkTo(visit, pathname, { ...Object.fromEntries(searchParams), result })
}

/** Takes an action. A field that cannot be read is a problem that the page shows. */
async function takeAction (
  visit: Visit,
  action: Action,
  fields: Fields,
  context: ActionContext
): Promise<Omit<ActionResult, 'fields'> & { next?: string }> {
  const isInPlace = action.page !== undefined && fields.back?.split('?', 1)[0] === action.page
  let call: AdminCall
  try {
    call = await action.call(fields, context)
  } catch (error) {
    const problem = `${(error as Error).message}: correct the text and try again`
    return { problem, isInPlace }
  }
  const undo = action.destroys === true ? await keepForUndo(visit) : undefined
  const answer = await visit.ask(call)
  const problem = findProblem(call, answer)
  const written = visit.curl(call)
  const curl = action.hidesUrls === true ? showUrls(written) : written
  if (problem !== undefined) return { problem, curl, isInPlace }
  const isFrozen = originalClock(visit.account.clock).mode === 'frozen'
  const done = isFrozen ? (action.frozen ?? action.done) : action.done
  return {
    done: typeof done === 'string' ? done : done(fields, answer.body),
    curl,
    undo,
    next: action.next?.(fields, call)
  }
}

/** Takes a snapshot before an action that destroys, and returns its name. */
async function keepForUndo (visit: Visit): Promise<string | undefined> {
  const body = { name: undoSnapshot }
  const { status } = await visit.ask({ method: 'POST', path: '/__admin/snapshots', body })
  return status === 201 ? undoSnapshot : undefined
}
