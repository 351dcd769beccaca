import type { Writable } from 'node:stream'
import { paintText, type TextStyle } from '../lib/colour.ts'
import { showText } from '../lib/terminal-text.ts'
import { families } from './families.ts'
import { findingText, isStale, partsOf, summaryOf, titleOf, worstFirst } from './outcome.ts'
import type { Report, Result } from './report.ts'

/** The report for a terminal: a tree of results, and the findings in full. */

type Environment = Parameters<typeof paintText>[3]

const marks: Record<Result['verdict'], [mark: string, style: TextStyle]> = {
  PASSED: ['✓', 'green'],
  FAILED: ['✗', 'red'],
  WARNING: ['!', 'yellow'],
  REVIEW: ['?', 'cyan'],
  SKIPPED: ['-', 'dim']
}

/** The whole report as text. */
export function consoleReport (report: Report, stream: Writable, env: Environment): string {
  const paint = (style: TextStyle, text: string): string =>
    paintText(style, showText(text), stream, env)
  const lines: string[] = [
    paint(
      'dim',
      '✓ passed, ✗ failed: the line names the bug, ! warning, ? review, - skipped'
    )
  ]
  for (const [prefix, name] of Object.entries(families)) {
    const rows = report.checks.filter(({ id }) => id.startsWith(`${prefix}-`))
    if (rows.length === 0) continue
    lines.push('', paint('bold', name))
    for (const [n, row] of rows.entries()) lines.push(...branch(row, n === rows.length - 1, paint))
  }
  const findings = worstFirst(report.checks).filter(
    (row) => row.verdict === 'FAILED' || row.verdict === 'WARNING' || isStale(row)
  )
  if (findings.length > 0) lines.push('', paint('bold', 'Findings'))
  for (const finding of findings) lines.push('', staleText(finding) ?? findingText(finding))
  const [code] = findings.map((finding) => partsOf(finding).code).filter((code) => code !== '')
  if (code !== undefined) lines.push('', paint('bold', 'How to verify a callback'), '', code)
  lines.push('', `${paint('bold', report.target)}: ${summaryOf(report)}`)
  if (report.summary.interrupted !== undefined) {
    lines.push(paint('red', `This report is not complete: ${report.summary.interrupted}`))
  }
  return `${lines.join('\n').trimStart()}\n`
}

function branch (
  result: Result,
  isLast: boolean,
  paint: (style: TextStyle, text: string) => string
): string[] {
  const [mark, style] = marks[result.verdict]
  const { id, severity, verdict, because, expected } = result
  const title = titleOf(result)
  const note = expected === undefined ? '' : paint('dim', ` (expected: ${expected})`)
  const line =
    `${isLast ? '└' : '├'} ${paint(style, mark)} ${id} ` +
    `${verdict === 'FAILED' ? paint('red', `${title} [${severity}]`) : title}${note}`
  if (verdict === 'PASSED') return [line]
  return [line, `${isLast ? ' ' : '│'}     ${paint(style, `${verdict}: ${because}`)}`]
}

function staleText (result: Result): string | undefined {
  return isStale(result)
    ? showText(
        `${result.id} is expected to fail (${result.expected}), and passes now. Take it out of ` +
          'the list of known findings.'
    )
    : undefined
}
