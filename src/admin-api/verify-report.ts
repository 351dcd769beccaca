import type { Static } from '@sinclair/typebox'
import type { Expectation } from '../verification/expectation.ts'
import { nameExpectation } from '../verification/expectation-name.ts'
import { writeAnnotation } from '../lib/annotations.ts'
import { writeJunit, type TestSuite } from '../lib/junit.ts'
import { escapeMarkdown, writeTable } from '../lib/markdown.ts'
import type { VerifyAnswer } from './verify.ts'

/** Result of a verification as JUnit XML, as Markdown and as annotations. */

type Result = Static<typeof VerifyAnswer>
type Unmet = Result['failed'][number]

/** Writes a test case for each expectation. */
export function writeVerifyJunit (expectations: readonly Expectation[], result: Result): string {
  return writeJunit('momock', [listVerifyCases(expectations, result)])
}

/** Returns the test suite of the expectations. */
export function listVerifyCases (
  expectations: readonly Expectation[],
  { failed }: Result
): TestSuite {
  return {
    name: 'verify',
    cases: expectations.map((expectation, index) => {
      const unmet = failed.find((one) => one.index === index)
      return {
        name: nameExpectation(expectation, index),
        ...(unmet !== undefined && { failures: [explainUnmet(unmet)] })
      }
    })
  }
}

/** Writes a table of the expectations, those that were not met first. */
export function writeVerifyMarkdown (
  expectations: readonly Expectation[],
  { failed }: Result
): string {
  const met = expectations.length - failed.length
  const rows = expectations.map((expectation, index) => {
    const unmet = failed.find((one) => one.index === index)
    const name = escapeMarkdown(nameExpectation(expectation, index))
    return unmet === undefined
      ? { order: 1, cells: ['✅', name, ''] }
      : { order: 0, cells: ['❌', name, escapeMarkdown(explainUnmet(unmet))] }
  })
  return [
    '## momock verify',
    '',
    `**${met} of ${expectations.length} expectations were met**`,
    '',
    writeTable(
      ['', 'Expectation', 'What happened'],
      rows.sort((one, other) => one.order - other.order).map(({ cells }) => cells)
    ),
    ''
  ].join('\n')
}

/** Writes an annotation for each expectation that was not met, at its line in the file. */
export function writeVerifyAnnotations (
  expectations: readonly Expectation[],
  { failed }: Result,
  file: string,
  lines: ReadonlyMap<number, number>
): string {
  return failed
    .map((unmet) =>
      writeAnnotation({
        level: 'error',
        title: nameExpectation(expectations[unmet.index], unmet.index),
        message: explainUnmet(unmet),
        file,
        line: lines.get(unmet.index)
      })
    )
    .join('')
}

/** Explains an expectation that was not met: what happened, and the nearest candidate. */
export function explainUnmet ({ message, nearest }: Unmet): string {
  if (nearest === undefined) return message
  const differences = nearest.differences.map(
    ({ field, wanted, got }) =>
      `${field}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got) ?? 'nothing'}`
  )
  return [`${message}; nearest: ${nearest.summary}`, ...differences].join('\n')
}
