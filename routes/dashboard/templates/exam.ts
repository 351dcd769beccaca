import type { Static } from '@sinclair/typebox'
import type { ExamReport } from '../../../src/admin-api/exam.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { linkTo, type Visit } from '../visit.ts'
import { badge, disclosure, formatTime } from './parts.ts'

type Report = Static<typeof ExamReport>
type Result = Report['checks'][number]

const tones: Record<string, string> = { PASSED: 'OK', FAILED: 'FAILED' }

/** Last report of `momock exam`: failed checks first, with the reason and the fix. */
export function examHtml (visit: Visit, { target, ended, summary, checks }: Report): Html {
  const { passed, failed, warning, review, skipped, interrupted } = summary
  const sorted = checks.toSorted((a, b) => rank(a) - rank(b))
  return html`<p>${target}, ${formatTime(ended)}: ${passed} passed, ${failed} failed,
${warning} with a warning, ${review} to review, ${skipped} skipped.
<a href="${linkTo(visit, '/exam/report')}">Open the whole report</a></p>
${interrupted === undefined ? undefined : html`<p class="problem">${interrupted}</p>`}
${sorted.map(resultHtml)}`
}

function rank ({ verdict }: Result): number {
  return verdict === 'FAILED' ? 0 : verdict === 'PASSED' || verdict === 'SKIPPED' ? 2 : 1
}

function resultHtml ({ id, title, verdict, because, fix }: Result): Html {
  return disclosure(
    `check-${id}`,
    html`${badge(verdict, tones[verdict] ?? 'PENDING')} <code>${id}</code> ${title}`,
    html`<p>${because}</p>${fix === '' ? undefined : html`<p><strong>Fix:</strong> ${fix}</p>`}`
  )
}
