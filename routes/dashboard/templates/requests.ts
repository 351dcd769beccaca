import type { Static } from '@sinclair/typebox'
import type { JournalEntry, JournalPage } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { canReplay, readMethod, writeRequest } from '../replay.ts'
import { home, linkTo, type Visit } from '../visit.ts'
import { copyBlock } from './copy-block.ts'
import { accountField, actionForm } from './forms.ts'
import {
  badge,
  codeBlock,
  disclosure,
  emptyNote,
  formatTime,
  pageLink,
  requestBlock,
  writeJson
} from './parts.ts'
import { selectField } from './select-field.ts'
import { signatureHtml } from './signature.ts'

type Entry = Static<typeof JournalEntry>
type Page = Static<typeof JournalPage>

/** Latest refused requests, and the number of all. */
export type RefusedRequests = Pick<Page, 'requests' | 'meta'>

/** List of requests: refused and unmatched ones first, each group newest first. */
export function requestsHtml (
  visit: Visit,
  page: Page,
  { requests: refused, meta: { total } }: RefusedRequests
): Html {
  const { requests, meta, requestJournalDisabled } = page
  if (requestJournalDisabled) {
    return emptyNote('The journal is off: the server was started with --journal 0.')
  }
  const isFiltered = visit.query.outcome !== undefined || visit.query.before !== undefined
  const others = isFiltered ? requests : requests.filter((entry) => !isProblem(entry))
  const { outcome } = visit.query
  const older =
    requests.length < meta.total
      ? linkTo(visit, '/requests', {
        ...(outcome !== undefined && { outcome }),
        before: String(requests.at(-1)?.id)
      })
      : undefined
  const olderRefused =
    refused.length < total
      ? linkTo(visit, '/requests', { outcome: 'refused', before: String(refused.at(-1)?.id) })
      : undefined
  return html`${controls(visit)}
${refused.length === 0 ? undefined : html`<h2>Refused or unmatched</h2>`}
${refused.map((entry) => exchangeHtml(visit, entry))}
${pageLink(olderRefused, `Older refused requests (${total - refused.length})`)}
${isFiltered ? undefined : html`<h2>Accepted</h2>`}
${others.length === 0 ? emptyNote(emptyText(visit)) : undefined}
${others.map((entry) => exchangeHtml(visit, entry))}
${pageLink(older, 'Older requests')}`
}

function emptyText ({ query: { outcome, before } }: Visit): string {
  if (outcome !== undefined) return 'No requests match.'
  return before === undefined
    ? 'No requests yet. Send one to the payments API, or use "Try it".'
    : 'No older requests.'
}

function controls (visit: Visit): Html {
  return html`<div class="bar">
<form class="filters" method="get" action="${home}/requests">
${accountField(visit)}
${selectField('outcome', 'Outcome', ['refused', 'accepted'], visit.query.outcome)}
<button>Filter</button>
</form>
${actionForm(visit, 'clear-requests', {}, 'Clear the journal')}
</div>`
}

/** One request with its answer, its command, and the nearest valid request if it was refused. */
export function exchangeHtml (visit: Visit, entry: Entry): Html {
  const { id, request, response, at, durationMs, payments, notes = [], signature } = entry
  const { headers, body } = request
  return disclosure(
    `request-${id}`,
    html`${badge(response.status, isProblem(entry) ? 'FAILED' : 'OK')}
<code>${request.method} ${request.url}</code>
${reasonNote(entry)}
<span class="when">${formatTime(at)}, ${durationMs} ms</span>`,
    html`${notes.map((note) => html`<p class="problem">${note}</p>`)}
${payments.map(({ kind, id }) => html`<p>${paymentName(visit, entry, kind, id)}</p>`)}
${nearestHtml(visit, entry)}
${replayHtml(visit, entry)}
<h3>Request</h3>
${requestBlock(request.method, request.url, headers, body)}
${signature && signatureHtml(`request-signature-${id}`, signature)}
<h3>Answer ${response.status}</h3>
${codeBlock(response.body === undefined ? String(response.fault) : writeJson(response.body))}`
  )
}

/** Code of the refusal, so that the list can be read without opening each entry. */
function reasonNote ({ matched, response: { body } }: Entry): Html | undefined {
  if (!matched) return html`<strong>unmatched</strong>`
  const [, code] = /"(?:failureCode|rejectionCode)":"(\w+)"/.exec(JSON.stringify(body) ?? '') ?? []
  return code === undefined ? undefined : html`<strong>${code}</strong>`
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
