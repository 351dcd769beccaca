import { Bench } from './bench.ts'
import {
  lowestDepth,
  needs,
  NotPossible,
  TargetProblem,
  type Check,
  type Judgement
} from './check.ts'
import type { Evidence } from './evidence.ts'
import { resultOf } from './findings.ts'
import { connect } from './http.ts'
import { failed, skipped } from './judging.ts'
import { stopwatch } from './mock.ts'
import { genuine } from './signature-honest.ts'
import { Random } from './random.ts'
import type { Result } from '../exam-report/report.ts'
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
  verification
}: Run): Promise<Outcome> {
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
              stop.aborted
                ? 'the exam was interrupted'
                : 'the application could not be reached any more'
            ),
            undefined,
            { seed: workplace.settings.seed, durationMs: 0 }
          )
          : await runCheck(row, workplace, stop, verification)
      results.set(row.id, result)
      progress.ended?.(result)
      if (!stop.aborted && problem === undefined) problem = await workplace.recover()
    }
  }
  await Promise.all(workplaces.map(work))
  const ordered = checks.flatMap(({ id }) => results.get(id) ?? [])
  return problem === undefined ? { results: ordered } : { results: ordered, problem }
}

/** Runs one check. An error becomes its result. */
async function runCheck (
  row: Check,
  workplace: Workplace,
  stop: AbortSignal,
  verification?: string
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
      judgement = judge(evidence)
      workplace.remember(evidence)
      if (judgement.needsGenuine === true && isFinding(judgement)) {
        judgement = await compareWithGenuine(judgement, workplace, stop)
      }
    } catch (error) {
      if (stop.aborted) judgement = skipped('the exam was interrupted')
      else if (error instanceof NotPossible) judgement = skipped(error.message)
      else if (error instanceof TargetProblem) judgement = await judgeProblem(error, settings)
      else throw error
      evidence ??= await bench?.evidence().catch(() => undefined)
      if (evidence !== undefined) workplace.remember(evidence)
    }
  }
  return resultOf(row, judgement, evidence, {
    seed,
    durationMs: stopwatch() - begun,
    ...(verification !== undefined && { verification })
  })
}

/** Sets the account and the application back, and opens a bench. */
async function openBench (workplace: Workplace, seed: string, stop: AbortSignal): Promise<Bench> {
  const { mock, settings, values, earlier } = workplace
  await workplace.prepare()
  const bench = new Bench(mock, settings, new Random(seed), values, stop, earlier)
  await bench.hook('before')
  return bench
}

function isFinding ({ verdict }: Judgement): boolean {
  return verdict === 'FAILED' || verdict === 'WARNING'
}

/** Withdraws a finding if an ordinary genuine callback is not taken either. */
async function compareWithGenuine (
  finding: Judgement,
  workplace: Workplace,
  stop: AbortSignal
): Promise<Judgement> {
  workplace.takesGenuine ??= await tryGenuine(workplace, stop)
  return workplace.takesGenuine
    ? finding
    : skipped(
        `${finding.because}. An ordinary genuine callback is not taken either (see SIG-07), so ` +
          'nobody can say whether this bug is there'
    )
}

/** Tells whether an ordinary genuine callback is taken. */
async function tryGenuine (workplace: Workplace, stop: AbortSignal): Promise<boolean> {
  const bench = await openBench(workplace, `${workplace.settings.seed}/control`, stop)
  const judge = await genuine.stage(bench)
  const evidence = await bench.evidence()
  workplace.remember(evidence)
  return judge(evidence).verdict !== 'FAILED'
}

/** The application did not answer as configured. The check may have crashed it. */
async function judgeProblem (
  problem: TargetProblem,
  { config, limits }: Settings
): Promise<Judgement> {
  if (problem.isUsage) throw problem
  const isUp = await connect(config.callback, limits.callbackTimeoutMs).then(
    (socket) => {
      socket.destroy()
      return true
    },
    () => false
  )
  return isUp
    ? skipped(`the check could not be carried out: ${problem.message}`)
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
