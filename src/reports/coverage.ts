import type { Coverage } from '../verification/coverage.ts'
import type { Case, Report } from './report.ts'

/** Reports the used features. One that was not used is skipped; less than `min` is a failure. */
export function reportCoverage (coverage: Coverage, min: number | undefined): Report {
  const { covered, total, percent, groups } = coverage
  const isLow = min !== undefined && percent < min
  const isCovered = `${percent} percent is covered, ${covered} of ${total}`
  const summary = isLow ? `${isCovered}; ${min} is required` : isCovered
  const gate: Case = {
    name: `at least ${min} percent`,
    title: 'momock coverage',
    ...(isLow ? { verdict: 'failed', message: summary } : { verdict: 'passed' })
  }
  return {
    name: 'momock',
    title: 'momock coverage',
    summary,
    shows: 'summary',
    suites: [
      ...(min === undefined ? [] : [{ name: 'coverage', cases: [gate] }]),
      ...groups.map(({ name, exercised, missing }) => ({
        name,
        cases: [
          ...exercised.map((feature): Case => ({ name: feature, verdict: 'passed' })),
          ...missing.map((feature): Case => {
            return { name: feature, verdict: 'skipped', message: 'not exercised' }
          })
        ]
      }))
    ],
    table: {
      head: ['Group', 'Used', 'Not used'],
      rows: groups.map(({ name, covered, total, missing }) => [
        name,
        `${covered} of ${total}`,
        missing.join(', ')
      ])
    }
  }
}
