import type { Report } from '../reports/report.ts'
import type { Check } from './judgement.ts'
import type { OpenQuestion } from './open-questions.ts'

/** What a run has found, as `--json` writes it. */
export interface ConformReport {
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
}: ConformReport): Record<'checks' | 'passed' | 'failed' | 'skipped' | 'differences', number> {
  const count = (outcome: Check['outcome']): number =>
    checks.filter((check) => check.outcome === outcome).length
  return {
    checks: checks.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    differences: checks.reduce((sum, check) => sum + check.differences.length, 0)
  }
}

/** Limit of the names in one line. */
const mostNamed = 3

/** Reports the checks: a suite for each operation. */
export function reportConformance (report: ConformReport): Report {
  const { subject, seed, questions = [], others = [] } = report
  const { checks, passed, failed, skipped, differences } = countChecks(report)
  const operations = [...Map.groupBy(report.checks, ({ operation }) => operation)]
  const named = [...new Set(others)].slice(0, mostNamed).join(', ')
  const foreign = `${others.length} requests of the recording do not belong to this API`
  const lines = questions.map(
    ({ question, method, path, answers }) => `${question} ${method} ${path}: ${answers.join(' | ')}`
  )
  return {
    name: 'momock.conform',
    title: `Conformance of ${subject.join(' and ')}`,
    summary:
      `${subject.join(' and ')}: ${checks} checks, ${passed} passed, ` +
      `${failed} differ (${differences} differences), ${skipped} skipped`,
    notes: [
      ...(others.length === 0 ? [] : [`${foreign}, such as ${named}`]),
      ...(seed === undefined ? [] : [`--seed ${seed} repeats this run with the same identifiers`])
    ],
    shows: 'findings',
    suites: operations.map(([name, list]) => ({
      name,
      cases: list.map((check) => ({
        name: check.name,
        title: `${name} ${check.name}`,
        verdict: check.outcome,
        ...(check.outcome === 'failed' && { label: 'differs' }),
        ...(check.reason !== undefined && { message: check.reason }),
        details: check.differences.map(({ message }) => ['', message])
      }))
    })),
    ...(lines.length > 0 && {
      lists: [{ title: 'Open questions, and what the server did', lines }]
    }),
    table: {
      head: ['Operation', 'Request', 'Passed', 'Failed', 'Skipped'],
      rows: operations.map(([name, list]) => [
        name,
        `\`${list[0].method} ${list[0].path}\``,
        ...(['passed', 'failed', 'skipped'] as const).map((outcome) =>
          String(list.filter((check) => check.outcome === outcome).length)
        )
      ])
    }
  }
}
