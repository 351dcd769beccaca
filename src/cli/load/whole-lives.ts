import { setTimeout as sleep } from 'node:timers/promises'
import { MomockError, type MomockClient } from '../../client/client.ts'
import { stopwatch, systemClock } from '../../lib/clock.ts'
import { showUrl } from '../../lib/url.ts'
import type { PublishedKey } from '../../security/keys.ts'
import { CallbackReceiver, type SignatureCheck } from './callback-receiver.ts'
import type { Figures, Second } from './figures.ts'
import { measureLag, type Lag } from './lag.ts'
import { Lives, type LifeCounts } from './lives.ts'
import type { LoadPlan } from './plan.ts'
import { runLoad } from './runner.ts'

/** Result of the callbacks of a run. */
export interface LivesReport extends Omit<LifeCounts, 'open'> {
  /** Accepted payments whose callback did not arrive. */
  lost: number
  signatures: SignatureCheck
  lag?: Lag
  /** Why the lag is not known. */
  lagUnknown?: string
}

/** A run waits for late callbacks until none has arrived for so many milliseconds. */
const patienceMs = 10_000
const pollMs = 20
/** Largest difference between the clocks of the account and of the machine, for the lag. */
const clockToleranceMs = 5000

/**
 * Runs a plan with whole lives: a receiver in this process gets the callback of each payment. The
 * callback URL of the account is changed for the run, and then put back.
 */
export async function runWholeLives (
  client: MomockClient,
  plan: LoadPlan,
  host: string,
  report: (second: Second) => void,
  stop: AbortSignal
): Promise<{ figures: Figures; lives: LivesReport; problems: string[] }> {
  const lives = new Lives()
  const receiver = new CallbackReceiver(lives)
  try {
    const url = await receiver.listen(host)
    return await withCallbackUrl(client, url, async () => {
      // First: a mock that stops during the run cannot tell its keys any more.
      const keys = await readKeys(plan)
      const figures = await runLoad({ ...plan, lives }, report, stop)
      const poll = async () => ({ arrived: lives.count().told, areAll: lives.open === 0 })
      await waitForCallbacks(poll, pollMs, stop)
      const { open: lost, ...counts } = lives.count()
      const signatures = receiver.verifySample(keys)
      const problems: string[] = []
      const lag = await findLag(client, lives).catch((error: unknown) => {
        problems.push(readProblem(error))
        return { lagUnknown: 'the mock did not answer after the run' }
      })
      return { figures, lives: { ...counts, lost, signatures, ...lag }, problems }
    })
  } finally {
    receiver.close()
  }
}

/**
 * Sends the deposit callbacks of an account to another URL while `work` runs. Adds the problem if
 * the former URL cannot be put back.
 */
export async function withCallbackUrl<T extends { problems: string[] }> (
  client: MomockClient,
  url: string,
  work: () => Promise<T>
): Promise<T> {
  const { settings } = await client.account()
  const former = settings.callbacks?.deposits ?? null
  const putBack = async (): Promise<string[]> => {
    try {
      await client.configure({ callbacks: { deposits: former } })
      return []
    } catch (error) {
      const is = former === null ? 'there was none' : `it was ${showUrl(former)}`
      return [
        `the callback URL of deposits is still ${showUrl(url)}, ${is}: ${readProblem(error)}`
      ]
    }
  }
  await client.configure({ callbacks: { deposits: url } })
  let rest: string[] = []
  const result = await work().finally(async () => {
    rest = await putBack()
  })
  return { ...result, problems: [...result.problems, ...rest] }
}

/** Returns the message of a mock that refused a call or did not answer. Throws other errors. */
export function readProblem (error: unknown): string {
  if (error instanceof MomockError) return error.message
  throw error
}

/**
 * Waits until all callbacks have arrived, or none arrives any more. `poll` returns how many have
 * arrived, and whether these are all.
 */
export async function waitForCallbacks (
  poll: () => Promise<{ arrived: number; areAll: boolean }>,
  pollMs: number,
  stop: AbortSignal
): Promise<void> {
  let arrived = -1
  let changedAt = stopwatch()
  while (!stop.aborted && stopwatch() - changedAt < patienceMs) {
    const now = await poll()
    if (now.areAll) return
    if (now.arrived > arrived) changedAt = stopwatch()
    arrived = now.arrived
    await sleep(pollMs)
  }
}

async function readKeys ({ url, token }: LoadPlan): Promise<PublishedKey[]> {
  const answer = await fetch(`${url}/v2/public-key/http`, {
    headers: { authorization: `Bearer ${token}` }
  })
  return (await answer.json()) as PublishedKey[]
}

/** Measures the lag, if the clock of the account is that of the machine. */
async function findLag (
  client: MomockClient,
  lives: Lives
): Promise<Pick<LivesReport, 'lag' | 'lagUnknown'>> {
  const { mode, now, speed } = await client.clock()
  const isSystemTime =
    mode === 'running' &&
    speed === 1 &&
    Math.abs(Date.parse(now) - systemClock.now()) < clockToleranceMs
  return isSystemTime
    ? { lag: await measureLag(client, lives) }
    : { lagUnknown: 'the clock of the account is not the system clock' }
}
