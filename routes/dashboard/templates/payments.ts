import type { Static } from '@sinclair/typebox'
import type { PaymentCounts, PaymentPage, PaymentSummary } from '../../../src/admin-api/payments.ts'
import { kindNames } from '../../../src/admin-api/fields.ts'
import { statuses } from '../../../src/domain/status.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { exampleId } from '../actions.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField } from './forms.ts'
import {
  badge,
  codeBlock,
  emptyNote,
  formatTime,
  pageLink,
  table,
  type Cell,
  type Column
} from './parts.ts'
import { selectField } from './select-field.ts'

type Counts = Static<typeof PaymentCounts>

/** Filters of the list besides the status, which the bars show. */
const filterNames = [
  'kind',
  'status',
  'version',
  'provider',
  'phoneNumber',
  'since',
  'until',
  'search'
] as const

const columns: Column[] = [
  ['Created', 'time'],
  'Status',
  'Identifier',
  'Kind',
  ['Amount', 'number'],
  'Provider',
  'Phone number',
  ['Scenario', 'wrap']
]

/** List of payments, newest first, with the number of payments in each status. */
export function paymentsHtml (
  visit: Visit,
  { payments, next }: Static<typeof PaymentPage>,
  counts: Counts | undefined
): Html {
  const rows = payments.map((payment) => row(visit, payment))
  const filters = listFilters(visit)
  const first = visit.query.after === undefined ? undefined : linkTo(visit, '/payments', filters)
  return html`${filterForm(visit, payments)}
${counts && countsHtml(visit, counts)}
${rows.length === 0 ? emptyHtml(visit, next !== undefined) : table(columns, rows, 'dense')}
<nav class="pager" aria-label="Pages of the list">
${pageLink(first, 'Newest payments')}
${pageLink(
  next === undefined ? undefined : linkTo(visit, '/payments', { ...filters, after: String(next) }),
  rows.length === 0 ? 'Search older payments' : 'Older payments'
)}
</nav>`
}

/** Filters in the query of a visitor. */
function listFilters ({ query }: Visit): Record<string, string> {
  return Object.fromEntries(
    filterNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))
  )
}

function filterForm (visit: Visit, payments: ReadonlyArray<Static<typeof PaymentSummary>>): Html {
  const { query } = visit
  const providers = new Set(payments.flatMap(({ provider }) => provider ?? []))
  const isFiltered = Object.keys(listFilters(visit)).length > 0
  return html`<form class="filters" method="get" action="${home}/payments">
${accountField(visit)}
${selectField('kind', 'Kind', kindNames, query.kind)}
${selectField('status', 'Status', statuses, query.status)}
${selectField('version', 'Version', ['v1', 'v2'], query.version)}
<label>Provider <input name="provider" value="${query.provider ?? ''}" size="16"
list="providers"></label>
<datalist id="providers">${[...providers].map(
    (provider) => html`<option value="${provider}"></option>`
  )}</datalist>
${timeField('since', 'From (UTC)', query.since)}
${timeField('until', 'To (UTC)', query.until)}
${query.search === undefined ? undefined : searchField(query.search)}
<button>Filter</button>
${isFiltered ? html`<a class="button" href="${linkTo(visit, '/payments')}">Clear</a>` : undefined}
</form>`
}

function timeField (name: string, label: string, value = ''): Html {
  // A field of this type has no time zone.
  const shown = value.replace(/(\.\d+)?Z$/, '')
  return html`<label>${label} <input type="datetime-local" name="${name}" step="1"
value="${shown}"></label>`
}

function searchField (search: string): Html {
  return html`<label>Search <input name="search" value="${search}" size="16"></label>`
}

/** Name of a scenario, which can break after a colon. */
function breakable (name: string): Html {
  return html`${name.split(/(?<=:)/).map((part) => html`${part}<wbr>`)}`
}

/** Number of payments in each status, as small bars. Each is a link to its payments. */
function countsHtml (visit: Visit, { total, complete, counts }: Counts): Html {
  const bars = statuses.flatMap((status) => {
    const count = counts
      .filter((row) => row.status === status)
      .reduce((sum, row) => sum + row.count, 0)
    return count === 0 ? [] : [bar(visit, status, count, total)]
  })
  const text = `${total.toLocaleString('en')} ${total === 1 ? 'payment' : 'payments'}`
  const scope = html`<span class="soft">the latest ones; there are more</span>`
  return html`<div class="counts" role="group" aria-label="Payments by status">
<p class="total"><strong>${text}</strong> ${complete ? undefined : scope}</p>
${bars}
</div>`
}

function bar (visit: Visit, status: string, count: number, total: number): Html {
  const { status: chosen, ...filters } = listFilters(visit)
  const isChosen = status === chosen
  const url = linkTo(visit, '/payments', isChosen ? filters : { ...filters, status })
  const width = Math.max(1, Math.round((count / total) * 100))
  return html`<a class="count" href="${url}" data-status="${status}"
${isChosen ? html`aria-current="true"` : undefined}>
<span>${status}</span> <strong>${count.toLocaleString('en')}</strong>
<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
<rect class="track" width="100" height="4"></rect><rect width="${width}" height="4"></rect>
</svg></a>`
}

/** Text in place of the list: what to change, or how to create the first payment. */
function emptyHtml (visit: Visit, hasMore: boolean): Html {
  if (hasMore) return emptyNote('No payments match among those that were searched so far.')
  if (visit.query.after !== undefined) return emptyNote('No older payments.')
  if (Object.keys(listFilters(visit)).length > 0) return emptyNote('No payments match.')
  const call = {
    method: 'POST' as const,
    path: '/v2/deposits',
    body: {
      depositId: exampleId,
      amount: '15.00',
      currency: 'ZMW',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
      }
    }
  }
  return html`<section class="panel first"><div>
<h2>No payments yet</h2>
<p>Send a request to the API. The payment appears here at once, and moves through its states.</p>
${codeBlock(visit.curl(call))}
</div></section>`
}

function row (visit: Visit, payment: Static<typeof PaymentSummary>): Cell[] {
  const { kind, id, version, status, created, amount, currency, provider } = payment
  const url = linkTo(visit, `/payments/${kind}/${id}`)
  const [date, time] = formatTime(created).split(' ')
  return [
    html`<span class="date">${date}</span> ${time}`,
    badge(status),
    html`<a href="${url}" title="${id}"><code>${id.slice(0, 8)}</code></a>`,
    html`${kind} <span class="soft">${version}</span>`,
    html`${amount} ${currency}`,
    provider,
    payment.phoneNumber,
    breakable(payment.scenario)
  ]
}
