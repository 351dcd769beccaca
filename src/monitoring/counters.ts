import type { KindName } from '../domain/kinds.ts'
import type { Generation } from '../domain/api-version.ts'
import type { Refusal } from '../domain/refusal.ts'

/**
 * Plain counters. Every request counts, so counting must cost almost nothing. Names and labels are
 * made when the metrics are read.
 */

/** Counts by a name made of words with spaces between them. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add (name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  has (name: string): boolean {
    return this.#counts.has(name)
  }

  [Symbol.iterator] (): MapIterator<[name: string, count: number]> {
    return this.#counts.entries()
  }
}

/** Numbers of values that are at most as large as each bound. */
export class Histogram {
  readonly bounds: readonly number[]
  /** One more than the bounds: the last counts the values above all of them. */
  readonly counts: number[]
  sum = 0

  constructor (bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe (value: number): void {
    let place = 0
    while (place < this.bounds.length && value > this.bounds[place]) place++
    this.counts[place]++
    this.sum += value
  }
}

export interface RouteCounter {
  method: string
  route: string
  /** Numbers of answers by status. */
  statuses: Map<number, number>
}

/** Counters of the server since its start. */
export class Counters {
  readonly routes: RouteCounter[] = []
  /** By version, kind and outcome. Refusals also by reason, and by the code of the scenario. */
  readonly initiations = new Counts()
  /** By result. */
  readonly attempts = new Counts()
  /** From when a callback was due until it was acknowledged, in seconds of the account's clock. */
  readonly lag = new Histogram([0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900])
  /** Number of jobs that were committed together. */
  readonly batches = new Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500])

  /** Counts the answers of a route. */
  addRoute (method: string, route: string): (status: number) => void {
    const statuses = new Map<number, number>()
    this.routes.push({ method, route, statuses })
    return (status) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }

  countInitiation (
    generation: Generation,
    kind: KindName,
    outcome: 'ACCEPTED' | 'DUPLICATE' | 'REFUSED',
    refusal?: Refusal
  ): void {
    this.initiations.add(
      refusal === undefined
        ? `${generation} ${kind} ${outcome}`
        : `${generation} ${kind} ${outcome} ${refusal.code} ${refusal.as ?? ''}`
    )
  }
}
