import { writeJunit, type TestCase } from '../lib/junit.ts'
import { families } from './families.ts'
import { counts, findingText, isStale, type Bar } from './outcome.ts'
import type { Report, Result } from './report.ts'

/** Report as JUnit XML, one suite per family of checks. Only findings that count are failures. */
export function junitReport ({ checks }: Report, bar: Bar): string {
  const suites = Object.keys(families)
    .map((family) => ({
      name: family,
      cases: checks.filter(({ id }) => id.startsWith(`${family}-`)).map((one) => toCase(one, bar))
    }))
    .filter(({ cases }) => cases.length > 0)
  return writeJunit('momock exam', suites)
}

function toCase (result: Result, bar: Bar): TestCase {
  const { id, proves, verdict, because, expected } = result
  // The name stays the same in each run, whatever the verdict is.
  const name = `${id} ${proves}`
  if (counts(result, bar)) {
    const message = isStale(result) ? `expected to fail, and passes now: ${expected}` : because
    return { name, failures: [`${message}\n${findingText(result)}`] }
  }
  const isUndecided = verdict === 'SKIPPED' || verdict === 'REVIEW'
  return { name, ...(isUndecided && { skipped: `${verdict}: ${because}` }) }
}
