import { writeJunit } from '../lib/junit.ts'
import { showText } from '../lib/terminal-text.ts'
import type { Finding, LintReport } from './lint.ts'

/** Report of the linter as text and as JUnit XML. */

/** Writes JUnit XML with one case per rule. */
export function writeJunitReport ({ rules, findings }: LintReport): string {
  return writeJunit('momock', [
    {
      name: 'lint',
      cases: rules.map(({ id, title }) => ({
        name: `${id}: ${title}`,
        failures: findings
          .filter(({ rule }) => rule === id)
          .map((finding) => describeFinding(finding).join('\n'))
      }))
    }
  ])
}

/** Writes the report for a terminal. `paint` can colour the first line of a finding. */
export function writeText (
  { checked, findings }: LintReport,
  paint: (line: string, severity: Finding['severity']) => string
): string {
  const lines = findings.flatMap((finding) => {
    const [first, ...rest] = describeFinding(finding)
    return [
      paint(`${finding.severity.padEnd(9)}${finding.rule}: ${first}`, finding.severity),
      ...rest.map((line) => `         ${line}`),
      ''
    ]
  })
  const requests = count(checked, 'request')
  const refused = findings.filter(({ severity }) => severity === 'refused').length
  const found =
    findings.length === 0
      ? 'no findings'
      : `${refused} refused by v2, ${count(findings.length - refused, 'warning')}`
  return [...lines, `checked ${requests}: ${found}`, ''].join('\n')
}

function describeFinding ({ message, why, count, request, equivalent }: Finding): string[] {
  return [
    `${message}${count === 1 ? '' : ` (${count} times)`}`,
    why,
    `request ${request.id}: ${request.method} ${request.url}`,
    ...bodyLine(request.body),
    ...(equivalent === undefined
      ? []
      : [
          `in v2: ${equivalent.method} ${equivalent.path}`,
          ...bodyLine(equivalent.body),
          ...(equivalent.notes ?? []).map((note) => `note: ${note}`)
        ])
  ].map(showText)
}

function count (number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function bodyLine (body: unknown): string[] {
  return body === undefined ? [] : [`  ${typeof body === 'string' ? body : JSON.stringify(body)}`]
}
