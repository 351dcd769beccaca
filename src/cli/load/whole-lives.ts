import { setTimeout as sleep } from 'node:timers/promises'
import type { MomockClient } from '../../client/client.ts'
import { stopwatch, systemClock } from '../../lib/clock.ts'
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
  /** Absent if the clock of the account is not the clock of the machine. */
  lag?: Lag
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
): Promise<{ figures: Figures; lives: LivesReport }> {
  const lives = new Lives()
  const receiver = new CallbackReceiver(lives)
  try {
    const url = await receiver.listen(host)
    return await withCallbackUrl(client, url, async () => {
      const figures = await runLoad({ ...plan, lives }, report, stop)
      const poll = async () => ({ arrived: lives.count().told, areAll: lives.open === 0 })
      await waitForCallbacks(poll, pollMs, stop)
      return { figures, lives: await summariseLives(client, plan, lives, receiver) }
    })
  } finally {
    receiver.close()
  }
}

/** Sends the deposit callbacks of an account to another URL while `work` runs. */
export async function withCallbackUrl<T> (
  client: MomockClient,
  url: string,
  work: () => Promise<T>
): Promise<T> {
  const { settings } = await client.account()
  const former = settings.callbacks?.deposits ?? null
  await client.configure({ callbacks: { deposits: url } })
  try {
    return await work()
  } finally {
    await client.configure({ callbacks: { deposits: former } })
  }
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

async function summariseLives (
  client: MomockClient,
  { url, token }: LoadPlan,
  lives: Lives,
  receiver: CallbackReceiver
): Promise<LivesReport> {
  const answer = await fetch(`${url}/v2/public-key/http`, {
    headers: { authorization: `Bearer ${token}` }
  })
  const keys = (await answer.json()) as PublishedKey[]
  const { open: lost, ...counts } = lives.count()
  const { mode, now, speed } = await client.clock()
  const isSystemTime =
    mode === 'running' &&
    speed === 1 &&
    Math.abs(Date.parse(now) - systemClock.now()) < clockToleranceMs
  return {
    ...counts,
    lost,
    signatures: receiver.verifySample(keys),
    ...(isSystemTime && { lag: await measureLag(client, lives) })
  }
}
