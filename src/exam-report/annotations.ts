import { counts, isStale, partsOf, type Bar } from './outcome.ts'
import type { Report } from './report.ts'

/** Annotations for GitHub Actions: commands on the output that show findings next to the code. */

/** A line for each finding. `file` is the configuration of the exam, if there is one. */
export function annotationsOf ({ checks }: Report, bar: Bar, file?: string): string {
  const place = file === undefined ? '' : `file=${property(file)},`
  return checks
    .flatMap((result) => {
      const { verdict, id, title, severity, because, expected } = result
      if (counts(result, bar)) {
        const message = isStale(result)
          ? `${id} is expected to fail (${expected}), and passes now`
          : `${because}. Fix: ${partsOf(result).advice}`
        return [
          `::error ${place}title=${property(`${id} (${severity}): ${title}`)}::${data(message)}\n`
        ]
      }
      return verdict === 'FAILED' || verdict === 'WARNING'
        ? [`::warning ${place}title=${property(`${id}: ${title}`)}::${data(because)}\n`]
        : []
    })
    .join('')
}

function data (text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property (text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
