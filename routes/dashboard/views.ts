import type { Html } from '../../src/lib/html.ts'
import type { AdminCall } from './admin-call.ts'
import type { Fields } from './actions.ts'
import type { Visit } from './visit.ts'

/** A page of the dashboard: an admin call and its template. Adding a page means adding a row. */
export interface View {
  path: string
  tab: string
  title: (body: any) => string
  call: (params: Fields, visit: Visit) => AdminCall
  render: (visit: Visit, body: any) => Promise<Html>
}

const pageSize = '50'

/** Templates are loaded with their first page. */
export const views: readonly View[] = [
  {
    path: '/payments',
    tab: 'Payments',
    title: () => 'Payments',
    call: (_params, { query }) =>
      listCall(
        '/__admin/payments',
        query,
        ['kind', 'status', 'generation', 'provider', 'phoneNumber', 'search', 'after'],
        { order: 'newest' }
      ),
    render: async (visit, body) =>
      (await import('./templates/payments.ts')).paymentsHtml(visit, body)
  },
  {
    path: '/payments/:kind/:id',
    tab: 'Payments',
    title: ({ kind, id }) => `${kind[0].toUpperCase()}${kind.slice(1)} ${id}`,
    call: ({ kind, id }) => ({
      method: 'GET',
      path: `/__admin/payments/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`
    }),
    render: async (visit, body) => {
      const { paymentHtml } = await import('./templates/payment.ts')
      const journal = await visit.ask({ method: 'GET', path: '/__admin/requests?limit=1000' })
      const requests = journal.body.requests
        .filter(({ payments }: { payments: Array<{ id: string }> }) =>
          payments.some(({ id }) => id === body.id)
        )
        .reverse()
      return paymentHtml(visit, body, requests)
    }
  },
  {
    path: '/callbacks',
    tab: 'Callbacks',
    title: () => 'Callbacks',
    call: (_params, { query }) =>
      listCall('/__admin/callbacks', query, ['state', 'kind', 'after'], { order: 'newest' }),
    render: async (visit, body) =>
      (await import('./templates/callbacks.ts')).callbacksHtml(visit, body)
  },
  {
    path: '/requests',
    tab: 'Requests',
    title: () => 'Requests',
    call: (_params, { query }) => listCall('/__admin/requests', query, ['before'], {}),
    render: async (visit, body) =>
      (await import('./templates/requests.ts')).requestsHtml(visit, body)
  },
  {
    path: '/providers',
    tab: 'Providers',
    title: () => 'Providers',
    call: () => ({ method: 'GET', path: '/__admin/providers?all=true' }),
    render: async (visit, body) =>
      (await import('./templates/providers.ts')).providersHtml(visit, body)
  },
  {
    path: '/sinks/:name',
    tab: 'Callbacks',
    title: ({ url }) => `Sink ${url}`,
    call: ({ name }) => ({ method: 'GET', path: `/__admin/sink/${encodeURIComponent(name)}` }),
    render: async (_visit, body) => (await import('./templates/sink.ts')).sinkHtml(body)
  },
  {
    path: '/scenarios',
    tab: 'Scenarios',
    title: () => 'Scenarios',
    call: () => ({ method: 'GET', path: '/__admin/scenarios' }),
    render: async (visit, body) =>
      (await import('./templates/scenarios.ts')).scenariosHtml(visit, body)
  },
  {
    path: '/snapshots',
    tab: 'Snapshots',
    title: () => 'Snapshots',
    call: () => ({ method: 'GET', path: '/__admin/snapshots' }),
    render: async (visit, body) =>
      (await import('./templates/snapshots.ts')).snapshotsHtml(visit, body)
  },
  {
    path: '/coverage',
    tab: 'Coverage',
    title: ({ percent }) => `Coverage: ${percent} %`,
    call: () => ({ method: 'GET', path: '/__admin/coverage' }),
    render: async (_visit, body) => (await import('./templates/checks.ts')).coverageHtml(body)
  },
  {
    path: '/invariants',
    tab: 'Invariants',
    title: ({ hold }) => (hold ? 'All invariants hold' : 'An invariant is broken'),
    call: () => ({ method: 'GET', path: '/__admin/invariants' }),
    render: async (_visit, body) => (await import('./templates/checks.ts')).invariantsHtml(body)
  }
]

/** Call of a list: a page of it, with the filters of the visitor. */
function listCall (path: string, query: Fields, names: string[], more: Fields): AdminCall {
  const search = new URLSearchParams({ ...more, limit: pageSize })
  for (const name of names) if (query[name] !== undefined) search.set(name, query[name])
  return { method: 'GET', path: `${path}?${search.toString()}` }
}
