import { showText } from '../lib/terminal-text.ts'
import { describeResult } from '../reports/exam/cases.ts'
import { summaryOf, usualBar } from '../reports/exam/outcome.ts'
import type { Report, Result } from '../reports/exam/report.ts'
import { describeCase } from '../reports/report.ts'

/** Error of an exam with findings, for test runners. The message has each finding with its fix. */
export class ExamFailed extends Error {
  override readonly name = 'ExamFailed'
  readonly report: Report
  readonly findings: readonly Result[]

  constructor (report: Report, findings: readonly Result[]) {
    const texts = findings.map((finding) => {
      const one = describeResult(finding, usualBar)
      return [one.title ?? one.name, ...describeCase(one).map((line) => `  ${line}`)]
        .map(showText)
        .join('\n')
    })
    super(
      [`the exam of ${report.target} has findings: ${summaryOf(report)}`, ...texts].join('\n\n')
    )
    this.report = report
    this.findings = findings
  }
}
