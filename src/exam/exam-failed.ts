import { findingText, isStale, summaryOf } from '../exam-report/outcome.ts'
import type { Report, Result } from '../exam-report/report.ts'

/** Error of an exam with findings, for test runners. The message has each finding with its fix. */
export class ExamFailed extends Error {
  override readonly name = 'ExamFailed'
  readonly report: Report
  readonly findings: readonly Result[]

  constructor (report: Report, findings: readonly Result[]) {
    const texts = findings.map((finding) =>
      isStale(finding)
        ? `${finding.id} is expected to fail (${finding.expected}), and passes now`
        : findingText(finding)
    )
    super(
      [`the exam of ${report.target} has findings: ${summaryOf(report)}`, ...texts].join('\n\n')
    )
    this.report = report
    this.findings = findings
  }
}
