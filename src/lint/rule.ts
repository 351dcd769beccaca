import type { Equivalent } from './equivalent.ts'
import type { LintEntry, LintFacts, LintRun } from './journal-entry.ts'

/** What a rule is: a row with a pure function over the requests of a run. */

/** A request that breaks a rule, and how. */
export interface Occurrence {
  entry: LintEntry
  message: string
  /** The request that should have been sent, where another request says so. */
  instead?: Equivalent
}

export interface Rule {
  id: string
  /** Does v2 refuse it, or is it only unwise? */
  severity: 'refused' | 'warning'
  /** How it should be. */
  title: string
  why: string
  find: (run: LintRun) => Occurrence[]
  /** Is there a request of v2 that does it right? Requests to v1 always have one. */
  hasEquivalent?: boolean
}

/** A rule that judges each request by itself: a sentence for one that breaks it. */
export function each (
  judge: (entry: LintEntry, facts: LintFacts) => string | undefined
): Rule['find'] {
  return ({ entries, facts }) =>
    entries.flatMap((entry) => {
      const message = judge(entry, facts)
      return message === undefined ? [] : [{ entry, message }]
    })
}
