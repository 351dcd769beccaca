import type { Bench } from './bench.ts'
import type { Evidence, Exchange } from './evidence.ts'
import type { Depth, Severity, Verdict } from '../reports/exam/verdict.ts'

/** A check of the exam: a row of data with two functions. */

/** Part of the configuration without which a check cannot be staged. */
export const needs = {
  deposit: 'drive.deposit, a request or command that starts a deposit',
  payout: 'drive.payout, a request or command that starts a payout',
  retry: 'drive.retry or drive.checkout, a new attempt to pay the same order',
  observe: 'observe, a request or command that says what was booked',
  effects: 'observe.effects, how many times something was delivered, credited or sent',
  break: 'hooks.break and hooks.mend, which break and mend the database of the application'
} as const
export type Need = keyof typeof needs

/** Result of a check. */
export interface Judgement {
  verdict: Verdict
  /** One or two sentences: the observation that decided the result. */
  because: string
  /** The exchange that shows it best; the last one, when left out. */
  exchange?: Exchange
  /**
   * What an ordinary genuine callback must reach in the same run for this result to count.
   * Otherwise SIG-07 is the bug, and this check proves nothing.
   */
  control?: ControlLevel
  /** The fix for what was seen, where the usual one of the check would mislead. */
  fix?: string
  /** True if the check was begun and proves nothing. The exam does not end as a success then. */
  isInconclusive?: true
}

/** How far a genuine callback gets. What is only acknowledged may have no effect. */
export type ControlLevel = 'acknowledged' | 'booked'

/** Source of a requirement. */
export type Source = 'API rules' | 'RFC 9421' | 'RFC 9530' | 'Standard Webhooks'

export interface Check {
  id: string
  /** The bug it looks for. */
  title: string
  /** What is true of an application that passes. */
  proves: string
  /** The rule that is broken, and where it is written. */
  requirement: { rule: string; source: Source }
  severity: Severity
  /** Depths that a firm verdict needs; the check runs from the first of them on, or from `from`. */
  depth: readonly Depth[]
  from?: Depth
  needs: readonly Need[]
  /** Does it tell whether the endpoint answers at all? Then it runs before the others. */
  runsFirst?: true
  /** Does it leave something behind that other checks would notice? Then it runs after them. */
  runsLast?: true
  /** Action of the exam, in one sentence. */
  does: string
  shouldBe: string
  why: string
  fix: string
  /** Does the fix consist in verifying signatures? Then it is shown with lines for a language. */
  showsVerification?: true
  /** Prepares the mock, acts, and returns the facts that the judge needs besides the evidence. */
  stage: (bench: Bench) => Promise<Judge>
}

/** Decides from the evidence. A pure function. */
export type Judge = (evidence: Evidence) => Judgement

/** Facts of a staging and the function that judges them, as one row. */
export interface Row<Facts> extends Omit<Check, 'stage'> {
  stage: (bench: Bench) => Promise<Facts>
  judge: (facts: Facts, evidence: Evidence) => Judgement
}

/** A check from its row; the type of the facts stays between `stage` and `judge`. */
export function check<Facts> ({ stage, judge, ...row }: Row<Facts>): Check {
  return {
    ...row,
    stage: async (bench) => {
      const facts = await stage(bench)
      return (evidence) => judge(facts, evidence)
    }
  }
}

/** Lowest depth at which a check can give a result. */
export function lowestDepth ({ from, depth }: Pick<Check, 'from' | 'depth'>): Depth {
  return from ?? depth[0]
}

/** A check that cannot be carried out, with the reason; it is skipped. */
export class NotPossible extends Error {
  /** True when the application is the reason, so that the check proves nothing. */
  readonly isInconclusive: boolean

  constructor (message: string, isInconclusive = false) {
    super(message)
    this.isInconclusive = isInconclusive
  }
}

/** Error of a target that does not answer, or not as configured. It ends the exam. */
export class TargetProblem extends Error {
  /** True when the configuration must be changed, false when the application must be reached. */
  readonly isUsage: boolean

  constructor (message: string, isUsage = false) {
    super(message)
    this.isUsage = isUsage
  }
}
