import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { kindNames, type RequestKind } from './mix.ts'

/** What was measured: answers and how long they took, of each kind and of each second. */

export interface Latency {
  p50: number
  p90: number
  p99: number
  max: number
}

/** Of one kind, or of all; times in milliseconds. */
export interface Line extends Latency {
  answers: number
  /** Answers that were not the right one. */
  wrong: number
}

/** A second of the run. The last one can be shorter, or a little longer. */
export interface Second extends Latency {
  second: number
  /** How long it was, in seconds. */
  length: number
  answers: number
  wrong: number
  kinds: Record<RequestKind, number>
}

/** Requests that were not answered: the connection failed, or it took too long. */
export interface Losses {
  errors: number
  timeouts: number
}

export interface Figures {
  seconds: Second[]
  kinds: Record<RequestKind, Line>
  total: Line & Losses & { perSecond: number }
  /** Some of the answers that were not the right one, each once. */
  samples: string[]
}

const keptSamples = 5
const clipped = 300
/** What makes answers differ that say the same. */
const anyId = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi

/** Counts as answers come in; nothing is kept of a single one but its place in a histogram. */
export class Counter {
  readonly #kinds = each(() => new Lap())
  readonly #all = new Lap()
  #now = new Lap()
  #nowOf = each(() => 0)
  #since = 0
  readonly #seconds: Second[] = []
  readonly #samples = new Set<string>()

  answer (kind: RequestKind, milliseconds: number, wrong: string | undefined): void {
    for (const lap of [this.#kinds[kind], this.#all, this.#now]) {
      lap.add(milliseconds, wrong !== undefined)
    }
    this.#nowOf[kind]++
    if (wrong !== undefined && this.#samples.size < keptSamples) {
      this.#samples.add(`${kind}: ${wrong.replace(anyId, '…').slice(0, clipped)}`)
    }
  }

  /** A second is over, so long after the start; what it came to. */
  lap (elapsed: number): Second {
    const second: Second = {
      second: this.#seconds.length + 1,
      length: Number((elapsed - this.#since).toFixed(2)),
      ...this.#now.line(),
      kinds: this.#nowOf
    }
    this.#seconds.push(second)
    this.#since = elapsed
    this.#now = new Lap()
    this.#nowOf = each(() => 0)
    return second
  }

  figures (elapsed: number, losses: Losses): Figures {
    const total = this.#all.line()
    return {
      seconds: this.#seconds,
      kinds: each((kind) => this.#kinds[kind].line()),
      total: { ...total, perSecond: Math.round(total.answers / elapsed), ...losses },
      samples: [...this.#samples]
    }
  }
}

class Lap {
  readonly #histogram: RecordableHistogram = createHistogram()
  #answers = 0
  #wrong = 0

  add (milliseconds: number, wrong: boolean): void {
    // In microseconds, because it takes whole numbers, from one on.
    this.#histogram.record(Math.max(1, Math.round(milliseconds * 1000)))
    this.#answers++
    if (wrong) this.#wrong++
  }

  line (): Line {
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

function each<T> (make: (kind: RequestKind) => T): Record<RequestKind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<RequestKind, T>
}
