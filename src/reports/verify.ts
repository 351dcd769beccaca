import type { Expectation } from '../verification/expectation.ts'
import { nameExpectation } from '../verification/expectation-name.ts'
import type { UnmetExpectation } from '../verification/expectations.ts'
import type { Detail, Report } from './report.ts'

/** Place of the expectations in a file. */
export interface ExpectationFile {
  file: string
  /** Lines of the expectations by index. */
  lines: ReadonlyMap<number, number>
}

/** Reports which expectations were met. */
export function reportVerification (
  expectations: readonly Expectation[],
  { failed }: { failed: readonly UnmetExpectation[] },
  { file, lines }: Partial<ExpectationFile> = {}
): Report {
  const met = expectations.length - failed.length
  const cases = expectations.map((expectation, index) => {
    const unmet = failed.find((one) => one.index === index)
    const name = nameExpectation(expectation, index)
    if (unmet === undefined) return { name, verdict: 'passed' as const }
    return {
      name,
      verdict: 'failed' as const,
      label: 'not met',
      message: unmet.message,
      details: describeNearest(unmet),
      file,
      line: lines?.get(index)
    }
  })
  return {
    name: 'momock',
    title: 'momock verify',
    summary: `${met} of ${expectations.length} expectations were met`,
    shows: 'findings',
    suites: [{ name: 'verify', cases }]
  }
}

function describeNearest ({ nearest }: UnmetExpectation): Detail[] {
  if (nearest === undefined) return []
  return [
    ['nearest', nearest.summary],
    ...nearest.differences.map(({ field, wanted, got }): Detail => {
      const seen = JSON.stringify(got) ?? 'nothing'
      return ['', `${field}: wanted ${JSON.stringify(wanted)}, got ${seen}`]
    })
  ]
}
