import { Bench } from './bench.ts'
import {
  lowestDepth,
  needs,
  NotPossible,
  TargetProblem,
  type Check,
  type Judgement
} from './check.ts'
import { runControl, type Control } from './control.ts'
import type { Evidence } from './evidence.ts'
import { resultOf } from './findings.ts'
import { connect } from './http.ts'
import { failed, inconclusive, skipped } from './judging.ts'
import { stopwatch } from './mock.ts'
import { Random } from './random.ts'
import type { Result } from '../reports/exam/report.ts'
import { has, type Settings } from './settings.ts'
import type { Workplace } from './workplace.ts'

/** Runs checks: one after the other at a workplace, and at several workplaces at once. */

/** Events of a running exam. */
export interface Progress {
  started?: (row: Check) => void
  ended?: (result: Result) => void
}

export interface Run {
  checks: readonly Check[]
  workplaces: readonly Workplace[]
  progress: Progress
  stop: AbortSignal
  /** The lines that verify a callback in the user's language. */
  verification?: string
  /** What became of a genuine callback before the first check, if one was posted. */
  control?: Control
}

export interface Outcome {
  results: Result[]
  /** Why not every check could be run. */
  problem?: TargetProblem
}

/** Runs every check, in the order of the catalogue as far as there is one workplace. */
export async function runChecks ({
  checks,
  workplaces,
  progress,
  stop,
  verification,
  control: earlier
}: Run): Promise<Outcome> {
  let shared = earlier === undefined ? undefined : Promise.resolve(earlier)
  const control: FindControl = (workplace) => (shared ??= tryControl(workplace, stop))
  const results = new Map<string, Result>()
  const waiting = [
    ...checks.filter(({ runsFirst }) => runsFirst),
    ...checks.filter(({ runsFirst, runsLast }) => runsFirst !== true && runsLast !== true),
    ...checks.filter(({ runsLast }) => runsLast)
  ]
  let problem: TargetProblem | undefined
  const work = async (workplace: Workplace): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      progress.started?.(row)
      const result =
        stop.aborted || problem !== undefined
          ? resultOf(
            row,
            skipped(
              stop.aborted ? 'the exam was interrupted' : 'the exam ended before this check'
            ),
            undefined,
            { seed: workplace.settings.seed, durationMs: 0, isStarted: false }
          )
          : await runCheck(row, workplace, { stop, verification, control })
      results.set(row.id, result)
      progress.ended?.(result)
      if (!stop.aborted && problem === undefined) problem = await workplace.recover()
    }
  }
  await Promise.all(workplaces.map(work))
  const ordered = checks.flatMap(({ id }) => results.get(id) ?? [])
  return problem === undefined ? { results: ordered } : { results: ordered, problem }
}

/** The control is run once, at the workplace of the first check that needs it. */
type FindControl = (workplace: Workplace) => Promise<Control>

/** Runs one check. An error becomes its result. */
async function runCheck (
  row: Check,
  workplace: Workplace,
  {
    stop,
    verification,
    control
  }: { stop: AbortSignal; verification: string | undefined; control: FindControl }
): Promise<Result> {
  const { settings } = workplace
  const seed = `${settings.seed}/${row.id}`
  const begun = stopwatch()
  let evidence: Evidence | undefined
  let judgement: Judgement
  const missing = reasonToSkip(row, settings)
  if (missing !== undefined) judgement = skipped(missing)
  else {
    let bench: Bench | undefined
    try {
      bench = await openBench(workplace, seed, stop)
      const judge = await row.stage(bench)
      evidence = await bench.evidence()
      workplace.remember(evidence)
      if (workplace.wrongToken !== undefined) throw workplace.wrongToken
      judgement = judge(evidence)
      if (judgement.control !== undefined) {
        judgement = compareWithControl(judgement, await control(workplace))
      }
    } catch (error) {
      if (stop.aborted) judgement = skipped('the exam was interrupted')
      else if (error instanceof NotPossible) {
        judgement = error.isInconclusive ? inconclusive(error.message) : skipped(error.message)
      } else if (error instanceof TargetProblem) judgement = await judgeProblem(error, settings)
      else throw error
      evidence ??= await bench?.evidence().catch(() => undefined)
      if (evidence !== undefined) workplace.remember(evidence)
    }
  }
  return resultOf(row, judgement, evidence, {
    seed,
    durationMs: stopwatch() - begun,
    isStarted: settings.config.start !== undefined,
    ...(verification !== undefined && { verification })
  })
}

/** Sets the account and the application back, and opens a bench. */
export async function openBench (
  workplace: Workplace,
  seed: string,
  stop: AbortSignal
): Promise<Bench> {
  const { mock, settings, values, earlier } = workplace
  await workplace.prepare()
  const bench = new Bench(mock, settings, new Random(seed), values, stop, earlier)
  await bench.hook('before')
  return bench
}

/** Withdraws a judgement that an ordinary genuine callback does not bear out. */
function compareWithControl (judgement: Judgement, { reached, text }: Control): Judgement {
  const { because, control, exchange } = judgement
  if (control === undefined || reached.includes(control)) return judgement
  return {
    ...inconclusive(`${because}. But ${text} (see SIG-07), so this check proves nothing`),
    ...(exchange !== undefined && { exchange })
  }
}

/** Tells what becomes of an ordinary genuine callback. */
async function tryControl (workplace: Workplace, stop: AbortSignal): Promise<Control> {
  try {
    const bench = await openBench(workplace, `${workplace.settings.seed}/control`, stop)
    const control = await runControl(bench)
    workplace.remember(await bench.evidence())
    return control
  } catch (error) {
    if (!(error instanceof NotPossible) && !(error instanceof TargetProblem)) throw error
    return { reached: [], text: `no ordinary genuine callback was possible: ${error.message}` }
  }
}

/** The application did not answer as configured. The check may have crashed it. */
async function judgeProblem (
  problem: TargetProblem,
  { config, limits }: Settings
): Promise<Judgement> {
  const isUp = await connect(config.callback, limits.callbackTimeoutMs).then(
    (socket) => {
      socket.destroy()
      return true
    },
    () => false
  )
  return isUp || problem.isUsage
    ? inconclusive(`the check could not be carried out: ${problem.message}`)
    : failed(`the application does not answer any more: ${problem.message}`)
}

/** Returns the reason to skip a check, or undefined. */
function reasonToSkip (row: Check, { config, depth }: Settings): string | undefined {
  const missing = row.needs.filter((need) => !has(need, config)).map((need) => needs[need])
  if (missing.length > 0) return `it needs ${missing.join(', and ')}`
  const lowest = lowestDepth(row)
  return depth < lowest
    ? `it needs depth ${lowest}: ${lowest === 1 ? needs.deposit : needs.observe}`
    : undefined
}
