import { severities, type Severity } from './verdict.ts'
import type { Report, Result } from './report.ts'

/** Outcome of an exam: which findings count, and how the program ends. */

export interface Bar {
  /** Findings of this severity and above count. */
  failOn: Severity
  /** Do recommendations count as well? */
  strict: boolean
}

export const usualBar: Bar = { failOn: 'high', strict: false }

/** Does a result end the exam with an error? */
export function counts ({ verdict, severity, expected }: Result, { failOn, strict }: Bar): boolean {
  if (expected !== undefined) return isMended(verdict)
  const isAbove = severities.indexOf(severity) >= severities.indexOf(failOn)
  return (verdict === 'FAILED' && isAbove) || (strict && verdict === 'WARNING')
}

/** A known finding that no longer occurs is an error too: the note about it is wrong. */
function isMended (verdict: Result['verdict']): boolean {
  return verdict === 'PASSED'
}

/** Is it a known finding that is not there any more? */
export function isStale ({ expected, verdict }: Result): boolean {
  return expected !== undefined && isMended(verdict)
}

/** The results that end the exam with an error. */
export function findingsOf ({ checks }: Report, bar: Bar): Result[] {
  return checks.filter((result) => counts(result, bar))
}

/** Tells why an exam without findings is no success, if so: checks that prove nothing. */
export function describeUnproved ({ checks }: Report): string | undefined {
  const open = checks.filter(
    ({ inconclusive, expected }) => inconclusive === true && expected === undefined
  )
  const [first] = open
  if (first !== undefined) {
    const ids = open.map(({ id }) => id).join(', ')
    return `${ids} ${open.length === 1 ? 'proves' : 'prove'} nothing. ${first.id}: ${first.because}`
  }
  const isRun = checks.some(
    ({ verdict, expected }) => verdict !== 'SKIPPED' || expected !== undefined
  )
  return isRun || checks.length === 0
    ? undefined
    : `no check could be run. ${checks[0].id}: ${checks[0].because}`
}

const order: ReadonlyArray<Result['verdict']> = ['FAILED', 'WARNING', 'REVIEW', 'SKIPPED', 'PASSED']

/** Results with the worst first: by verdict, then by severity. */
export function worstFirst (checks: readonly Result[]): Result[] {
  return checks.toSorted(
    (one, other) =>
      order.indexOf(one.verdict) - order.indexOf(other.verdict) ||
      severities.indexOf(other.severity) - severities.indexOf(one.severity)
  )
}

/** A report in a sentence. */
export function summaryOf ({
  summary: { passed, failed, warning, review, skipped, depth }
}: Report): string {
  const parts = [`${passed} passed`, `${failed} failed`]
  if (warning > 0) parts.push(`${warning} ${warning === 1 ? 'warning' : 'warnings'}`)
  if (review > 0) parts.push(`${review} to review`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return `${parts.join(', ')} (depth ${depth})`
}

/** The two parts of a fix: the advice, and lines of code where there are some. */
export function partsOf ({ fix }: Pick<Result, 'fix'>): { advice: string; code: string } {
  const [advice, ...code] = fix.split('\n\n')
  return { advice, code: code.join('\n\n') }
}

/** What a line about a result says: the bug of a finding, otherwise what the check can prove. */
export function titleOf ({ verdict, title, proves }: Result): string {
  return verdict === 'FAILED' || verdict === 'WARNING' ? title : proves
}
