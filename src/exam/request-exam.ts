import { select } from './catalogue.ts'
import { TargetProblem } from './check.ts'
import type { Severity } from '../reports/exam/verdict.ts'
import type { ExamConfig } from './config.ts'
import { ExamFailed } from './exam-failed.ts'
import { examine } from './exam.ts'
import { ConfigError, type CreateMock } from './mock.ts'
import { describeUnproved, findingsOf, usualBar } from '../reports/exam/outcome.ts'
import { checkConfig } from './read-config.ts'
import type { Report } from '../reports/exam/report.ts'
import type { Language } from './verification.ts'

/** An exam for test runners. */

/** Options of an exam: the fields of exam.yaml and the flags of the command. */
export interface ExamRequest extends ExamConfig {
  /** Identifiers of checks, or families such as SIG; all by default. */
  checks?: string[]
  /** Findings of this severity and above fail; high, when left out. */
  failOn?: Severity
  /** Do warnings fail as well? */
  strict?: boolean
  language?: Language
  parallel?: number
  seed?: string
}

/** Examines, and throws an ExamFailed when something was found that counts. */
export async function requestExam (request: ExamRequest, createMock: CreateMock): Promise<Report> {
  const {
    checks = [],
    failOn = usualBar.failOn,
    strict = usualBar.strict,
    language,
    parallel,
    seed,
    ...config
  } = request
  const selected = select(checks)
  if (selected.unknown.length > 0) {
    throw new ConfigError(
      selected.unknown.map((word) => `'${word}' is neither a check nor a family of checks`)
    )
  }
  const { report, problem } = await examine({
    config: checkConfig(config),
    createMock,
    checks: selected.checks,
    ...(language !== undefined && { language }),
    ...(parallel !== undefined && { parallel }),
    ...(seed !== undefined && { seed })
  })
  if (problem !== undefined) throw problem
  const findings = findingsOf(report, { failOn, strict })
  if (findings.length > 0) throw new ExamFailed(report, findings)
  const unproved = describeUnproved(report)
  if (unproved !== undefined) throw new TargetProblem(`the exam is no success: ${unproved}`)
  return report
}
