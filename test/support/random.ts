/** A stream of numbers that follows from a seed, so that a run can be repeated. */
export interface Random {
  /** A number from 0 up to 1. */
  next: () => number
  /** A whole number from `low` to `high`, both included. */
  integer: (low: number, high: number) => number
  pick: <T>(values: readonly T[]) => T
  chance: (probability: number) => boolean
  uuid: () => string
}

/** Numbers of the mulberry32 generator, which is short and good enough to choose requests with. */
export function seededRandom (seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const hex = (length: number): string => {
    return Array.from({ length }, () => integer(0, 15).toString(16)).join('')
  }
  return {
    next,
    integer,
    pick: (values) => values[integer(0, values.length - 1)],
    chance: (probability) => next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[integer(0, 3)]}${hex(3)}-${hex(12)}`
  }
}

/** A seed nobody chose; it is printed, so that the run can be repeated with `--seed`. */
export function anySeed (): number {
  return Math.floor(Math.random() * 2 ** 31)
}

/** Seed of the short runs in `npm test`: they gate, so they are the same each time. */
export const gateSeed = 646453677
