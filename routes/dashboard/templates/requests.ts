import type { Static } from '@sinclair/typebox'
import type { JournalEntry, JournalPage } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { Type } from '../../../src/lib/typebox.ts'
import { createValidator } from '../../../src/lib/validator.ts'
import { canReplay, readMethod, writeRequest } from '../replay.ts'
import type { PageParts } from '../view.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { accountField, actionForm } from './forms.ts'
import {
  badge,
  codeBlock,
  copyBlock,
  emptyNote,
  entry,
  entryList,
  moneyHtml,
  pageLink,
  requestBlock,
  selectField,
  shortId,
  sideMenu,
  timeHtml,
  writeJson
} from './parts.ts'
import { signatureHtml } from './signature.ts'

type Entry = Static<typeof JournalEntry>
type Page = Static<typeof JournalPage>

/** Latest refused requests, and the number of all. */
export type RefusedRequests = Pick<Page, 'requests' | 'meta'>

const columns = ['Time', 'Status', 'Request', 'Payment', 'Amount', 'Outcome']

/** List of requests: refused and unmatched ones first, each group newest first. */
export function requestsPage (
  visit: Visit,
  page: Page,
  { requests: refused, meta: { total } }: RefusedRequests
): PageParts {
  const { requests, meta, requestJournalDisabled } = page
  if (requestJournalDisabled) {
    return { body: emptyNote('The journal is off: the server was started with --journal 0.') }
  }
  const filters = listFilters(visit)
  const isFiltered = Object.keys(filters).length > 0 || visit.query.before !== undefined
  const others = isFiltered ? requests : requests.filter((entry) => !isProblem(entry))
  const older =
    requests.length < meta.total
      ? linkTo(visit, '/requests', { ...filters, before: String(requests.at(-1)?.id) })
      : undefined
  const olderRefused =
    refused.length < total
      ? linkTo(visit, '/requests', { outcome: 'refused', before: String(refused.at(-1)?.id) })
      : undefined
  return {
    tools: clearMenu(visit),
    body: html`${filterBar(visit)}
${refused.length === 0 ? undefined : html`<h2>Refused or unmatched</h2>`}
${exchangeList(visit, refused)}
${pageLink(olderRefused, `Older refused requests (${total - refused.length})`)}
${isFiltered ? html`<h2 class="unseen">Found</h2>` : html`<h2>Accepted</h2>`}
${others.length === 0 ? emptyNote(emptyText(visit)) : undefined}
${exchangeList(visit, others)}
${pageLink(older, 'Older requests')}`
  }
}

/** Filters in the query of a visitor. */
function listFilters ({ query: { outcome, search } }: Visit): Record<string, string> {
  return { ...(outcome !== undefined && { outcome }), ...(search !== undefined && { search }) }
}

function emptyText ({ query: { outcome, search, before } }: Visit): string {
  if (outcome !== undefined || search !== undefined) return 'No requests match.'
  return before === undefined
    ? 'No requests yet. Send one to the payments API, or use "Try it".'
    : 'No older requests.'
}

function filterBar (visit: Visit): Html {
  const { outcome, search = '' } = visit.query
  return html`<form class="filters" method="get" action="${home}/requests">
${accountField(visit)}
<label>Path, code or text <input type="search" name="search" value="${search}" size="30"></label>
${selectField('outcome', 'Outcome', ['refused', 'accepted'], outcome)}
<button>Filter</button>
</form>`
}

function clearMenu (visit: Visit): Html {
  const body = html`<p>Deletes the requests of ${visit.account.name}. This cannot be undone.</p>
${actionForm(visit, 'clear-requests', {}, 'Clear the journal', { look: 'danger' })}`
  return sideMenu('clear-menu', 'Clear…', body)
}

/** Requests in a list whose entries open. */
export function exchangeList (visit: Visit, entries: readonly Entry[]): Html | undefined {
  if (entries.length === 0) return undefined
  const rows = entries.map((one) => exchangeHtml(visit, one))
  return entryList('requests', columns, rows)
}

/** One request with its answer, its command, and the nearest valid request if it was refused. */
function exchangeHtml (visit: Visit, exchange: Entry): Html {
  const { id, request, response, at, durationMs, payments, notes = [], signature } = exchange
  const { headers, body } = request
  const [payment] = payments
  return entry(
    `request-${id}`,
    [
      timeHtml(at),
      badge(response.status, isProblem(exchange) ? 'FAILED' : 'OK'),
      html`<code>${request.method} ${request.url}</code>`,
      payment && html`${payment.kind} ${shortId(payment.id)}`,
      amountOf(body),
      html`${outcomeOf(exchange)} <span class="soft">${durationMs} ms</span>`
    ],
    html`${notes.map((note) => html`<p class="problem">${note}</p>`)}
${payments.map(({ kind, id }) => html`<p>${paymentName(visit, exchange, kind, id)}</p>`)}
${nearestHtml(visit, exchange)}
${replayHtml(visit, exchange)}
<h3>Request</h3>
${requestBlock(request.method, request.url, headers, body)}
${signature && signatureHtml(`request-signature-${id}`, signature)}
<h3>Answer ${response.status}</h3>
${codeBlock(response.body === undefined ? String(response.fault) : writeJson(response.body))}`
  )
}

const amountValidator = createValidator(
  Type.Object({ amount: Type.String(), currency: Type.Optional(Type.String()) })
)

function amountOf (body: unknown): Html | undefined {
  if (!amountValidator.check(body)) return undefined
  const isAmount = /^\d{1,18}(\.\d{1,4})?$/.test(body.amount)
  return isAmount ? moneyHtml(body.amount, body.currency) : html`${body.amount}`
}

/** Status that the payments API answered, or the code of its refusal. */
function outcomeOf (exchange: Entry): Html | undefined {
  const { matched, response } = exchange
  if (!matched) return html`<span class="trouble">unmatched</span>`
  const text = JSON.stringify(response.body) ?? ''
  const [, code] = /"(?:failureCode|rejectionCode)":"(\w+)"/.exec(text) ?? []
  if (code !== undefined && isProblem(exchange)) return html`<span class="trouble">${code}</span>`
  const [, status] = /"status":"(\w+)"/.exec(text) ?? []
  return status === undefined ? undefined : html`${status}`
}

function nearestHtml (visit: Visit, { id, nearest }: Entry): Html | undefined {
  if (nearest === undefined) return undefined
  const { method, path, body, changes } = nearest
  const call = {
    method: readMethod(method),
    path,
    ...(typeof body === 'object' && body !== null && { body })
  }
  const fields = { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) }
  return html`<h3>Nearest valid request</h3>
<ul>${changes.map((change) => html`<li>${change}</li>`)}</ul>
${copyBlock(`nearest-${id}`, visit.curl(call))}
${actionForm(visit, 'send-request', fields, 'Send the nearest request')}`
}

function replayHtml (visit: Visit, entry: Entry): Html | undefined {
  if (!canReplay(entry)) return undefined
  const { id, request, payments } = entry
  const number = String(id)
  const isInitiation =
    request.method === 'POST' && payments.length > 0 && request.body !== undefined
  return html`<h3>As curl</h3>
${copyBlock(`curl-${id}`, visit.curl(writeRequest(entry)))}
<div class="actions">
${actionForm(visit, 'replay-request', { request: number }, 'Replay')}
${
  isInitiation
    ? actionForm(
        visit,
        'replay-request',
        { request: number, fresh: 'true' },
        'Replay with a new identifier'
      )
    : undefined
}
</div>`
}

/** Tells whether a request was not accepted. */
export function isProblem ({ matched, response: { status, body } }: Entry): boolean {
  return !matched || status >= 400 || /"status":"REJECTED"/.test(JSON.stringify(body) ?? '')
}

/** Payment of a request. A request that was refused, or found nothing, has no payment to show. */
function paymentName (visit: Visit, entry: Entry, kind: string, id: string): Html {
  const name = html`${kind} <code>${id}</code>`
  const isMissing = /"status":"NOT_FOUND"/.test(JSON.stringify(entry.response.body) ?? '')
  return isProblem(entry) || isMissing
    ? html`<span class="soft">${name}</span>`
    : html`<a href="${linkTo(visit, `/payments/${kind}/${id}`)}">${name}</a>`
}
