import { writeAnnotation } from '../lib/annotations.ts'
import { counts, isStale, partsOf, type Bar } from './outcome.ts'
import type { Report } from './report.ts'

/** A line for each finding. `file` is the configuration of the exam, if there is one. */
export function annotationsOf ({ checks }: Report, bar: Bar, file?: string): string {
  return checks
    .flatMap((result) => {
      const { verdict, id, title, severity, because, expected } = result
      if (counts(result, bar)) {
        const message = isStale(result)
          ? `${id} is expected to fail (${expected}), and passes now`
          : `${because}. Fix: ${partsOf(result).advice}`
        return [
          writeAnnotation({ level: 'error', title: `${id} (${severity}): ${title}`, message, file })
        ]
      }
      return verdict === 'FAILED' || verdict === 'WARNING'
        ? [writeAnnotation({ level: 'warning', title: `${id}: ${title}`, message: because, file })]
        : []
    })
    .join('')
}
