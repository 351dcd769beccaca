import type { Equivalent } from './equivalent.ts'
import type { LintEntry, LintFacts, LintRun } from './journal-entry.ts'

/** Rule of the linter: a row with a pure function over the requests of a run. */

/** Request that breaks a rule, with a message. */
export interface Occurrence {
  entry: LintEntry
  message: string
  /** Right request, if it follows from another request. */
  instead?: Equivalent
}

/** Row of a rule. */
export interface Rule {
  id: string
  /** `refused` if v2 refuses the request, `warning` if the public rules warn about it. */
  severity: 'refused' | 'warning'
  /** Correct behaviour. */
  title: string
  why: string
  find: (run: LintRun) => Occurrence[]
  /** What to send instead, if the equivalent v2 request does not show it. */
  advice?: string
}

/** Builds a rule about single requests. `judge` returns a message for a wrong request. */
export function each (
  judge: (entry: LintEntry, facts: LintFacts) => string | undefined
): Rule['find'] {
  return ({ entries, facts }) =>
    entries.flatMap((entry) => {
      const message = judge(entry, facts)
      return message === undefined ? [] : [{ entry, message }]
    })
}
