import { createHistogram } from 'node:perf_hooks'
import type { MomockClient } from '../../client/client.ts'
import { stopwatch, systemClock } from '../../lib/clock.ts'
import type { Latency } from './figures.ts'
import type { Lives } from './lives.ts'

/** Lag of callbacks: from the final state of a payment to the arrival of its callback. */
export interface Lag extends Latency {
  /** Number of callbacks that were measured: the newest ones of a long run. */
  measured: number
  /** Callbacks by lag. `upTo` is in milliseconds, and absent in the last one. */
  histogram: Array<{ upTo?: number; callbacks: number }>
}

const pageSize = 1000
const mostPages = 50
/** Upper ends of the histogram, in milliseconds. */
const limits = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

/** Measures the lag of the newest callbacks. The mock tells when each of them was created. */
export async function measureLag (client: MomockClient, lives: Lives): Promise<Lag> {
  const lags: number[] = []
  // Both clocks are of this machine, so the offset is the same for all callbacks.
  const offset = systemClock.now() - stopwatch()
  let after: number | undefined
  for (let page = 0; page < mostPages; page++) {
    const callbacks = await client.callbacks({
      order: 'newest',
      limit: pageSize,
      ...(after !== undefined && { after })
    })
    for (const { paymentId = '', created } of callbacks) {
      const heardAt = lives.heardAt(paymentId)
      if (heardAt !== undefined) lags.push(Math.max(0, heardAt + offset - Date.parse(created)))
    }
    after = callbacks.at(-1)?.id
    if (callbacks.length < pageSize || lags.length === 0) break
  }
  return summariseLags(lags)
}

/** Summarises lags in milliseconds. */
export function summariseLags (lags: readonly number[]): Lag {
  const histogram = createHistogram()
  for (const lag of lags) histogram.record(Math.max(1, Math.round(lag * 1000)))
  const at = (percentile: number): number =>
    lags.length === 0 ? 0 : histogram.percentile(percentile) / 1000
  const counts = [...limits, Infinity].map((upTo, index) => {
    const from = index === 0 ? -Infinity : limits[index - 1]
    const callbacks = lags.filter((lag) => lag > from && lag <= upTo).length
    return upTo === Infinity ? { callbacks } : { upTo, callbacks }
  })
  return {
    measured: lags.length,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    max: lags.length === 0 ? 0 : histogram.max / 1000,
    histogram: counts
  }
}
