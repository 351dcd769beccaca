import type { Coverage } from '../verification/coverage.ts'
import { writeAnnotation } from '../lib/annotations.ts'
import { writeJunit, type TestSuite } from '../lib/junit.ts'
import { escapeMarkdown, writeTable } from '../lib/markdown.ts'

/**
 * Writes the coverage as JUnit XML. A feature that was not used is a skipped test case. With `min`,
 * another test case fails if the coverage is lower.
 */
export function writeCoverageJunit (coverage: Coverage, min: number | undefined): string {
  return writeJunit('momock', listCoverageSuites(coverage, min))
}

/** Returns a test suite for each group, and one for `min`. */
export function listCoverageSuites (coverage: Coverage, min: number | undefined): TestSuite[] {
  const gate = {
    name: `at least ${min} percent`,
    ...(min !== undefined && coverage.percent < min && { failures: [explainGap(coverage, min)] })
  }
  return [
    ...(min === undefined ? [] : [{ name: 'coverage', cases: [gate] }]),
    ...coverage.groups.map(({ name, exercised, missing }) => ({
      name,
      cases: [
        ...exercised.map((feature) => ({ name: feature })),
        ...missing.map((feature) => ({ name: feature, skipped: 'not exercised' }))
      ]
    }))
  ]
}

/** Writes a row for each group, and the features that were not used. */
export function writeCoverageMarkdown (coverage: Coverage, min: number | undefined): string {
  const { covered, total, percent, groups } = coverage
  const isLow = min !== undefined && percent < min
  return [
    '## momock coverage',
    '',
    `**${percent} percent: ${covered} of ${total}**${isLow ? `, ${min} is required ❌` : ''}`,
    '',
    writeTable(
      ['Group', 'Used', 'Not used'],
      groups.map(({ name, covered, total, missing }) => [
        name,
        `${covered} of ${total}`,
        escapeMarkdown(missing.join(', '))
      ])
    ),
    ''
  ].join('\n')
}

/** Writes an annotation if less than `min` is covered. */
export function writeCoverageAnnotation (coverage: Coverage, min: number | undefined): string {
  if (min === undefined || coverage.percent >= min) return ''
  const message = explainGap(coverage, min)
  return writeAnnotation({ level: 'error', title: 'momock coverage', message })
}

function explainGap (
  { covered, total, percent }: Pick<Coverage, 'covered' | 'total' | 'percent'>,
  min: number
): string {
  return `${percent} percent is covered, ${covered} of ${total}; ${min} is required`
}
