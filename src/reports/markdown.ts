import { describeCase, isFailure, isFinding, listCases, worstFirst } from './report.ts'
import type { Case, Report, Verdict } from './report.ts'

const signs: Record<Verdict, string> = {
  passed: '✅',
  failed: '❌',
  warning: '⚠️',
  review: '👀',
  skipped: '⏭️'
}

/**
 * Writes reports for the summary of a job or a pull request: the results first, then the findings,
 * then a table.
 */
export function writeMarkdown (reports: readonly Report[]): string {
  return reports.map(writeOne).join('\n')
}

function writeOne (report: Report): string {
  const cases = worstFirst(listCases(report))
  const sign = cases.some(isFailure) ? signs.failed : signs.passed
  const findings = cases.filter((one) => isFinding(one) || one.verdict === 'review')
  const { title, summary, notes = [], lists = [] } = report
  return [
    `## ${escapeMarkdown(title)}`,
    '',
    `**${sign} ${escapeMarkdown(summary)}**`,
    ...notes.flatMap((note) => ['', `> ${escapeMarkdown(note)}`]),
    ...(report.shows === 'summary' ? [] : findings.flatMap(writeFinding)),
    ...lists.flatMap(({ title, lines }) => [
      ...['', `### ${escapeMarkdown(title)}`, ''],
      ...lines.map((line) => `- ${escapeMarkdown(line)}`)
    ]),
    '',
    writeTable(report.table ?? listRows(cases)),
    ''
  ].join('\n')
}

function writeFinding (one: Case): string[] {
  const { verdict, name, title = name, message, details = [], command, sample } = one
  const lines = message === undefined ? details : [['', message], ...details]
  return [
    '',
    `### ${signs[verdict]} ${escapeMarkdown(title)}`,
    '',
    ...lines.map(([label, text]) => {
      const start = label === '' ? '' : `**${label.charAt(0).toUpperCase()}${label.slice(1)}:** `
      return `- ${start}${escapeMarkdown(text)}`
    }),
    ...(sample === undefined ? [] : ['', writeCode(sample)]),
    ...(command === undefined ? [] : ['', writeCode(command, 'sh')])
  ]
}

function listRows (cases: readonly Case[]): NonNullable<Report['table']> {
  return {
    head: ['', 'Check', 'What was seen'],
    rows: cases.map((one) => {
      const { verdict, name, title = name, message = describeCase(one)[0] ?? '' } = one
      return [signs[verdict], title, message]
    })
  }
}

/** Writes a table. Its cells are texts. */
export function writeTable ({ head, rows }: NonNullable<Report['table']>): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => escapeMarkdown(cell)).join(' | ')} |`
  return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n')
}

/**
 * Escapes a text for a paragraph, a list or a cell of a table. What it has in backticks stays code.
 */
function escapeMarkdown (text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1
        ? part.replaceAll('|', '\\|')
        : part.replace(/[\\`*_{}[\]<>#|~!&]/g, '\\$&')
    )
    .join('')
}

/** Writes a code block with a fence longer than any in the text. */
function writeCode (text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
