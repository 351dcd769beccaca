import type { Static } from '@sinclair/typebox'
import type { LintAnswer } from '../../../src/admin-api/lint.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'
import { badge, codeBlock, emptyNote, entry, entryList, writeJson } from './parts.ts'

type Answer = Static<typeof LintAnswer>
type Finding = Answer['findings'][number]

/** Requests that v2 refuses, or that are unwise, each with the same request in v2. */
export function lintHtml (visit: Visit, { checked, dropped, findings, rules }: Answer): Html {
  const lost =
    dropped === 0 ? undefined : html` The journal no longer has ${dropped} earlier ones.`
  return html`<p>${checked} requests were checked against ${rules.length} rules.${lost}</p>
${findings.length === 0 ? emptyNote('No findings.') : undefined}
${
  findings.length === 0
    ? undefined
    : html`<h2 class="unseen">Findings</h2>
${entryList(
  'checks',
  ['Severity', 'Requests', 'Finding'],
  findings.map((finding, n) => findingHtml(visit, finding, n))
)}`
}`
}

function findingHtml (visit: Visit, finding: Finding, n: number): Html {
  const { rule, severity, title, why, message, count, requests, request, equivalent } = finding
  const links = requests.map(
    (id) =>
      html`<a href="${linkTo(visit, '/requests', { before: String(id + 1) })}">${String(id)}</a> `
  )
  return entry(
    `finding-${rule}-${n}`,
    [
      badge(severity, severity === 'refused' ? 'FAILED' : 'WARNING'),
      count,
      html`<strong>${title}</strong> <span class="soft">${message}</span>`
    ],
    html`<p>${why}</p>
<p>Rule <code>${rule}</code>. Requests: ${links}</p>
<h3>${request.method} ${request.url}</h3>
${request.body === undefined ? undefined : codeBlock(writeJson(request.body))}
${equivalent && equivalentHtml(equivalent)}`
  )
}

function equivalentHtml (equivalent: NonNullable<Finding['equivalent']>): Html {
  const { method, path, body, notes = [] } = equivalent
  return html`<h3>The same in v2: ${method} ${path}</h3>
${notes.map((note) => html`<p class="soft">${note}</p>`)}
${body === undefined ? undefined : codeBlock(writeJson(body))}`
}
