import { isStale, partsOf, summaryOf, titleOf, worstFirst } from './outcome.ts'
import type { Report, Result } from './report.ts'

/** The report as Markdown, for the summary of a job or a pull request. */

const signs: Record<Result['verdict'], string> = {
  PASSED: '✅',
  FAILED: '❌',
  WARNING: '⚠️',
  REVIEW: '👀',
  SKIPPED: '⏭️'
}

/** Markdown with the summary first, then the findings, then every check. */
export function markdownReport (report: Report): string {
  const { target, checks, summary } = report
  const findings = worstFirst(checks).filter(
    (result) => ['FAILED', 'WARNING', 'REVIEW'].includes(result.verdict) || isStale(result)
  )
  const rows = worstFirst(checks).map((result) => {
    const { id, severity, verdict, because } = result
    const texts = [titleOf(result), because].map(cell)
    return `| ${[`${signs[verdict]} ${verdict}`, id, severity, ...texts].join(' | ')} |`
  })
  return [
    `## momock exam of ${cell(target)}`,
    '',
    `**${summaryOf(report)}**`,
    ...(summary.interrupted === undefined
      ? []
      : ['', `> This report is not complete: ${cell(summary.interrupted)}`]),
    ...findings.flatMap(finding),
    '',
    '| Verdict | Id | Severity | Check | Because |',
    '|---|---|---|---|---|',
    ...rows,
    ''
  ].join('\n')
}

function finding (result: Result): string[] {
  const { id, severity, verdict, because, booked, shouldBe, why, curl, again, expected } = result
  const { advice, code } = partsOf(result)
  const stale = isStale(result) ? '. It passes now: take it out of the list.' : ''
  return [
    '',
    `### ${signs[verdict]} ${id} (${severity}): ${cell(titleOf(result))}`,
    '',
    ...(expected === undefined ? [] : [`_Known finding: ${cell(expected)}${stale}_`, '']),
    `- **Seen:** ${cell(because)}`,
    `- **Booked:** ${cell(booked)}`,
    `- **Should be:** ${cell(shouldBe)}`,
    `- **Why it matters:** ${cell(why)}`,
    `- **Fix:** ${cell(advice)}`,
    `- **Again:** ${cell(again)}`,
    ...(code === '' ? [] : ['', fenced(code)]),
    ...(curl === '' ? [] : ['', fenced(curl, 'sh')])
  ]
}

/** Creates a code block with a fence longer than any in the text. */
function fenced (text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** A text in one line that cannot end a cell or begin markup. */
function cell (text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|<>*_`[\]]/g, '\\$&')
}
