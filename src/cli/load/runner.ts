import { stopwatch } from '../../lib/clock.ts'
import { Counter, type Figures, type Second } from './figures.ts'
import type { LoadPlan, LoadRunner } from './plan.ts'
import { RequestSequence } from './request-sequence.ts'

/** Fires the mix at a mock, over many connections, and counts. */

/** What is left of the run when its last second begins, at least. */
const lastSecond = 0.5

/** Runs a plan, telling each second; `stop` ends it early. */
export async function runLoad (
  plan: LoadPlan,
  tell: (second: Second) => void,
  stop: AbortSignal
): Promise<Figures> {
  const shoot: LoadRunner =
    plan.rate > 0
      ? (await import('./rate-runner.ts')).runAtRate
      : (await import('./full-speed-runner.ts')).runAtFullSpeed
  const counter = new Counter()
  const started = stopwatch()
  const elapsed = (): number => (stopwatch() - started) / 1000
  // The last one is over when the run is, so that every answer is of some second.
  const seconds = setInterval(() => {
    if (elapsed() < plan.seconds - lastSecond) tell(counter.lap(elapsed()))
  }, 1000)
  try {
    const losses = await shoot(plan, new RequestSequence(plan.round, plan), counter, stop)
    tell(counter.lap(elapsed()))
    return counter.figures(elapsed(), losses)
  } finally {
    clearInterval(seconds)
  }
}
