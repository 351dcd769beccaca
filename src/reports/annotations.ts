import { describeCase, isFailure, isFinding, listCases, type Report } from './report.ts'

/**
 * Writes annotations of GitHub Actions: commands on the output that show findings next to the code.
 */
export function writeAnnotations (report: Report): string {
  return listCases(report)
    .filter(isFinding)
    .map((one) => {
      const { verdict, name, title = name, file, line } = one
      const text = one.annotation ?? describeCase(one).join('\n')
      const place = Object.entries({ file, line, title })
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
      const level = verdict !== 'warning' && isFailure(one) ? 'error' : 'warning'
      return `::${level} ${place.join(',')}::${escapeData(text)}\n`
    })
    .join('')
}

function escapeData (text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty (text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
