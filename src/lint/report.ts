import { writeJunit } from '../lib/junit.ts'
import type { Finding, LintReport } from './lint.ts'

/** Report of a look at the requests, for people and for build servers. */

/** A case for each rule. */
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

/** The same for a terminal; `paint` may colour the first line of a finding. */
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
  const requests = `${checked} ${checked === 1 ? 'request' : 'requests'}`
  const refused = findings.filter(({ severity }) => severity === 'refused').length
  const found =
    findings.length === 0
      ? 'nothing'
      : `${refused} that v2 refuses, ${findings.length - refused} to be warned of`
  return [...lines, `found in ${requests}: ${found}`, ''].join('\n')
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
          ...(equivalent.notes ?? [])
        ])
  ]
}

function bodyLine (body: unknown): string[] {
  return body === undefined ? [] : [`  ${typeof body === 'string' ? body : JSON.stringify(body)}`]
}
