import { hash, randomUUID } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { SnapshotList } from '../../src/admin-api/snapshots.ts'
import { originalClock } from '../../src/lib/clock.ts'
import type { Html } from '../../src/lib/html.ts'
import { Type } from '../../src/lib/typebox.ts'
import { showUrls } from '../../src/lib/url.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { ActionResult } from '../../src/services/action-results.ts'
import { AdminError, explainFailure, sendFailure, statusOf } from '../admin/errors.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../pages/customer.ts'
import { readForms, readTexts } from '../pages/forms.ts'
import { findAction, type Action, type ActionContext, type Fields } from './actions.ts'
import { findProblem, readError, type AdminAnswer, type AdminCall } from './admin-call.ts'
import { examReportRoute } from './exam-report.ts'
import { findVisit, longestField, openRoute } from './find-visit.ts'
import type { DashboardParts } from './find-visit.ts'
import { addSignInRoute, askForToken, signInFirst } from './sign-in.ts'
import { SlowAnswers } from './slow-answers.ts'
import { home, linkTo, type Visit } from './visit.ts'
import type { View } from './view.ts'
import { views } from './views.ts'

/** A stream tells of changes at most this often: browsers then stay responsive under load. */
const paceMs = 250
/** The journal has no change listeners: a stream looks at it this often. */
const journalMs = 1000

const snapshotValidator = createValidator(SnapshotList)
const ActionPath = Type.Object({ action: Type.String() })

/** Adds the pages of the dashboard and the forms of its actions. */
export function dashboardRoutes (app: TypedApp, given: Omit<DashboardParts, 'slowAnswers'>): void {
  readForms(app, longestField)
  showErrors(app, given)
  const parts = {
    ...given,
    slowAnswers: new SlowAnswers(given.systemClock)
  }
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
    const look = async (changes: number) => ({
      account,
      body: {
        changes,
        requests: parts.journal.total,
        accounts: parts.accounts.all.length
      },
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
  const ask = () => visit.ask(call)
  // A page does not wait for a call that reads the whole account.
  const answer =
    view.isSlow === true && isPage
      ? await parts.slowAnswers.find(`${visit.account.id} ${call.path}`, ask)
      : await ask()
  // Added, because Vary names Origin for a web page.
  reply.raw.appendHeader('vary', 'accept')
  if (answer !== undefined && !isPage) {
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.body)
  }
  const [{ layout }, snapshots] = await Promise.all([
    import('./templates/layout.ts'),
    listSnapshots(visit)
  ])
  const page = { tab: view.tab, call, mark: '', snapshots }
  if (answer?.status !== 200) {
    const { status, ...content } = await explainAnswer(view, answer)
    return sendHtml(reply.code(status), layout(visit, { ...page, ...content }))
  }
  const content = await view.show(visit, answer.body, params)
  const mark = tagOf(content.body, snapshots, visit)
  return sendHtml(reply, layout(visit, { ...page, ...content, mark }))
}

/** Content in place of an answer that is late, empty or an error. */
async function explainAnswer (
  { tab, emptyTitle }: View,
  answer: AdminAnswer | undefined
): Promise<{ status: number; title: string; body: Html }> {
  const { emptyHtml, problemHtml, waitingHtml } = await import('./templates/problem.ts')
  if (answer === undefined) return { status: 200, title: tab, body: waitingHtml() }
  const { status } = answer
  const error = readError(answer)
  if (status === 404 && emptyTitle !== undefined) {
    return { status: 200, title: emptyTitle, body: emptyHtml(error) }
  }
  const title = status === 404 ? 'Not found' : 'Not possible'
  return { status, title, body: problemHtml(error) }
}

/** Lists the names of the snapshots of the account, for the menu of every page. */
async function listSnapshots (visit: Visit): Promise<string[]> {
  const { body } = await visit.ask({ method: 'GET', path: '/__admin/snapshots' })
  return snapshotValidator.check(body) ? body.snapshots.map(({ name }) => name) : []
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
      const { back = '/payments', ...fields } = readTexts(request.body, longestField)
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
  let call: AdminCall
  try {
    call = await action.call(fields, context)
  } catch (error) {
    return { problem: `${(error as Error).message}: correct the text and try again` }
  }
  const problem = findProblem(call, await visit.ask(call))
  const written = visit.curl(call)
  const curl = action.hidesUrls === true ? showUrls(written) : written
  if (problem !== undefined) return { problem, curl }
  const isFrozen = originalClock(visit.account.clock).mode === 'frozen'
  const done = isFrozen ? (action.frozen ?? action.done) : action.done
  return { done, curl, next: action.next?.(fields, call) }
}

/**
 * Tag of what a page shows: its content, and the account, clock and snapshots of its header. A
 * fresh identifier alone is no other content.
 */
function tagOf ({ text }: Html, snapshots: string[], visit: Visit): string {
  const { account, accounts, freshId } = visit
  const { mode, base, since, speed } = account.clock
  const shown = [
    text.replaceAll(freshId, ''),
    snapshots,
    accounts.map(({ name }) => name),
    mode,
    base,
    since,
    speed
  ]
  return hash('sha256', JSON.stringify(shown), 'hex').slice(0, 16)
}
