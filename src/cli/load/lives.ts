import { Interval, type Latency } from './figures.ts'

/** Life of a payment: from its acceptance to its callback. Times are of the stopwatch. */
interface Life {
  acceptedAt?: number
  heardAt?: number
  callbacks: number
}

/** Counts of the lives of a run. */
export interface LifeCounts {
  /** Payments that were accepted. */
  accepted: number
  /** Payments whose callback has arrived. */
  told: number
  /** Accepted payments without a callback. At the end of a run they are lost. */
  open: number
  /** Callbacks of a payment after its first one. */
  doubled: number
  /** Callbacks of payments that this run did not make. */
  unknown: number
}

/** Result of an interval: the callbacks in it, and the time from acceptance to callback. */
export type LifeSecond = Latency & { callbacks: number; open: number }

/** Lives of the payments of a run. It counts callbacks that are lost or doubled. */
export class Lives {
  readonly #lives = new Map<string, Life>()
  readonly #listeners: Array<() => void> = []
  #second = new Interval()
  #accepted = 0
  #told = 0
  #open = 0
  #doubled = 0
  #unknown = 0

  /** Notes that a request is sent: its callback can arrive before its answer. */
  start (id: string): void {
    this.#lives.set(id, { callbacks: 0 })
  }

  /** Notes that a request was not accepted. */
  drop (id: string): void {
    this.#lives.delete(id)
  }

  accept (id: string, now: number): void {
    const life = this.#lives.get(id)
    if (life === undefined) return
    life.acceptedAt = now
    this.#accepted++
    if (life.heardAt === undefined) this.#open++
    else this.#second.add(0, false)
  }

  /** Notes a callback. Returns false if it is not the first one of a payment of this run. */
  hear (id: string, now: number): boolean {
    const life = this.#lives.get(id)
    if (life === undefined) this.#unknown++
    else if (++life.callbacks > 1) this.#doubled++
    else {
      life.heardAt = now
      this.#told++
      if (life.acceptedAt !== undefined) {
        this.#open--
        this.#second.add(now - life.acceptedAt, false)
      }
      for (const listener of this.#listeners) listener()
      return true
    }
    return false
  }

  /** Calls a function after each first callback. */
  onCallback (listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Number of accepted payments without a callback. */
  get open (): number {
    return this.#open
  }

  /** Time of the stopwatch at which the callback of a payment arrived. */
  heardAt (id: string): number | undefined {
    return this.#lives.get(id)?.heardAt
  }

  endSecond (): LifeSecond {
    const { answers, wrong: _, ...latency } = this.#second.summarise()
    this.#second = new Interval()
    return { callbacks: answers, open: this.#open, ...latency }
  }

  count (): LifeCounts {
    return {
      accepted: this.#accepted,
      told: this.#told,
      open: this.#open,
      doubled: this.#doubled,
      unknown: this.#unknown
    }
  }
}
