import { writeJunit } from '../lib/junit.ts'
import { escapeMarkdown, writeTable } from '../lib/markdown.ts'
import { showText } from '../lib/terminal-text.ts'
import { listNames } from '../lib/name-list.ts'
import type { Check } from './judgement.ts'
import type { OpenQuestion } from './open-questions.ts'

/** Report of a run in four formats: text, JSON, JUnit XML and Markdown. */

export interface Report {
  momock: string
  /** Address of the server, addresses of both servers, or file of the recording. */
  subject: string[]
  mode: 'server' | 'recording' | 'comparison'
  started: string
  /** Seed of the identifiers. */
  seed?: string
  /** Sandbox provider of the payments, with --write. */
  provider?: string
  checks: Check[]
  /** Open questions and what the servers did, with --write. */
  questions?: OpenQuestion[]
  /** Requests of a recording that are not of the payments API. */
  others?: string[]
}

/** Counts the checks by outcome, and the differences. */
export function countChecks ({
  checks
}: Report): Record<'checks' | 'passed' | 'failed' | 'skipped' | 'differences', number> {
  const count = (outcome: Check['outcome']): number =>
    checks.filter((check) => check.outcome === outcome).length
  const differences = checks.reduce((sum, check) => sum + check.differences.length, 0)
  return {
    checks: checks.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    differences
  }
}

/** Writes the report as JSON. */
export function writeJson (report: Report): string {
  return `${JSON.stringify({ ...report, summary: countChecks(report) }, undefined, 2)}\n`
}

/** Writes JUnit XML: one suite per operation, one case per check. */
export function writeJunitReport (report: Report): string {
  return writeJunit(
    'momock.conform',
    groupByOperation(report).map(([name, checks]) => ({
      name,
      cases: checks.map((check) => ({
        name: check.name,
        failures: check.differences.map(({ message }) => message),
        ...(check.reason !== undefined && { skipped: check.reason })
      }))
    }))
  )
}

/** Escapes a message for Markdown. Field names and words in backticks stay code. */
function escapeProse (message: string): string {
  return message
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarkdown(part)))
    .join('')
}

/** Writes the report as Markdown. */
export function writeMarkdown (report: Report): string {
  const { failed, skipped, checks, differences } = countChecks(report)
  const rows = groupByOperation(report).map(([name, list]) => [
    escapeMarkdown(name),
    `\`${list[0].method} ${list[0].path}\``,
    ...(['passed', 'failed', 'skipped'] as const).map((outcome) =>
      String(list.filter((check) => check.outcome === outcome).length)
    )
  ])
  const findings = report.checks
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap((check) => [
      '',
      `### ${escapeMarkdown(`${check.operation} ${check.name}`)}`,
      '',
      describeRequest(check),
      '',
      ...check.differences.map(({ message, more }) => `- ${escapeProse(message)} (more: ${more})`)
    ])
  const reasons = report.checks.filter(({ reason }) => reason !== undefined)
  return [
    `# Conformance of ${escapeMarkdown(report.subject.join(' and '))}`,
    '',
    `momock ${report.momock}, ${report.started}: ${checks} checks, ${failed} failed, ` +
      `${skipped} skipped, ${differences} differences.`,
    '',
    '## Differences',
    ...(findings.length === 0 ? ['', 'None.'] : findings),
    '',
    ...describeQuestions(report, '## Open questions', (line) => `- ${escapeProse(line)}`),
    '## Operations',
    '',
    writeTable(['Operation', 'Request', 'Passed', 'Failed', 'Skipped'], rows),
    ...(reasons.length === 0
      ? []
      : [
          '',
          '## Skipped',
          '',
          ...reasons.map(
            (check) =>
              `- ${escapeMarkdown(`${check.operation} ${check.name}: ${check.reason ?? ''}`)}`
          )
        ]),
    ''
  ].join('\n')
}

/** Writes the report for a terminal. `paint` can colour a line. */
export function writeText (
  report: Report,
  paint: (line: string, outcome: Check['outcome']) => string
): string {
  const { checks, passed, failed, skipped, differences } = countChecks(report)
  const failures = report.checks.filter(({ outcome }) => outcome === 'failed')
  const lines = [
    ...failures.flatMap(({ operation, name, differences }) => [
      paint(showText(`differs  ${operation} ${name}`), 'failed'),
      ...differences.map(({ message }) => showText(`         ${message}`))
    ]),
    ...describeSkipped(report).map((line) => paint(showText(line), 'skipped'))
  ]
  return [
    ...lines,
    ...(lines.length === 0 ? [] : ['']),
    ...describeQuestions(report, 'Open questions, and what the server did:', (line) =>
      showText(`  ${line}`)
    ),
    `${report.subject.join(' and ')}: ${checks} checks, ${passed} passed, ` +
      `${failed} differ (${differences} differences), ${skipped} skipped`,
    ...describeOthers(report),
    ...(report.seed === undefined
      ? []
      : [`--seed ${report.seed} repeats this run with the same identifiers`]),
    ''
  ].join('\n')
}

/** Returns one line per reason. A read-only token skips many checks for the same reason. */
function describeSkipped ({ checks }: Report): string[] {
  const all = checks.filter(({ outcome }) => outcome === 'skipped')
  const reasons = Map.groupBy(all, ({ reason }) => reason)
  return [...reasons].map(([reason, skipped]) => {
    const operations = listNames([...new Set(skipped.map(({ operation }) => operation))])
    return `skipped  ${skipped.length} of ${operations}: ${reason ?? 'no reason'}`
  })
}

/** Describes what the servers did where the public record does not say what is right. */
function describeQuestions (
  { questions = [] }: Report,
  title: string,
  write: (line: string) => string
): string[] {
  if (questions.length === 0) return []
  const lines = questions.map(({ question, method, path, answers }) =>
    write(`${question} ${method} ${path}: ${answers.join(' | ')}`)
  )
  return [title, '', ...lines, '']
}

/** Limit of the names in one line. */
const mostNamed = 3

function describeOthers ({ others = [] }: Report): string[] {
  if (others.length === 0) return []
  const named = showText([...new Set(others)].slice(0, mostNamed).join(', '))
  return [`${others.length} requests of the recording do not belong to this API, such as ${named}`]
}

function describeRequest ({ method, path, status }: Check): string {
  return `\`${method} ${path}\`${status === undefined ? '' : `, answered ${status}`}`
}

function groupByOperation ({ checks }: Report): Array<[name: string, checks: Check[]]> {
  return [...Map.groupBy(checks, ({ operation }) => operation)]
}
