import type { Case, Report as GeneralReport, Verdict } from '../report.ts'
import { families } from './families.ts'
import { counts, isStale, partsOf, summaryOf, titleOf, worstFirst, type Bar } from './outcome.ts'
import type { Report, Result } from './report.ts'

const verdicts: Record<Result['verdict'], Verdict> = {
  PASSED: 'passed',
  FAILED: 'failed',
  WARNING: 'warning',
  REVIEW: 'review',
  SKIPPED: 'skipped'
}

/** Reports an exam: a suite for each family of checks. `file` is the configuration of the exam. */
export function reportExam (report: Report, bar: Bar, file?: string): GeneralReport {
  const { target, summary } = report
  const checks = worstFirst(report.checks)
  return {
    name: 'momock exam',
    title: `momock exam of ${target}`,
    summary: `${target}: ${summaryOf(report)}`,
    notes:
      summary.interrupted === undefined
        ? []
        : [`This report is not complete: ${summary.interrupted}`],
    shows: 'tree',
    suites: Object.entries(families)
      .map(([name, title]) => ({
        name,
        title,
        cases: report.checks
          .filter(({ id }) => id.startsWith(`${name}-`))
          .map((result) => describeResult(result, bar, file))
      }))
      .filter(({ cases }) => cases.length > 0),
    table: {
      head: ['Verdict', 'Id', 'Severity', 'Check', 'Because'],
      rows: checks.map((result) => {
        const { verdict, id, severity, because } = result
        return [verdict, id, severity, titleOf(result), because]
      })
    }
  }
}

/** Describes a result: what was seen, what should happen, why it matters, and the fix. */
export function describeResult (result: Result, bar: Bar, file?: string): Case {
  const { id, severity, verdict, because, expected, sent, received, curl } = result
  const { advice, code } = partsOf(result)
  const isBug = verdict === 'FAILED' || verdict === 'WARNING'
  const note = expected === undefined ? '' : ` (expected: ${expected})`
  const message = isStale(result)
    ? `expected to fail (${expected}), and passes now; take it out of the list of known findings`
    : because
  const [head] = sent.split('\n')
  const [answer] = received.split('\n')
  return {
    // The name stays the same in each run, whatever the verdict is.
    name: `${id} ${result.proves}`,
    verdict: verdicts[verdict],
    counts: counts(result, bar),
    label: verdict,
    title: `${id} ${titleOf(result)}${isBug ? ` [${severity}]` : ''}${note}`,
    message,
    annotation: isBug ? `${because}. Fix: ${advice}` : message,
    details: [
      ...(head === '' ? [] : [['sent', head] as [string, string]]),
      ...(answer === '' ? [] : [['received', answer] as [string, string]]),
      ['booked', result.booked],
      ['should be', result.shouldBe],
      ['why', result.why],
      ['fix', advice],
      ['seed', result.seed],
      ['again', result.again]
    ],
    ...(curl !== '' && { command: curl }),
    ...(code !== '' && { sample: code }),
    ...(file !== undefined && { file })
  }
}
