import { stopwatch } from '../../lib/clock.ts'
import { Counter, type Figures, type Second } from './figures.ts'
import type { Plan, Shooter } from './plan.ts'
import { Rounds } from './rounds.ts'

/** Fires the mix at a mock, over many connections, and counts. */

/** What is left of the run when its last second begins, at least. */
const lastSecond = 0.5

/** Runs a plan, telling each second; `stop` ends it early. */
export async function fire (
  plan: Plan,
  tell: (second: Second) => void,
  stop: AbortSignal
): Promise<Figures> {
  const shoot: Shooter =
    plan.rate > 0 ? (await import('./pacer.ts')).atRate : (await import('./cannon.ts')).atFullSpeed
  const counter = new Counter()
  const started = stopwatch()
  const elapsed = (): number => (stopwatch() - started) / 1000
  // The last one is over when the run is, so that every answer is of some second.
  const seconds = setInterval(() => {
    if (elapsed() < plan.seconds - lastSecond) tell(counter.lap(elapsed()))
  }, 1000)
  try {
    const losses = await shoot(plan, new Rounds(plan.round, plan), counter, stop)
    tell(counter.lap(elapsed()))
    return counter.figures(elapsed(), losses)
  } finally {
    clearInterval(seconds)
  }
}
