import type { SystemClock } from '../lib/clock.ts'

/** Place of a change among the changes of all servers. */
export interface Stamp {
  at: number
  /** Number of the server that made the change. */
  server: number
}

/** Tells whether a stamp is later than another one. */
export function isLater (one: Stamp, other: Stamp): boolean {
  return one.at > other.at || (one.at === other.at && one.server > other.server)
}

/** Most things whose last change is known: those that were changed last. */
const keptStamps = 10_000

/**
 * Order of changes that servers tell each other, without a lock. Of several changes of one thing,
 * each server keeps the one with the latest stamp, in whichever order they arrive. A stamp is later
 * than all that its server has seen, so a change that begins after the answer to another is later.
 */
export class Stamps {
  readonly #server: number
  readonly #systemClock: SystemClock
  readonly #kept = new Map<string, Stamp>()
  #latest = 0

  constructor (server: number, systemClock: SystemClock) {
    this.#server = server
    this.#systemClock = systemClock
  }

  /** Creates the stamp of a change that this server makes. */
  create (): Stamp {
    this.#latest = Math.max(this.#latest + 1, this.#systemClock.now())
    return { at: this.#latest, server: this.#server }
  }

  /** Tells whether something has a change that is later than a stamp. */
  hasLater (what: string, stamp: Stamp | undefined): boolean {
    const kept = this.#kept.get(what)
    if (kept === undefined || stamp === undefined) return false
    return isLater(kept, stamp)
  }

  /** Returns the stamp of the last change of something; the earliest of all if it is not kept. */
  find (what: string): Stamp {
    return this.#kept.get(what) ?? { at: 0, server: 0 }
  }

  /** Notes a change of something, or of a part of it. Returns false if there is a later one. */
  note (stamp: Stamp | undefined, what: string, part = what): boolean {
    if (stamp === undefined) return true
    this.#latest = Math.max(this.#latest, stamp.at)
    if (this.hasLater(what, stamp) || this.hasLater(part, stamp)) return false
    this.#kept.delete(part)
    this.#kept.set(part, stamp)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > keptStamps) this.#kept.delete(oldest)
    return true
  }
}
