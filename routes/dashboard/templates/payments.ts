import type { Static } from '@sinclair/typebox'
import type { PaymentPage, PaymentSummary } from '../../../src/admin-api/payments.ts'
import { kindNames } from '../../../src/admin-api/fields.ts'
import { statuses } from '../../../src/domain/status.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField } from './forms.ts'
import { badge, emptyNote, formatTime, pageLink, table } from './parts.ts'

/** Filters of the list with their labels and choices. */
const filters = [
  { name: 'kind', label: 'Kind', choices: kindNames },
  { name: 'status', label: 'Status', choices: statuses },
  { name: 'generation', label: 'Version', choices: ['v1', 'v2'] }
] as const

const columns = [
  'Created',
  'Kind',
  'Identifier',
  'Amount',
  'Provider',
  'Phone number',
  'Status',
  'Scenario'
]

/** List of payments, newest first. */
export function paymentsHtml (visit: Visit, { payments, next }: Static<typeof PaymentPage>): Html {
  const rows = payments.map((payment) => row(visit, payment))
  const older =
    next === undefined
      ? undefined
      : linkTo(visit, '/payments', { ...listFilters(visit), after: String(next) })
  return html`${filterForm(visit)}
${rows.length === 0 ? emptyNote('No payments match.') : table(columns, rows)}
${pageLink(older, 'Older payments')}`
}

/** Filters in the query of a visitor. */
function listFilters ({ query }: Visit): Record<string, string> {
  const names = [...filters.map(({ name }) => name), 'provider', 'phoneNumber', 'search']
  return Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))
  )
}

function filterForm (visit: Visit): Html {
  const { query } = visit
  return html`<form class="filters" method="get" action="${home}/payments">
${accountField(visit)}
${filters.map(({ name, label, choices }) => select(name, label, choices, query[name]))}
<label>Provider <input name="provider" value="${query.provider ?? ''}" size="16"></label>
<button>Filter</button>
</form>`
}

function select (
  name: string,
  label: string,
  choices: readonly string[],
  chosen: string | undefined
): Html {
  return html`<label>${label} <select name="${name}">
<option value="">all</option>
${choices.map((choice) => option(choice, choice === chosen))}
</select></label>`
}

function option (choice: string, isChosen: boolean): Html {
  return isChosen ? html`<option selected>${choice}</option>` : html`<option>${choice}</option>`
}

function row (visit: Visit, payment: Static<typeof PaymentSummary>): Html {
  const { kind, id, generation, status, created, amount, currency, provider } = payment
  const url = linkTo(visit, `/payments/${kind}/${id}`)
  return html`<tr>
<td>${formatTime(created)}</td>
<td>${kind} <span class="soft">${generation}</span></td>
<td><a href="${url}" title="${id}"><code>${id.slice(0, 8)}</code></a></td>
<td class="number">${amount} ${currency}</td>
<td>${provider}</td>
<td>${payment.phoneNumber}</td>
<td>${badge(status)}</td>
<td>${payment.scenario}</td>
</tr>`
}
