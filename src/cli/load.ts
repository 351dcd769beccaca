import { MomockError, type MomockClient } from '../client/client.ts'
import { ConfigError } from '../config/config.ts'
import { chooseClientToken } from '../config/configured.ts'
import { systemClock, formatTimestamp } from '../lib/clock.ts'
import { hasColours } from '../lib/colour.ts'
import { version } from '../lib/package.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { stopOnSignals } from './interruption.ts'
import { readWishes, type LoadWishes } from './load-flags.ts'
import type { Figures } from './load/figures.ts'
import { limits } from './load/limits.ts'
import { LiveView } from './load/live-view.ts'
import type { LoadPlan } from './load/plan.ts'
import { isFine, type Report } from './load/report.ts'
import { runLoad } from './load/runner.ts'
import { formatSummary } from './load/table.ts'
import { chooseTextStream, writeReports } from './reports.ts'
import { findRunningMock } from './running-mock.ts'

/** Results of one run: its figures, and those of its callbacks. */
type Outcome = { figures: Figures } & Pick<Report, 'lives' | 'storm' | 'problems'>

/** Rate of the first step of a search, unless another is given. */
const firstRate = 100

/** `momock load`: measures a mock. Progress goes to stderr, results go to stdout. */
export const run: RunCommand = async (input) => {
  const { err, env } = input
  const problems: string[] = []
  const wishes = readWishes(input, problems)
  // Another program must not receive this load.
  const mock = await findRunningMock('load', input, problems)
  if (mock === undefined) return exitCodes.address
  const plan = { ...wishes.plan, url: mock.url, token: chooseClientToken(mock.settings) }
  const started = formatTimestamp(systemClock.now())
  const view = new LiveView(err, hasColours(err, env), wishes.mode)
  const { stop, release } = stopOnSignals()
  try {
    if (wishes.mode !== 'none') await checkClock(mock.client)
    const result = await measure(mock.client, plan, wishes, view, stop)
    const { figures, plan: measured, ...others } = result
    const { rate, seconds, connections } = measured
    const report: Report = {
      momock: version,
      url: plan.url,
      started,
      asked: { rate, seconds, connections, mix: wishes.mix },
      interrupted: stop.aborted,
      ...figures,
      ...others
    }
    chooseTextStream(input).write(formatSummary(report))
    const isWritten = await writeReports(input, {
      json: () => `${JSON.stringify(report, undefined, 2)}\n`,
      html: async () => (await import('./load/page.ts')).renderReport(report)
    })
    return isWritten && isFine(report) ? exitCodes.fine : exitCodes.failed
  } catch (error) {
    if (error instanceof MomockError) throw new ConfigError([error.message])
    throw error
  } finally {
    release()
  }
}

/** Runs the plan once, or again and again to find the limit. Returns the best step then. */
async function measure (
  client: MomockClient,
  plan: LoadPlan,
  wishes: LoadWishes,
  view: LiveView,
  stop: AbortSignal
): Promise<Outcome & { plan: LoadPlan } & Pick<Report, 'limit'>> {
  if (wishes.boundMs === undefined) {
    view.begin(`${plan.seconds} s at ${plan.url}, Ctrl-C stops it early`)
    return { ...(await runOnce(client, plan, wishes, view, stop)), plan }
  }
  const { findLimit, judgeStep } = await import('./load/limit-search.ts')
  const { boundMs } = wishes
  const outcomes = new Map<number, Outcome>()
  const tryRate = async (rate: number): ReturnType<Parameters<typeof findLimit>[3]> => {
    view.begin(`${rate} per second, ${plan.seconds} s at ${plan.url}, Ctrl-C ends the search`)
    const outcome = await runOnce(client, { ...plan, rate }, wishes, view, stop)
    outcomes.set(rate, outcome)
    return judgeStep(rate, plan.seconds, boundMs, outcome.figures, outcome.lives)
  }
  const start = plan.rate > 0 ? plan.rate : firstRate
  const limit = await findLimit(start, limits.rate, boundMs, tryRate, stop)
  const rate = limit.rate > 0 ? limit.rate : ([...outcomes.keys()].at(-1) ?? start)
  const best = outcomes.get(rate)
  if (best === undefined) throw new Error('the search made no step')
  return { ...best, plan: { ...plan, rate }, limit }
}

async function runOnce (
  client: MomockClient,
  plan: LoadPlan,
  { receiver, mode }: LoadWishes,
  view: LiveView,
  stop: AbortSignal
): Promise<Outcome> {
  const report = view.addSecond.bind(view)
  if (mode === 'lives') {
    const { runWholeLives } = await import('./load/whole-lives.ts')
    return await runWholeLives(client, plan, receiver, report, stop)
  }
  if (mode === 'storm') {
    const { runStorm } = await import('./load/storm.ts')
    return await runStorm(client, plan, receiver, report, stop)
  }
  return { figures: await runLoad(plan, report, stop) }
}

/** Refuses a frozen clock: no payment would end, and no callback would be sent. */
async function checkClock (client: MomockClient): Promise<void> {
  const { mode } = await client.clock()
  if (mode === 'running') return
  throw new ConfigError([
    'the clock of this account is frozen, so no payment ends and no callback is sent; start it ' +
      'with PUT /__admin/clock {"mode":"running"}, or use another --token'
  ])
}
