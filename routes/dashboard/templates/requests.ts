import type { Static } from '@sinclair/typebox'
import type { JournalEntry, JournalPage } from '../../../src/admin-api/requests.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import {
  badge,
  codeBlock,
  disclosure,
  emptyNote,
  formatTime,
  messageBlock,
  pageLink,
  writeJson
} from './parts.ts'

type Entry = Static<typeof JournalEntry>

/** List of requests: refused and unmatched ones first, each group newest first. */
export function requestsHtml (visit: Visit, page: Static<typeof JournalPage>): Html {
  const { requests, meta, requestJournalDisabled } = page
  if (requestJournalDisabled) {
    return emptyNote('The journal is off: the server was started with --journal 0.')
  }
  const problems = requests.filter(isProblem)
  const others = requests.filter((entry) => !isProblem(entry))
  const older =
    requests.length < meta.total
      ? linkTo(visit, '/requests', { before: String(requests.at(-1)?.id) })
      : undefined
  return html`<div class="actions">
${actionForm(visit, 'clear-requests', {}, 'Clear the journal')}
</div>
${problems.length === 0 ? undefined : html`<h2>Refused or unmatched</h2>`}
${problems.map((entry) => exchangeHtml(visit, entry))}
<h2>Accepted</h2>
${others.length === 0 ? emptyNote('No requests.') : undefined}
${others.map((entry) => exchangeHtml(visit, entry))}
${pageLink(older, 'Older requests')}`
}

/** One request with its answer. */
export function exchangeHtml (visit: Visit, entry: Entry): Html {
  const { id, request, response, at, durationMs, payments, notes = [], signature } = entry
  const { headers, body } = request
  return disclosure(
    `request-${id}`,
    html`${badge(response.status, isProblem(entry) ? 'FAILED' : 'OK')}
<code>${request.method} ${request.url}</code>
<span class="soft">${formatTime(at)}, ${durationMs} ms</span>`,
    html`${notes.map((note) => html`<p class="problem">${note}</p>`)}
${payments.map(({ kind, id }) => html`<p>${paymentLink(visit, kind, id)}</p>`)}
<h3>Request</h3>
${messageBlock(headers, body)}
${signature === undefined ? undefined : html`<h3>Signature</h3>${codeBlock(writeJson(signature))}`}
<h3>Answer</h3>
${codeBlock(response.body === undefined ? String(response.fault) : writeJson(response.body))}`
  )
}

/** Tells whether a request was not accepted. */
function isProblem ({ matched, response: { status, body } }: Entry): boolean {
  const isRejected =
    typeof body === 'object' && body !== null && 'status' in body && body.status === 'REJECTED'
  return !matched || status >= 400 || isRejected
}

function paymentLink (visit: Visit, kind: string, id: string): Html {
  return html`<a href="${linkTo(visit, `/payments/${kind}/${id}`)}">${kind} <code>${id}</code></a>`
}
