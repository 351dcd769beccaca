import { findEquivalent, type Equivalent } from './equivalent.ts'
import type { LintEntry, LintRun } from './journal-entry.ts'
import type { Occurrence, Rule } from './rule.ts'
import { rules } from './rules.ts'

/** A look at the requests of a run: which rules they break, and how it is done in v2. */

/** At most so many requests are named in one finding. */
const mostNamed = 20

export interface Finding {
  rule: string
  severity: Rule['severity']
  title: string
  why: string
  message: string
  /**
   * Number of requests that break the rule in this way, and the ids of the first of them in the
   * journal.
   */
  count: number
  requests: number[]
  /** The first of them. */
  request: { id: number; method: string; url: string; body?: unknown }
  /** The same in v2. */
  equivalent?: Equivalent
}

export interface LintReport {
  /** Is there no finding? */
  passed: boolean
  /** Number of requests that were looked at. */
  checked: number
  findings: Finding[]
  rules: Array<{ id: string; severity: Rule['severity']; title: string; found: number }>
}

export const ruleNames: readonly string[] = rules.map(({ id }) => id)

/** Applies every rule that is not to be ignored. */
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

/**
 * The request of v2 that does it right; nothing, where the mistake is not in the request but in
 * when it was sent.
 */
function rightRequest (
  { hasEquivalent }: Rule,
  { entry, instead }: Occurrence,
  run: LintRun
): Equivalent | undefined {
  if (instead !== undefined) return instead
  const isKnown = entry.generation === 'v1' || hasEquivalent === true
  return isKnown ? findEquivalent(entry, run) : undefined
}

function showFirstRequest ({ id, request: { method, url, body } }: LintEntry): Finding['request'] {
  return { id, method, url, ...(body !== undefined && { body }) }
}
