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

  /** Counts a value that was seen once or several times. */
  observe (value: number, times = 1): void {
    let place = 0
    while (place < this.bounds.length && value > this.bounds[place]) place++
    this.counts[place] += times
    this.sum += value * times
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
  readonly initiations = new Map<string, number>()
  /** By result. */
  readonly attempts = new Counts()
  /** From when a callback was due until it was acknowledged, in seconds of the account's clock. */
  readonly lag = new Histogram([0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900])

  /** Adds the counter of a route. */
  addRoute (method: string, route: string): RouteCounter {
    const counter = { method, route, statuses: new Map<number, number>() }
    this.routes.push(counter)
    return counter
  }
}
