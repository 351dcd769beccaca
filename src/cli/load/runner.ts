import { stopwatch } from '../../lib/clock.ts'
import { Counter, type Figures, type Second } from './figures.ts'
import type { LoadPlan, LoadRunner } from './plan.ts'
import { RequestSequence } from './request-sequence.ts'

/** A shorter rest of the run is added to the last second. */
const shortestRest = 0.5

/** Runs a plan and reports each second. `stop` ends it early. */
export async function runLoad (
  plan: LoadPlan,
  report: (second: Second) => void,
  stop: AbortSignal
): Promise<Figures> {
  const { rate, round, lives } = plan
  const sendRequests: LoadRunner =
    rate > 0 || lives !== undefined
      ? (await import('./rate-runner.ts')).runAtRate
      : (await import('./full-speed-runner.ts')).runAtFullSpeed
  const counter = new Counter(lives)
  const sequence = new RequestSequence(round, plan, lives)
  const started = stopwatch()
  const elapsed = (): number => (stopwatch() - started) / 1000
  // The last second ends with the run, so that every answer belongs to a second.
  const seconds = setInterval(() => {
    if (elapsed() < plan.seconds - shortestRest) report(counter.endSecond(elapsed()))
  }, 1000)
  try {
    const losses = await sendRequests(plan, sequence, counter, stop)
    report(counter.endSecond(elapsed()))
    return counter.summarise(elapsed(), losses)
  } finally {
    clearInterval(seconds)
  }
}
