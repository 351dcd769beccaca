import { hash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { SnapshotList } from '../../src/admin-api/snapshots.ts'
import { accountTime, type SystemClock } from '../../src/lib/clock.ts'
import type { Html } from '../../src/lib/html.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { Type } from '../../src/lib/typebox.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
import type { Journal } from '../../src/monitoring/request-journal.ts'
import { AdminError } from '../admin/errors.ts'
import type { EventStreams } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../pages/customer.ts'
import { readForms, readTexts } from '../pages/forms.ts'
import { createPhoneLink } from '../pages/phone-link.ts'
import { createCookie, findAccess, isAdminToken, type AccessSettings } from './access.ts'
import { findAction, type Action, type ActionContext, type Fields } from './actions.ts'
import {
  callAdmin,
  findProblem,
  readError,
  writeCurl,
  type AdminCall,
  type AdminTokens
} from './admin-call.ts'
import { ActionResults, type ActionResult } from './results.ts'
import { SlowAnswers } from './slow-answers.ts'
import { home, linkTo, type Visit } from './visit.ts'
import type { View } from './view.ts'
import { views } from './views.ts'

/** Parts of the dashboard. */
export interface DashboardParts extends AccessSettings {
  accounts: Accounts
  systemClock: SystemClock
  eventStreams: EventStreams
  changeListeners: ChangeListeners
  journal: Journal
  links: { base: string; listening: string }
  /** Server of the payments API and the admin API, for the calls of the dashboard. */
  api: Pick<FastifyInstance, 'inject'>
  ids: Ids
  results: ActionResults
  slowAnswers: SlowAnswers
}

/** A stream tells of changes at most this often: browsers then stay responsive under load. */
const paceMs = 250
/** The journal has no change listeners: a stream looks at it this often. */
const journalMs = 1000

/** Longest field of a form: a scenario is a text of many lines. */
const longestField = 20_000

const snapshotValidator = createValidator(SnapshotList)
const ActionPath = Type.Object({ action: Type.String() })
const hidden = { config: { documentation: 'hidden' as const, isOpen: true } }

/** Adds the pages of the dashboard and the forms of its actions. */
export function dashboardRoutes (
  app: TypedApp,
  given: Omit<DashboardParts, 'results' | 'slowAnswers'>
): void {
  readForms(app, longestField)
  const changes = new Map<number, number>()
  const parts = {
    ...given,
    results: new ActionResults(),
    slowAnswers: new SlowAnswers(given.systemClock)
  }
  for (const view of views) {
    const show = async (request: FastifyRequest, reply: FastifyReply) =>
      await showView(parts, view, request, reply)
    app.get(`/ui${view.path}`, hidden, show)
    if (view.hasPreview === true) app.post(`/ui${view.path}`, hidden, show)
  }
  app.get('/ui', hidden, (request, reply) =>
    reply.redirect(linkTo(findVisit(parts, request), '/payments'))
  )
  app.get('/ui/events', hidden, async (request, reply) => {
    const { account, access } = findVisit(parts, request)
    if (access === 'login') throw signInFirst()
    if (!changes.has(account.id)) {
      changes.set(account.id, 0)
      parts.changeListeners.listen(account.id, [{ any: true }], () => {
        changes.set(account.id, (changes.get(account.id) ?? 0) + 1)
      })
    }
    const look = async () => ({
      account,
      body: {
        changes: changes.get(account.id),
        requests: parts.journal.total,
        accounts: parts.accounts.all.length
      },
      topics: [{ any: true as const }],
      final: false
    })
    return await parts.eventStreams.send(reply, look, { paceMs, everyMs: journalMs })
  })
  addActionRoute(app, parts)
  addLoginRoute(app, parts)
}

async function showView (
  parts: DashboardParts,
  view: View,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  const visit = findVisit(parts, request)
  if (visit.access === 'login') return await askForToken(request, reply)
  const call = view.call(readTexts(request.params), visit)
  const ask = () => visit.ask(call)
  // A page does not wait for a call that reads the whole account.
  const answer =
    view.isSlow === true && wantsHtml(request)
      ? await parts.slowAnswers.find(`${visit.account.id} ${call.path}`, ask)
      : await ask()
  reply.header('vary', 'accept')
  if (answer !== undefined && !wantsHtml(request)) {
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.body)
  }
  const [{ layout }, snapshots] = await Promise.all([
    import('./templates/layout.ts'),
    listSnapshots(visit)
  ])
  const page = { tab: view.tab, call, mark: '', snapshots }
  if (answer?.status !== 200) {
    const { problemHtml, waitingHtml } = await import('./templates/problem.ts')
    const [title, body] =
      answer === undefined
        ? [view.tab, waitingHtml()]
        : ['Not found', problemHtml(readError(answer))]
    return sendHtml(reply.code(answer?.status ?? 200), layout(visit, { ...page, title, body }))
  }
  const content = await view.show(visit, answer.body)
  const mark = tagOf(content.body, snapshots, visit)
  return sendHtml(reply, layout(visit, { ...page, ...content, mark }))
}

/** Lists the names of the snapshots of the account, for the menu of every page. */
async function listSnapshots (visit: Visit): Promise<string[]> {
  const { body } = await visit.ask({ method: 'GET', path: '/__admin/snapshots' })
  return snapshotValidator.check(body) ? body.snapshots.map(({ name }) => name) : []
}

function addActionRoute (app: TypedApp, parts: DashboardParts): void {
  app.post(
    '/ui/actions/:action',
    { ...hidden, schema: { params: ActionPath } },
    async (request, reply) => {
      const visit = findVisit(parts, request)
      if (visit.access === 'login') throw signInFirst()
      if (visit.access === 'read-only') {
        throw new AdminError(
          'FORBIDDEN',
          'the dashboard is read-only: the server listens on an address that others can reach',
          'start it with --admin-token, or with --host 127.0.0.1'
        )
      }
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
      const result = parts.results.add({ ...outcome, fields })
      return reply.redirect(linkBack(visit, next, result), 303)
    }
  )
}

/** Address of the page after an action, with the number of its result. */
function linkBack (visit: Visit, page: string, result: string): string {
  const { pathname, searchParams } = new URL(page, 'http://dashboard')
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
  const curl = visit.curl(call)
  if (problem !== undefined) return { problem, curl }
  return { done: action.done, curl, next: action.next?.(fields, call) }
}

function addLoginRoute (app: TypedApp, { adminToken }: DashboardParts): void {
  app.post('/ui/login', hidden, async (request, reply) => {
    const { token = '' } = readTexts(request.body)
    if (adminToken === undefined || isAdminToken(token, adminToken)) {
      if (adminToken !== undefined) reply.header('set-cookie', createCookie(adminToken))
      return reply.redirect(home, 303)
    }
    const { loginPage } = await import('./templates/layout.ts')
    return sendHtml(reply.code(401), loginPage('This is not the admin token of the server.'))
  })
}

/** Reads who visits, and which account is shown. */
function findVisit (parts: DashboardParts, request: FastifyRequest): Visit {
  const { accounts, systemClock, links, adminToken, ids } = parts
  // A form that is checked while somebody types is too long for an address.
  const query = { ...readTexts(request.query), ...readTexts(request.body, longestField) }
  const account = query.account === undefined ? accounts.default : accounts.byName(query.account)
  if (account === undefined) {
    throw new AdminError(
      'NOT_FOUND',
      `there is no account '${query.account}'`,
      'GET /__admin/accounts lists all accounts'
    )
  }
  const merchant = account.settings.tokens?.[0]?.token
  const tokens: AdminTokens = {
    // The default account needs none.
    account: account === accounts.default ? undefined : merchant,
    merchant,
    admin: adminToken
  }
  return {
    path: request.url.split('?', 1)[0].slice(home.length),
    query,
    account,
    accounts: accounts.all,
    access: findAccess(request, parts),
    result: parts.results.find(query.result),
    now: accountTime(account.clock, systemClock.now()),
    phone: (phoneNumber, depositId) =>
      createPhoneLink(
        ids,
        account,
        phoneNumber,
        depositId === undefined ? undefined : { kind: kinds.deposit, id: depositId }
      ).url,
    newId: randomUUID,
    ask: (call: AdminCall) => callAdmin(parts, call, tokens),
    curl: (call: AdminCall) => writeCurl(links.base, call, tokens),
    sample: ({ path, headers, body }: AdminCall) => ({
      url: links.base + path,
      headers: {
        Authorization: `Bearer ${tokens.merchant ?? ''}`,
        'Content-Type': 'application/json',
        ...headers
      },
      body: JSON.stringify(body, null, 2)
    })
  }
}

async function askForToken (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!wantsHtml(request)) throw signInFirst()
  const { loginPage } = await import('./templates/layout.ts')
  return sendHtml(reply.code(401), loginPage(undefined))
}

function signInFirst (): AdminError {
  return new AdminError(
    'UNAUTHORIZED',
    'the dashboard needs the admin token',
    `open ${home} in a browser and sign in`
  )
}

/** Tag of what a page shows: its content, and the account, clock and snapshots of its header. */
function tagOf ({ text }: Html, snapshots: string[], { account, accounts }: Visit): string {
  const { mode, base, since, speed } = account.clock
  const shown = [text, snapshots, accounts.map(({ name }) => name), mode, base, since, speed]
  return hash('sha256', JSON.stringify(shown), 'hex').slice(0, 16)
}
