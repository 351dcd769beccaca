import type { Case, Detail, Report } from '../reports/report.ts'
import type { Finding, LintReport } from './lint.ts'

/** Reports what the linter found: a case for each finding, and for each rule without one. */
export function reportLint ({ checked, rules, findings }: LintReport): Report {
  const refused = findings.filter(({ severity }) => severity === 'refused').length
  const found =
    findings.length === 0
      ? 'no findings'
      : `${refused} refused by v2, ${count(findings.length - refused, 'warning')}`
  const cases = rules.flatMap(({ id, title }): Case[] => {
    const name = `${id}: ${title}`
    const own = findings.filter(({ rule }) => rule === id)
    if (own.length === 0) return [{ name, verdict: 'passed' }]
    return own.map((finding) => ({ name, ...describeFinding(finding) }))
  })
  return {
    name: 'momock',
    title: 'momock lint',
    summary: `checked ${count(checked, 'request')}: ${found}`,
    shows: 'findings',
    suites: [{ name: 'lint', cases }]
  }
}

function describeFinding (finding: Finding): Omit<Case, 'name'> {
  const { rule, severity, message, why, request, equivalent } = finding
  const times = finding.count === 1 ? '' : ` (${finding.count} times)`
  return {
    verdict: severity === 'refused' ? 'failed' : 'warning',
    counts: true,
    label: severity,
    title: rule,
    message: `${message}${times}`,
    details: [
      ['', why],
      ['', `request ${request.id}: ${request.method} ${request.url}`],
      ...describeBody(request.body),
      ...(equivalent === undefined
        ? []
        : [
            ['', `in v2: ${equivalent.method} ${equivalent.path}`] satisfies Detail,
            ...describeBody(equivalent.body),
            ...(equivalent.notes ?? []).map((note): Detail => ['', `note: ${note}`])
          ])
    ]
  }
}

function describeBody (body: unknown): Detail[] {
  if (body === undefined) return []
  return [['', `  ${typeof body === 'string' ? body : JSON.stringify(body)}`]]
}

function count (number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
