import type { Coverage } from '../../src/domain/coverage.ts'
import { writeJunit } from '../../src/lib/junit.ts'

/**
 * Writes the coverage as JUnit XML. A feature that was not used is a skipped test case. With `min`,
 * another test case fails if the coverage is lower.
 */
export function writeJunitReport (
  { covered, total, percent, groups }: Coverage,
  min: number | undefined
): string {
  const failure = `${percent} percent is covered, ${covered} of ${total}; ${min} is required`
  const gate = {
    name: `at least ${min} percent`,
    ...(min !== undefined && percent < min && { failures: [failure] })
  }
  return writeJunit('momock', [
    ...(min === undefined ? [] : [{ name: 'coverage', cases: [gate] }]),
    ...groups.map(({ name, exercised, missing }) => ({
      name,
      cases: [
        ...exercised.map((feature) => ({ name: feature })),
        ...missing.map((feature) => ({ name: feature, skipped: 'not exercised' }))
      ]
    }))
  ])
}
