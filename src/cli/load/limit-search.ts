import type { Figures } from './figures.ts'
import type { LivesReport } from './whole-lives.ts'

/** Search for the highest rate that a mock keeps. */

/** Step of the search. */
export interface LimitStep {
  rate: number
  p99: number
  answersPerSecond: number
  isKept: boolean
  /** Why the rate was not kept. */
  reason?: string
}

/** Result of the search. */
export interface LimitReport {
  /** Bound of the 99th percentile, in milliseconds. */
  boundMs: number
  /** Highest rate that was kept; 0 if none was. */
  rate: number
  steps: LimitStep[]
}

/** The search ends when the next rate would be higher by less than this part. */
const precision = 0.05
const mostSteps = 24
/** Least part of the rate that must have been sent and answered. */
const leastRate = 0.97
/** Payments may wait this long for their callback, in seconds: the script takes half a second. */
const longestLife = 3

/** Judges a run at a rate. */
export function judgeStep (
  rate: number,
  seconds: number,
  boundMs: number,
  { total, seconds: perSecond }: Figures,
  lives?: LivesReport
): LimitStep {
  const { answers, p99, wrong, errors, timeouts } = total
  const open = perSecond.at(-1)?.lives?.open ?? 0
  const reasons: Array<[isTrue: boolean, reason: string]> = [
    [wrong + errors + timeouts > 0, `${wrong + errors + timeouts} requests failed`],
    [p99 > boundMs, `p99 ${p99.toFixed(1)} ms`],
    [
      answers < Math.floor(rate * seconds) * leastRate,
      `only ${Math.round(answers / seconds)} answers per second`
    ],
    [open > rate * longestLife, `${open} payments waited for their callback`],
    [(lives?.lost ?? 0) > 0, `${lives?.lost} callbacks were lost`]
  ]
  const reason = reasons.find(([isTrue]) => isTrue)?.[1]
  return {
    rate,
    p99,
    answersPerSecond: Math.round(answers / seconds),
    isKept: reason === undefined,
    ...(reason !== undefined && { reason })
  }
}

/**
 * Finds the highest rate that is kept. The rate doubles until a step fails, or halves until one is
 * kept, and then the interval between is halved.
 */
export async function findLimit (
  start: number,
  highest: number,
  boundMs: number,
  tryRate: (rate: number) => Promise<LimitStep>,
  stop: AbortSignal
): Promise<LimitReport> {
  const steps: LimitStep[] = []
  let kept = 0
  let failed = Infinity
  let rate = start
  while (steps.length < mostSteps && !stop.aborted) {
    const step = await tryRate(rate)
    // A step that Ctrl-C cut short proves nothing.
    if (stop.aborted) break
    steps.push(step)
    if (step.isKept) kept = rate
    else failed = rate
    const next = chooseRate(kept, failed, highest)
    if (next === undefined) break
    rate = next
  }
  return { boundMs, rate: kept, steps }
}

/** Returns the next rate, or undefined if the limit is known well enough. */
function chooseRate (kept: number, failed: number, highest: number): number | undefined {
  if (failed === Infinity) return kept >= highest ? undefined : Math.min(kept * 2, highest)
  if (kept === 0) return failed <= 1 ? undefined : Math.ceil(failed / 2)
  const middle = Math.round((kept + failed) / 2)
  return middle - kept < kept * precision || middle === kept ? undefined : middle
}
