import type { Writable } from 'node:stream'
import { paintText, type TextStyle } from '../lib/colour.ts'
import { listNames } from '../lib/name-list.ts'
import { showLines, showText } from '../lib/terminal-text.ts'
import { describeCase, isFinding, listCases, worstFirst } from './report.ts'
import type { Case, Report, Suite, Verdict } from './report.ts'

type Paint = (style: TextStyle, text: string) => string

const marks: Record<Verdict, [mark: string, style: TextStyle]> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  warning: ['!', 'yellow'],
  review: ['?', 'cyan'],
  skipped: ['-', 'dim']
}

const indent = ' '.repeat(9)

/** Writes a report for a terminal. The environment decides about colours. */
export function writeConsole (
  report: Report,
  stream: Writable,
  env: Parameters<typeof paintText>[3]
): string {
  const paint: Paint = (style, text) => paintText(style, showText(text), stream, env)
  const { shows, lists = [], summary, notes = [] } = report
  const parts = [
    ...(shows === 'tree' ? writeTree(report, paint) : []),
    ...(shows === 'summary' ? [] : writeFindings(report, paint)),
    ...(shows === 'findings' ? [describeSkipped(report, paint)] : []),
    ...lists.map(({ title, lines }) => [`${title}:`, ...lines.map((line) => `  ${showText(line)}`)])
  ]
  return [
    ...parts.filter((lines) => lines.length > 0).map((lines) => [...lines, ''].join('\n')),
    showText(summary),
    ...notes.map(showText),
    ''
  ].join('\n')
}

/** Writes all cases by suite. */
function writeTree ({ suites }: Report, paint: Paint): string[][] {
  const key = '✓ passed, ✗ failed: the line names the bug, ! warning, ? review, - skipped'
  return [
    [paint('dim', key)],
    ...suites.map(({ name, title = name, cases }: Suite) => [
      paint('bold', title),
      ...cases.flatMap((one, index) => writeBranch(one, index === cases.length - 1, paint))
    ])
  ]
}

function writeBranch (one: Case, isLast: boolean, paint: Paint): string[] {
  const { verdict, name, title = name, label = verdict, message = '' } = one
  const [mark, style] = marks[verdict]
  const text = verdict === 'failed' ? paint('red', title) : showText(title)
  const line = `${isLast ? '└' : '├'} ${paint(style, mark)} ${text}`
  if (verdict === 'passed') return [line]
  return [line, `${isLast ? ' ' : '│'}     ${paint(style, `${label}: ${message}`)}`]
}

/** Writes the findings in full, and then the lines of code that mend them. */
function writeFindings (report: Report, paint: Paint): string[][] {
  const findings = worstFirst(listCases(report).filter(isFinding))
  const samples = new Set(findings.flatMap(({ sample }) => sample ?? []))
  return [
    ...findings.map((one) => {
      const { verdict, name, title = name, label = verdict } = one
      const head = paint(marks[verdict][1], `${label.padEnd(indent.length - 1)} ${title}`)
      return [head, ...describeCase(one).map((line) => indent + showText(line))]
    }),
    ...[...samples].map((sample) => [paint('bold', 'How to mend it'), '', showLines(sample)])
  ]
}

/** Returns one line per reason. A read-only token skips many checks for the same reason. */
function describeSkipped ({ suites }: Report, paint: Paint): string[] {
  const skipped = suites.flatMap(({ name, cases }) =>
    cases.filter(({ verdict }) => verdict === 'skipped').map(({ message }) => ({ name, message }))
  )
  return [...Map.groupBy(skipped, ({ message }) => message)].map(([reason, all]) => {
    const names = listNames([...new Set(all.map(({ name }) => name))])
    return paint('yellow', `skipped  ${all.length} of ${names}: ${reason ?? 'no reason'}`)
  })
}
