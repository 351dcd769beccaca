import { setTimeout as sleep } from 'node:timers/promises'
import type { MomockClient } from '../../client/client.ts'
import type { Callback } from '../../client/types.ts'
import { Interval, type Figures, type Latency, type Second, type StormSecond } from './figures.ts'
import type { LoadPlan } from './plan.ts'
import { runLoad } from './runner.ts'
import { readProblem, waitForCallbacks, withCallbackUrl } from './whole-lives.ts'

/** Result of a storm: the first attempts of the callbacks, as the receiver answered them. */
export interface StormReport extends Latency {
  url: string
  /** Callbacks that were sent. */
  sent: number
  /** Sent callbacks that were answered with a status from 200 to 299. */
  acknowledged: number
  /** Number of answers by status, and `no answer`. */
  answers: Record<string, number>
  /** Callbacks that were not sent when the run ended. */
  unsent: number
}

const pageSize = 1000
const pollMs = 500

/**
 * Runs a plan and sends the signed callbacks of its payments to a URL. The mock records what the
 * receiver answered. The callback URL of the account is changed for the run, and then put back.
 */
export async function runStorm (
  client: MomockClient,
  plan: LoadPlan,
  url: string,
  report: (second: Second) => void,
  stop: AbortSignal
): Promise<{ figures: Figures; storm: StormReport; problems: string[] }> {
  return await withCallbackUrl(client, url, async () => {
    const [newest] = await client.callbacks({ order: 'newest', limit: 1 })
    const watcher = new StormWatcher(client, newest?.id ?? 0)
    const polling = new AbortController()
    const polled = pollUntil(watcher, polling.signal)
    const figures = await runLoad(
      plan,
      (second) => report({ ...second, storm: watcher.endSecond() }),
      stop
    ).finally(() => polling.abort())
    await polled
    const accepted = figures.kinds.initiations.answers - figures.kinds.initiations.wrong
    const poll = async (): Promise<{ arrived: number; areAll: boolean }> => {
      await watcher.read()
      const areAll = watcher.sent >= accepted || watcher.problem !== undefined
      return { arrived: watcher.sent, areAll }
    }
    await waitForCallbacks(poll, pollMs, stop)
    const { problem } = watcher
    const problems = problem === undefined ? [] : [problem]
    return { figures, storm: watcher.summarise(url, accepted), problems }
  })
}

async function pollUntil (watcher: StormWatcher, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await watcher.read()
    await sleep(pollMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

/** Reads the attempts of new callbacks, in the order of the callbacks. */
class StormWatcher {
  readonly #client: MomockClient
  readonly #answers = new Map<string, number>()
  readonly #all = new Interval()
  #second = new Interval()
  #after: number
  sent = 0
  /** Why the callbacks cannot be read any more. */
  problem: string | undefined
  #acknowledged = 0

  constructor (client: MomockClient, after: number) {
    this.#client = client
    this.#after = after
  }

  /** Reads what is new, until the mock does not answer any more. */
  async read (): Promise<void> {
    if (this.problem !== undefined) return
    try {
      await this.#readPages()
    } catch (error) {
      this.problem = readProblem(error)
    }
  }

  async #readPages (): Promise<void> {
    for (;;) {
      const page = await this.#client.callbacks({ after: this.#after, limit: pageSize })
      for (const callback of page) {
        // A callback that was not sent yet is read again with the next page.
        if (callback.tries === 0) return
        this.#after = callback.id
        this.#add(callback)
      }
      if (page.length < pageSize) return
    }
  }

  endSecond (): StormSecond {
    const { answers, wrong, ...latency } = this.#second.summarise()
    this.#second = new Interval()
    return { callbacks: answers, refused: wrong, ...latency }
  }

  summarise (url: string, accepted: number): StormReport {
    const { p50, p90, p99, max } = this.#all.summarise()
    return {
      url,
      sent: this.sent,
      acknowledged: this.#acknowledged,
      answers: Object.fromEntries([...this.#answers].sort()),
      unsent: Math.max(0, accepted - this.sent),
      p50,
      p90,
      p99,
      max
    }
  }

  #add ({ attempts, state }: Callback): void {
    this.sent++
    // The mock keeps the last 10,000 attempts: an older callback has only its state.
    const [first] = attempts
    const isFine = first === undefined ? state === 'ACKNOWLEDGED' : isSuccess(first.status)
    if (isFine) this.#acknowledged++
    const answer = first === undefined ? 'not kept' : String(first.status ?? 'no answer')
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1)
    if (first === undefined) return
    for (const interval of [this.#all, this.#second]) interval.add(first.durationMs, !isFine)
  }
}

function isSuccess (status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}
