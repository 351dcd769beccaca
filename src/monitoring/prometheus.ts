import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metric, Registry } from 'prom-client'
import type { SystemClock } from '../lib/clock.ts'
import type { AccountTime, LedgerStats, StatusCount } from '../ports/ledger-stats.ts'
import { Histogram, type Counters } from './counters.ts'
import { buckets, spelled, summed, type Sample } from './metric-samples.ts'
import type { Wire } from '../wire/wire.ts'

/** Counting the ledger takes at most one part in so many of the time. */
const statsShare = 20

/** A metric that is read when somebody asks for it. */
interface Reading {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  read: () => Sample[] | Promise<Sample[]>
}

export interface MetricParts {
  wires: readonly Wire[]
  counters: Counters
  stats: LedgerStats
  systemClock: SystemClock
  /** Time of the clock of an account; undefined if another server counts it. */
  now: AccountTime
  /** Numbers of transactions by the number of their reads and writes. */
  flushSizes: ReadonlyMap<number, number>
  /** Number of requests in the journal. */
  journalled: () => number
  /** Number of subscriptions of open waits and pages. */
  listeners: () => number
}

/** Metrics of the whole server for Prometheus. Its library is loaded with the first call. */
export class Metrics {
  readonly #parts: MetricParts
  #registry: Promise<Registry> | undefined
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined
  #headcounts: { at: number; took: number; counts: Promise<StatusCount[]> } | undefined

  constructor (parts: MetricParts) {
    this.#parts = parts
  }

  async writeMetrics (): Promise<{ type: string; text: string }> {
    const registry = await (this.#registry ??= this.#open())
    return { type: registry.contentType, text: await registry.metrics() }
  }

  close (): void {
    this.#delay?.disable()
  }

  async #open (): Promise<Registry> {
    const { Registry } = await import('prom-client')
    const registry = new Registry()
    // It wakes the process every few milliseconds, so it starts with the first call.
    this.#delay = monitorEventLoopDelay({ resolution: 10 })
    this.#delay.enable()
    for (const { name, type, help, read } of this.#readings()) {
      const get = async (): Promise<object> => ({
        name,
        type,
        help,
        values: await read(),
        aggregator: 'sum'
      })
      // The library keeps whatever has a name and can be asked for its values.
      registry.registerMetric({ name, get } as unknown as Metric)
    }
    return registry
  }

  #readings (): Reading[] {
    return [
      ...this.#requestReadings(),
      ...this.#ledgerReadings(),
      ...this.#callbackReadings(),
      ...this.#serverReadings()
    ]
  }

  #requestReadings (): Reading[] {
    const { counters, wires } = this.#parts
    return [
      {
        name: 'momock_http_requests_total',
        type: 'counter',
        help: 'Answers by route and status; the route is empty where there is none.',
        read: () =>
          counters.routes.flatMap(({ method, route, statuses }) =>
            [...statuses].map(([status, value]) => ({
              labels: { method, route, status: String(status) },
              value
            }))
          )
      },
      {
        name: 'momock_initiations_total',
        type: 'counter',
        help:
          'Initiations that were well formed, by version, kind, outcome and the code of why ' +
          'not, in the words of the API; the outcome of an error is ERROR.',
        read: () =>
          summed(
            [...counters.initiations].map(([name, value]) => ({
              labels: spelled(name, wires),
              value
            }))
          )
      }
    ]
  }

  #ledgerReadings (): Reading[] {
    const { stats, now } = this.#parts
    return [
      {
        name: 'momock_payments',
        type: 'gauge',
        help: 'Payments in the ledger by kind and status.',
        read: async () =>
          (await this.#counted()).map(({ kind, status, count }) => ({
            labels: { kind, status },
            value: count
          }))
      },
      {
        name: 'momock_outbox_depth',
        type: 'gauge',
        help: 'Callbacks that are not yet acknowledged or given up.',
        read: async () => [{ labels: {}, value: await stats.pending(now) }]
      },
      {
        name: 'momock_set_aside_payments',
        type: 'gauge',
        help: 'Payments that could not be moved because of an error and were set aside.',
        read: async () => [{ labels: {}, value: await stats.setAside(now) }]
      }
    ]
  }

  #callbackReadings (): Reading[] {
    const { counters } = this.#parts
    return [
      {
        name: 'momock_callback_attempts_total',
        type: 'counter',
        help:
          'Attempts at delivering callbacks, by what came of them: acknowledged, refused ' +
          '(another status) or failed (no answer).',
        read: () => [...counters.attempts].map(([result, value]) => ({ labels: { result }, value }))
      },
      {
        name: 'momock_callback_lag_seconds',
        type: 'histogram',
        help:
          'From when a callback was due, which is when its payment became final unless a ' +
          'scenario delays it, until it was acknowledged, on the clock of its account.',
        read: () => buckets('momock_callback_lag_seconds', counters.lag)
      }
    ]
  }

  #serverReadings (): Reading[] {
    const { flushSizes, journalled, listeners } = this.#parts
    return [
      {
        name: 'momock_commit_batch_size',
        type: 'histogram',
        help: 'Reads and writes of the ledger that were done in one transaction.',
        read: () => {
          const sizes = new Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500])
          for (const [size, times] of flushSizes) sizes.observe(size, times)
          return buckets('momock_commit_batch_size', sizes)
        }
      },
      {
        name: 'momock_event_loop_delay_seconds',
        type: 'gauge',
        help:
          'How late the event loop was, beyond the 10 ms it is asked every time; since the ' +
          'numbers were last asked for, at first since then.',
        read: () => this.#lateness()
      },
      {
        name: 'momock_journal_requests',
        type: 'gauge',
        help: 'Requests that the journal keeps at the moment.',
        read: () => [{ labels: {}, value: journalled() }]
      },
      {
        name: 'momock_change_listeners',
        type: 'gauge',
        help: 'Subscriptions of open waits and pages.',
        read: () => [{ labels: {}, value: listeners() }]
      }
    ]
  }

  /** Counts the rows again. In a large ledger not with every call. */
  async #counted (): Promise<StatusCount[]> {
    const { stats, systemClock, now } = this.#parts
    const known = this.#headcounts
    const started = systemClock.now()
    if (known !== undefined && started < known.at + known.took * statsShare) {
      return await known.counts
    }
    const counts = stats.payments(now)
    const headcounts = { at: started, took: 0, counts }
    this.#headcounts = headcounts
    await counts
    headcounts.took = systemClock.now() - started
    return await counts
  }

  #lateness (): Sample[] {
    const delay = this.#delay
    if (delay === undefined || delay.count === 0) return []
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - 0.01)
    const samples = [50, 90, 99].map((percentile) => ({
      labels: { quantile: String(percentile / 100) },
      value: late(delay.percentile(percentile))
    }))
    samples.push({ labels: { quantile: '1' }, value: late(delay.max) })
    delay.reset()
    return samples
  }
}
