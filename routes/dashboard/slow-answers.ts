import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemClock } from '../../src/lib/clock.ts'
import type { AdminAnswer } from './admin-call.ts'

interface SlowAnswer {
  answer?: AdminAnswer
  /** System time of the answer, and the time that it took. */
  at: number
  took: number
  running?: Promise<void>
}

/** Time that a page waits for an answer. */
const patienceMs = 50
/** An answer is used for so many times the time that it took, but not for longer than the limit. */
const reuseFactor = 20
const longestReuseMs = 30_000
const keptAnswers = 100

/**
 * Answers of calls that read the whole account. In a large account they take seconds, so a page
 * does not wait for them, and a page that updates by itself does not ask for each update.
 */
export class SlowAnswers {
  readonly #systemClock: SystemClock
  readonly #answers = new Map<string, SlowAnswer>()

  constructor (systemClock: SystemClock) {
    this.#systemClock = systemClock
  }

  /** Returns the latest answer of a call; undefined while the first one is not ready. */
  async find (key: string, ask: () => Promise<AdminAnswer>): Promise<AdminAnswer | undefined> {
    const known = this.#open(key)
    if (known.running === undefined && this.#isOld(known)) known.running = this.#run(known, ask)
    if (known.running !== undefined) await Promise.race([known.running, sleep(patienceMs)])
    return known.answer
  }

  #open (key: string): SlowAnswer {
    const known = this.#answers.get(key) ?? { at: 0, took: 0 }
    this.#answers.set(key, known)
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > keptAnswers) this.#answers.delete(oldest)
    return known
  }

  #isOld ({ answer, at, took }: SlowAnswer): boolean {
    const reuseMs = Math.min(took * reuseFactor, longestReuseMs)
    return answer === undefined || this.#systemClock.now() >= at + reuseMs
  }

  async #run (known: SlowAnswer, ask: () => Promise<AdminAnswer>): Promise<void> {
    const begun = this.#systemClock.now()
    try {
      known.answer = await ask()
      known.at = this.#systemClock.now()
      known.took = known.at - begun
    } finally {
      delete known.running
    }
  }
}
