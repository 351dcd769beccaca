import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { LifeSecond, Lives } from './lives.ts'
import { kindNames, type RequestKind } from './mix.ts'

/** Measurements of a run: answers and latencies, per kind and per second. */

/** Latencies in milliseconds. */
export interface Latency {
  p50: number
  p90: number
  p99: number
  max: number
}

/** Measurements of one kind of request, or of all. */
export interface Line extends Latency {
  answers: number
  /** Number of wrong answers. */
  wrong: number
}

/** One second of the run. The last one can be shorter, or a little longer. */
export interface Second extends Latency {
  second: number
  /** Its length in seconds. */
  length: number
  answers: number
  wrong: number
  kinds: Record<RequestKind, number>
  /** Callbacks of this second, in a run of whole lives. */
  lives?: LifeSecond
  /** Callbacks that were read in this second, in a storm. */
  storm?: StormSecond
}

/** Callbacks of a second, and how long the receiver took to answer them. */
export type StormSecond = Latency & { callbacks: number; refused: number }

/** Requests without an answer: the connection failed, or the time was over. */
export interface Losses {
  errors: number
  timeouts: number
}

/** All measurements of a run. */
export interface Figures {
  seconds: Second[]
  kinds: Record<RequestKind, Line>
  total: Line & Losses & { perSecond: number }
  /** Some of the wrong answers, each once. */
  samples: string[]
}

const keptSamples = 5
const longestSample = 300
/** Identifiers, which make equal answers look different. */
const anyId = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi

/** Counts answers in histograms. It keeps no single answer. */
export class Counter {
  readonly #kinds = mapKinds(() => new Interval())
  readonly #all = new Interval()
  #current = new Interval()
  #currentKinds = mapKinds(() => 0)
  #since = 0
  readonly #seconds: Second[] = []
  readonly #samples = new Set<string>()
  readonly #lives: Lives | undefined

  constructor (lives?: Lives) {
    this.#lives = lives
  }

  /** Adds an answer. `wrong` describes a wrong one. */
  addAnswer (kind: RequestKind, milliseconds: number, wrong: string | undefined): void {
    for (const interval of [this.#kinds[kind], this.#all, this.#current]) {
      interval.add(milliseconds, wrong !== undefined)
    }
    this.#currentKinds[kind]++
    if (wrong !== undefined && this.#samples.size < keptSamples) {
      this.#samples.add(`${kind}: ${wrong.replace(anyId, '…').slice(0, longestSample)}`)
    }
  }

  /** Ends the current second, `elapsed` seconds after the start, and returns its measurements. */
  endSecond (elapsed: number): Second {
    const second: Second = {
      second: this.#seconds.length + 1,
      length: Number((elapsed - this.#since).toFixed(2)),
      ...this.#current.summarise(),
      kinds: this.#currentKinds,
      ...(this.#lives !== undefined && { lives: this.#lives.endSecond() })
    }
    this.#seconds.push(second)
    this.#since = elapsed
    this.#current = new Interval()
    this.#currentKinds = mapKinds(() => 0)
    return second
  }

  /** Returns the measurements of the whole run. */
  summarise (elapsed: number, losses: Losses): Figures {
    const total = this.#all.summarise()
    return {
      seconds: this.#seconds,
      kinds: mapKinds((kind) => this.#kinds[kind].summarise()),
      total: { ...total, perSecond: Math.round(total.answers / elapsed), ...losses },
      samples: [...this.#samples]
    }
  }
}

/** Answers of a time, in a histogram. */
export class Interval {
  readonly #histogram: RecordableHistogram = createHistogram()
  #answers = 0
  #wrong = 0

  add (milliseconds: number, wrong: boolean): void {
    // Microseconds, because the histogram only accepts whole numbers above 0.
    this.#histogram.record(Math.max(1, Math.round(milliseconds * 1000)))
    this.#answers++
    if (wrong) this.#wrong++
  }

  summarise (): Line {
    const at = (percentile: number): number =>
      this.#answers === 0 ? 0 : this.#histogram.percentile(percentile) / 1000
    return {
      answers: this.#answers,
      wrong: this.#wrong,
      p50: at(50),
      p90: at(90),
      p99: at(99),
      max: this.#answers === 0 ? 0 : this.#histogram.max / 1000
    }
  }
}

function mapKinds<T> (create: (kind: RequestKind) => T): Record<RequestKind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, create(kind)])) as Record<RequestKind, T>
}
