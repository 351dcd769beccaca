import type { Static } from '@sinclair/typebox'
import type { PaymentCounts, PaymentPage, PaymentSummary } from '../../../src/admin-api/payments.ts'
import { kindNames } from '../../../src/admin-api/fields.ts'
import { statuses } from '../../../src/domain/status.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import type { PageParts } from '../view.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField, actionForm } from './forms.ts'
import {
  badge,
  copyBlock,
  deliveryBadge,
  emptyNote,
  formatDay,
  moneyHtml,
  pageLink,
  selectField,
  shortId,
  sideMenu,
  table,
  timeHtml,
  type Column,
  type Row
} from './parts.ts'

type Counts = Static<typeof PaymentCounts>
type Summary = Static<typeof PaymentSummary>

/** Filters behind the button. */
const folded = ['kind', 'version', 'provider', 'phoneNumber', 'since', 'until'] as const
/** Filters of the list. */
const filterNames = [...folded, 'status', 'search'] as const

/** Statuses that nobody wants to see. */
const troubles = ['FAILED', 'PAYOUT_FAILED', 'EXPIRED', 'CANCELLED', 'IN_RECONCILIATION']

const columns: Column[] = [
  ['Time', 'time'],
  'Identifier',
  'Status',
  ['Amount', 'number'],
  'Callback',
  'Kind',
  'Provider',
  'Phone number',
  ['Scenario', 'wrap']
]

/** List of payments, newest first, with the number of payments in each status. */
export function paymentsPage (
  visit: Visit,
  { payments, next }: Static<typeof PaymentPage>,
  counts: Counts | undefined
): PageParts {
  const filters = listFilters(visit)
  const first = visit.query.after === undefined ? undefined : linkTo(visit, '/payments', filters)
  const rows = listRows(visit, payments)
  const isFirstUse = rows.length === 0 && next === undefined && Object.keys(filters).length === 0
  if (isFirstUse && first === undefined) return { body: firstHtml(visit) }
  return {
    tools: filterMenu(visit, payments),
    body: html`${counts && statusTabs(visit, counts)}
${
  rows.length === 0
    ? emptyNote(emptyText(visit, next !== undefined))
    : table(columns, rows, 'dense')
}
<nav class="pager" aria-label="Pages of the list">
${pageLink(first, 'Newest payments')}
${pageLink(
  next === undefined ? undefined : linkTo(visit, '/payments', { ...filters, after: String(next) }),
  rows.length === 0 ? 'Search older payments' : 'Older payments'
)}
</nav>`
  }
}

/** Filters in the query of a visitor. */
function listFilters ({ query }: Visit): Record<string, string> {
  return Object.fromEntries(
    filterNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))
  )
}

function filterMenu (visit: Visit, payments: readonly Summary[]): Html {
  const { query } = visit
  const providers = new Set(payments.flatMap(({ provider }) => provider ?? []))
  const chosen = folded.filter((name) => query[name] !== undefined).length
  const isFiltered = Object.keys(listFilters(visit)).length > 0
  const kept = (['status', 'search'] as const).flatMap((name) => {
    const value = query[name]
    return value === undefined ? [] : html`<input type="hidden" name="${name}" value="${value}">`
  })
  const clear = html`<a class="button" href="${linkTo(visit, '/payments')}">Clear filters</a>`
  const form = html`<form class="filters" method="get" action="${home}/payments">
${accountField(visit)}${kept}
${selectField('kind', 'Kind', kindNames, query.kind)}
${selectField('version', 'Version', ['v1', 'v2'], query.version)}
<label>Provider <input name="provider" value="${query.provider ?? ''}" size="16"
list="providers"></label>
<datalist id="providers">${[...providers].map(
    (provider) => html`<option value="${provider}"></option>`
  )}</datalist>
${timeField('since', 'From (UTC)', query.since)}
${timeField('until', 'To (UTC)', query.until)}
<button class="main">Filter</button>
</form>`
  return html`${isFiltered ? clear : undefined}
${sideMenu('filters', chosen === 0 ? 'Filter' : `Filter: ${chosen}`, form)}`
}

function timeField (name: string, label: string, value = ''): Html {
  // A field of this type has no time zone.
  const shown = value.replace(/(\.\d+)?Z$/, '')
  return html`<label>${label} <input type="datetime-local" name="${name}" step="1"
value="${shown}"></label>`
}

/** Name of a scenario. That of a test number repeats the outcome. */
function scenarioHtml (name: string): Html {
  return name.startsWith('test-number:')
    ? html`<span class="soft" title="${name}">test number</span>`
    : html`${name}`
}

/** Number of payments in each status. Each is a link to its payments. */
function statusTabs (visit: Visit, { total, complete, counts }: Counts): Html {
  const { status: chosen, ...filters } = listFilters(visit)
  const tab = (text: string, count: number, query: Record<string, string>): Html => {
    const look = troubles.includes(text) ? html` class="trouble"` : undefined
    const current = (query.status ?? '') === (chosen ?? '') ? html` aria-current="true"` : undefined
    return html`<a href="${linkTo(visit, '/payments', query)}"${current}>
<span${look}>${text}</span> <strong>${count.toLocaleString('en')}</strong></a>`
  }
  const found = statuses.flatMap((status) => {
    const own = counts.filter((row) => row.status === status)
    const count = own.reduce((sum, row) => sum + row.count, 0)
    return count === 0 && status !== chosen ? [] : [tab(status, count, { ...filters, status })]
  })
  const scope = html`<p class="soft small">The latest payments are counted; there are more.</p>`
  return html`<nav class="statuses" aria-label="Payments by status">
${tab('All', total, filters)}${found}
</nav>${complete ? undefined : scope}`
}

function emptyText (visit: Visit, hasMore: boolean): string {
  if (hasMore) return 'No payments match among those that were searched so far.'
  return visit.query.after === undefined ? 'No payments match.' : 'No older payments.'
}

/** What to do in an account without payments. */
function firstHtml (visit: Visit): Html {
  const body = {
    depositId: visit.freshId,
    amount: '15.00',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    }
  }
  const call = { method: 'POST' as const, path: '/v2/deposits', body }
  return html`<section class="panel first" data-still="first">
<h2>No payments yet</h2>
<p>Send a deposit, or let your application send one. It appears here at once, and moves through
its statuses.</p>
<div class="actions">
${actionForm(visit, 'send-test-deposit', {}, 'Send a test deposit', { look: 'main' })}
<a class="button" href="${linkTo(visit, '/try')}">Write a request</a>
<a class="button quiet" href="/__admin/docs/guide">Read the guide</a>
</div>
<h3>The same with curl</h3>
${copyBlock('first-curl', visit.curl(call))}
</section>`
}

/** Rows of a list. Each day stands once. */
function listRows (visit: Visit, payments: readonly Summary[]): Row[] {
  let day: string | undefined
  return payments.flatMap((payment) => {
    const own = formatDay(payment.created)
    const isFirst = own !== day
    day = own
    return [...(isFirst ? [{ group: own }] : []), row(visit, payment)]
  })
}

function row (visit: Visit, payment: Summary): Row {
  const { kind, id, version, status, created, amount, currency, failureCode, callback } = payment
  const reason = failureCode && html` <span class="trouble">${failureCode}</span>`
  return {
    id: `payment-${kind}-${id}`,
    cells: [
      timeHtml(created),
      html`<a href="${linkTo(visit, `/payments/${kind}/${id}`)}" data-row>${shortId(id)}</a>`,
      html`${badge(status)}${reason}`,
      moneyHtml(amount, currency),
      callback && deliveryBadge(callback),
      html`${kind} <span class="soft">${version}</span>`,
      payment.provider,
      payment.phoneNumber,
      scenarioHtml(payment.scenario)
    ]
  }
}
