import { setImmediate as nextTurn } from 'node:timers/promises'
import { stopwatch } from './clock.ts'

/** Longest work in one turn of the event loop, unless a single step takes longer. */
const sliceMs = 10

/** Does work of many steps and lets other requests have their turn every few milliseconds. */
export async function runInSlices<T> (steps: Generator<undefined, T>): Promise<T> {
  for (let end = stopwatch() + sliceMs; ;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (stopwatch() < end) continue
    await nextTurn()
    end = stopwatch() + sliceMs
  }
}
