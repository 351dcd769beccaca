import { findEquivalent, type Equivalent } from './equivalent.ts'
import type { LintEntry, LintRun } from './journal-entry.ts'
import type { Occurrence, Rule } from './rule.ts'
import { rules } from './rules.ts'

/** Linter: applies the rules to the requests of a run. */

/** Limit of the request ids in one finding. */
const mostNamed = 20

/** Requests that break a rule in the same way. */
export interface Finding {
  rule: string
  severity: Rule['severity']
  title: string
  why: string
  message: string
  /** Number of requests with this message. */
  count: number
  /** Ids of the first requests in the journal. */
  requests: number[]
  /** First request. */
  request: { id: number; method: string; url: string; body?: unknown }
  /** Equivalent v2 request. */
  equivalent?: Equivalent
}

/** Result of the linter. */
export interface LintReport {
  /** Whether there are no findings. */
  passed: boolean
  /** Number of checked requests. */
  checked: number
  findings: Finding[]
  rules: Array<{ id: string; severity: Rule['severity']; title: string; found: number }>
}

/** Names of all rules. */
export const ruleNames: readonly string[] = rules.map(({ id }) => id)

/** Applies all rules except the ignored ones. */
export function lint (run: LintRun, ignored: readonly string[] = []): LintReport {
  const entries = [...run.entries].sort((a, b) => a.id - b.id)
  const sorted = { ...run, entries }
  const applied = rules.filter(({ id }) => !ignored.includes(id))
  const findings = applied.flatMap((rule) => {
    const groups = Map.groupBy(
      rule.find(sorted),
      ({ message, entry }) => `${entry.operation ?? ''} ${message.replace(/request \d+/, '')}`
    )
    return [...groups.values()].map((occurrences) => buildFinding(rule, occurrences, sorted))
  })
  return {
    passed: findings.length === 0,
    checked: entries.length,
    findings,
    rules: applied.map(({ id, severity, title }) => ({
      id,
      severity,
      title,
      found: findings.filter(({ rule }) => rule === id).length
    }))
  }
}

function buildFinding (rule: Rule, occurrences: Occurrence[], run: LintRun): Finding {
  const { id, severity, title, why } = rule
  const [{ entry, message }] = occurrences
  const equivalent = rightRequest(rule, occurrences[0], run)
  return {
    rule: id,
    severity,
    title,
    why,
    message,
    count: occurrences.length,
    requests: occurrences.slice(0, mostNamed).map((occurrence) => occurrence.entry.id),
    request: showFirstRequest(entry),
    ...(equivalent !== undefined && { equivalent })
  }
}

/** Returns the right v2 request with the advice of the rule, or undefined if there is none. */
function rightRequest (
  { advice }: Rule,
  { entry, instead }: Occurrence,
  run: LintRun
): Equivalent | undefined {
  const equivalent = instead ?? findEquivalent(entry, run)
  if (equivalent === undefined || advice === undefined) return equivalent
  return { ...equivalent, notes: [...(equivalent.notes ?? []), advice] }
}

function showFirstRequest ({ id, request: { method, url, body } }: LintEntry): Finding['request'] {
  return { id, method, url, ...(body !== undefined && { body }) }
}
