import type { Static, TSchema } from '@sinclair/typebox'
import { AccountList } from '../../src/admin-api/accounts.ts'
import { CallbackPage } from '../../src/admin-api/callbacks.ts'
import { CoverageAnswer } from '../../src/admin-api/coverage.ts'
import { ExamReport } from '../../src/admin-api/exam.ts'
import { ExampleRequest, TestNumberList } from '../../src/admin-api/examples.ts'
import { InvariantsAnswer } from '../../src/admin-api/invariants.ts'
import { LintAnswer } from '../../src/admin-api/lint.ts'
import { PaymentCounts, PaymentPage, PaymentView } from '../../src/admin-api/payments.ts'
import { ProviderList } from '../../src/admin-api/providers.ts'
import { JournalPage } from '../../src/admin-api/requests.ts'
import { RatesAnswer } from '../../src/admin-api/rates.ts'
import { ScenarioCheck } from '../../src/admin-api/scenario-check.ts'
import { ScenarioList } from '../../src/admin-api/scenarios.ts'
import { SinkView } from '../../src/admin-api/sinks.ts'
import { SnapshotList } from '../../src/admin-api/snapshots.ts'
import { WalletList } from '../../src/admin-api/wallets.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { AdminAnswer, AdminCall } from './admin-call.ts'
import type { Fields } from './actions.ts'
import { view, type View } from './view.ts'
import type { RefusedRequests } from './templates/requests.ts'
import type { Visit } from './visit.ts'

const pageSize = '50'
/** Time of a search: a page answers within 100 ms, however many payments there are. */
const withinMs = '50'
/** Filters of payments besides the status. */
const paymentFilters = ['kind', 'version', 'provider', 'phoneNumber', 'since', 'until', 'search']
const countsValidator = createValidator(PaymentCounts)
const journalValidator = createValidator(JournalPage)

/** Templates are loaded with their first page. */
export const views: readonly View[] = [
  view({
    path: '/payments',
    tab: 'Payments',
    answer: PaymentPage,
    title: () => 'Payments',
    call: (_params, { query }) =>
      listCall('/__admin/payments', readTimes(query), [...paymentFilters, 'status', 'after'], {
        order: 'newest',
        withinMs
      }),
    render: async (visit, body) => {
      const { paymentsPage } = await import('./templates/payments.ts')
      return paymentsPage(visit, body, await countPayments(visit))
    }
  }),
  view({
    path: '/payments/:kind/:id',
    tab: 'Payments',
    answer: PaymentView,
    title: ({ kind, id }) => `${kind[0].toUpperCase()}${kind.slice(1)} ${id}`,
    call: ({ kind, id }, { query: { moment } }) => {
      const path = `/__admin/payments/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`
      const search = moment === undefined ? '' : `?moment=${encodeURIComponent(moment)}`
      return { method: 'GET', path: path + search }
    },
    render: async (visit, body) => {
      const [{ paymentHtml }, { readPaymentContext }] = await Promise.all([
        import('./templates/payment.ts'),
        import('./payment-context.ts')
      ])
      return paymentHtml(visit, body, await readPaymentContext(visit, body))
    }
  }),
  view({
    path: '/callbacks',
    tab: 'Callbacks',
    answer: CallbackPage,
    title: () => 'Callbacks',
    call: (_params, { query }) =>
      listCall('/__admin/callbacks', query, ['state', 'kind', 'after'], { order: 'newest' }),
    render: async (visit, body) =>
      (await import('./templates/callbacks.ts')).callbacksHtml(visit, body)
  }),
  view({
    path: '/requests',
    tab: 'Requests',
    answer: JournalPage,
    title: () => 'Requests',
    call: (_params, { query }) =>
      listCall('/__admin/requests', query, ['outcome', 'search', 'before'], { nearest: 'true' }),
    render: async (visit, body) => {
      const { requestsPage } = await import('./templates/requests.ts')
      const [latest, refused] = await Promise.all([listLatest(visit, body), listRefused(visit)])
      return requestsPage(visit, latest, refused)
    }
  }),
  view({
    path: '/try',
    tab: 'Try it',
    answer: ExampleRequest,
    title: () => 'Try it',
    hasPreview: true,
    call: (_params, visit) => exampleCall(visit),
    render: async (visit, body) => {
      const [{ tryHtml }, { findTrial }] = await Promise.all([
        import('./templates/try.ts'),
        import('./trial.ts')
      ])
      return tryHtml(visit, await findTrial(visit, body))
    }
  }),
  view({
    path: '/providers',
    tab: 'Providers',
    answer: ProviderList,
    title: () => 'Providers',
    call: () => ({ method: 'GET', path: '/__admin/providers?all=true' }),
    render: async (visit, body) =>
      (await import('./templates/providers.ts')).providersPage(visit, body)
  }),
  view({
    path: '/sinks/:name',
    tab: 'Callbacks',
    answer: SinkView,
    title: ({ url }) => `Sink ${url}`,
    call: ({ name }) => ({ method: 'GET', path: `/__admin/sink/${encodeURIComponent(name)}` }),
    render: async (visit, body, { name = '' }) => {
      const { sinkHtml } = await import('./templates/sink.ts')
      return sinkHtml(visit, name, body)
    }
  }),
  view({
    path: '/scenarios',
    tab: 'Scenarios',
    answer: ScenarioList,
    title: () => 'Scenarios',
    hasPreview: true,
    call: () => ({ method: 'GET', path: '/__admin/scenarios' }),
    render: async (visit, body) => {
      const { findEdited, scenariosHtml } = await import('./templates/scenarios.ts')
      const edited = findEdited(visit, body)
      const check = await visit.ask({
        method: 'POST',
        path: '/__admin/scenarios/check',
        body: { text: edited.text }
      })
      return scenariosHtml(visit, body, edited, readAnswer(ScenarioCheck, check))
    }
  }),
  view({
    path: '/faults',
    tab: 'Faults',
    answer: ScenarioList,
    title: () => 'Faults',
    call: () => ({ method: 'GET', path: '/__admin/scenarios' }),
    render: async (visit, body) => (await import('./templates/faults.ts')).faultsHtml(visit, body)
  }),
  view({
    path: '/wallets',
    tab: 'Wallets',
    answer: WalletList,
    title: () => 'Wallets',
    call: () => ({ method: 'GET', path: '/__admin/wallets' }),
    render: async (visit, body) => (await import('./templates/wallets.ts')).walletsHtml(visit, body)
  }),
  view({
    path: '/test-numbers',
    tab: 'Test numbers',
    answer: TestNumberList,
    title: () => 'Test numbers',
    call: () => ({ method: 'GET', path: '/__admin/test-numbers' }),
    render: async (visit, body) =>
      (await import('./templates/test-numbers.ts')).testNumbersHtml(visit, body)
  }),
  view({
    path: '/exam',
    tab: 'Exam',
    emptyTitle: 'No exam yet',
    answer: ExamReport,
    title: () => 'Exam',
    call: () => ({ method: 'GET', path: '/__admin/exam' }),
    render: async (visit, body) => (await import('./templates/exam.ts')).examHtml(visit, body)
  }),
  view({
    path: '/load',
    tab: 'Load',
    answer: RatesAnswer,
    title: () => 'Load',
    call: () => ({ method: 'GET', path: '/__admin/rates' }),
    render: async (_visit, body) => (await import('./templates/rates.ts')).ratesHtml(body)
  }),
  view({
    path: '/snapshots',
    tab: 'Snapshots',
    answer: SnapshotList,
    title: () => 'Snapshots',
    call: () => ({ method: 'GET', path: '/__admin/snapshots' }),
    render: async (visit, body) =>
      (await import('./templates/snapshots.ts')).snapshotsHtml(visit, body)
  }),
  view({
    path: '/team',
    tab: 'Team',
    answer: AccountList,
    title: () => 'Team',
    call: () => ({ method: 'GET', path: '/__admin/accounts' }),
    render: async (visit, body) => (await import('./templates/team.ts')).teamHtml(visit, body)
  }),
  view({
    path: '/lint',
    tab: 'Lint',
    answer: LintAnswer,
    title: ({ findings }) => `Lint: ${findings.length} findings`,
    call: () => ({ method: 'GET', path: '/__admin/lint' }),
    render: async (visit, body) => (await import('./templates/lint.ts')).lintHtml(visit, body)
  }),
  view({
    path: '/coverage',
    tab: 'Coverage',
    isSlow: true,
    answer: CoverageAnswer,
    title: ({ percent }) => `Coverage: ${percent} %`,
    call: () => ({ method: 'GET', path: '/__admin/coverage' }),
    render: async (_visit, body) => (await import('./templates/checks.ts')).coverageHtml(body)
  }),
  view({
    path: '/invariants',
    tab: 'Invariants',
    isSlow: true,
    answer: InvariantsAnswer,
    title: ({ hold }) => (hold ? 'All invariants hold' : 'An invariant is broken'),
    call: () => ({ method: 'GET', path: '/__admin/invariants' }),
    render: async (_visit, body) => (await import('./templates/checks.ts')).invariantsHtml(body)
  })
]

/** Call that makes the example request of the page. */
function exampleCall ({ query }: Visit): AdminCall {
  const [version, kind] = (query.request ?? `v2 ${query.kind ?? 'deposit'}`).split(' ')
  const fields = { ...query, version, kind }
  const names = ['version', 'kind', 'phoneNumber', 'provider', 'amount', 'currency', 'depositId']
  return {
    method: 'GET',
    path: `/__admin/examples?${pickFields({}, fields, names).toString()}`
  }
}

/** Reads the answer of a call that a page makes besides its own. */
function readAnswer<Body extends TSchema> (schema: Body, { body }: AdminAnswer): Static<Body> {
  const validator = createValidator(schema)
  if (!validator.check(body)) throw new Error(validator.first(body)?.message)
  return body
}

function isFiltered ({ outcome, search, before }: Fields): boolean {
  return [outcome, search, before].some((field) => field !== undefined)
}

/** Lists the latest refused requests, which come first on the first page without a filter. */
async function listRefused ({ query, ask }: Visit): Promise<RefusedRequests> {
  const none = { requests: [], meta: { total: 0 } }
  if (isFiltered(query)) return none
  const path = '/__admin/requests?outcome=refused&nearest=true&limit=20'
  const { body } = await ask({ method: 'GET', path })
  return journalValidator.check(body) ? body : none
}

/**
 * Lists the accepted requests of the first page without a filter: the latest requests of all may
 * all be refused. Other pages show what was asked for.
 */
async function listLatest (
  { query, ask }: Visit,
  page: Static<typeof JournalPage>
): Promise<Static<typeof JournalPage>> {
  if (isFiltered(query)) return page
  const path = `/__admin/requests?outcome=accepted&limit=${pageSize}`
  const { body } = await ask({ method: 'GET', path })
  return journalValidator.check(body) ? body : page
}

/** Counts the payments that the list shows, in every status. */
async function countPayments (visit: Visit): Promise<Static<typeof PaymentCounts> | undefined> {
  const search = new URLSearchParams({ withinMs })
  const query = readTimes(visit.query)
  for (const name of paymentFilters) if (query[name] !== undefined) search.set(name, query[name])
  const path = `/__admin/payments/counts?${search.toString()}`
  const { body } = await visit.ask({ method: 'GET', path })
  return countsValidator.check(body) ? body : undefined
}

/** Adds the time zone to times of a form, which has none. */
function readTimes (query: Fields): Fields {
  const times = ['since', 'until'].flatMap((name) => {
    const [, time, seconds = ':00'] =
      /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/.exec(query[name] ?? '') ?? []
    return time === undefined ? [] : [[name, `${time}${seconds}Z`]]
  })
  return { ...query, ...Object.fromEntries(times) }
}

/** Call of a list: a page of it, with the filters of the visitor. */
function listCall (path: string, query: Fields, names: string[], more: Fields): AdminCall {
  const search = pickFields({ ...more, limit: pageSize }, query, names)
  return { method: 'GET', path: `${path}?${search.toString()}` }
}

/** Query with some fields of the visitor. */
function pickFields (fixed: Fields, query: Fields, names: string[]): URLSearchParams {
  const search = new URLSearchParams(fixed)
  for (const name of names) if (query[name] !== undefined) search.set(name, query[name])
  return search
}
