import { pairUp } from './pairing.ts'
import { Refused } from '../domain/refusal.ts'

/**
 * Comparison of JSON bodies. The wanted body is a part of the other: an object may have more
 * fields, a list more elements, and the elements of a list may be in any order. Each wanted element
 * needs an element of its own.
 */

/** One difference between a wanted and an actual value. */
export interface Difference {
  /** Dotted path: body.payer.accountDetails.provider. */
  field: string
  wanted: unknown
  /** Absent if the field is absent. */
  got?: unknown
}

/** Deepest nesting of a wanted body. A deposit with metadata has 4 levels. */
export const maxDepth = 32

/**
 * Largest number of comparisons of one wanted body with one actual body. Lists of lists need the
 * product of their lengths; 50,000 comparisons take 20 ms, and 50 the first time.
 */
export const maxComparisons = 50_000

/** Largest number of differences of a list that are reported. */
const maxDifferences = 20

/** Largest number of values in a wanted body. A deposit with metadata has 20. */
export const maxValues = 2000

/** Refuses a wanted body that is nested too deeply or has too many values. */
export function checkWantedBody (body: unknown): void {
  let level = [body]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length
    if (depth > maxDepth) {
      throw new Refused('INVALID', `body must have at most ${maxDepth} levels of lists and objects`)
    }
    if (values > maxValues) {
      throw new Refused(
        'INVALID',
        `body must have at most ${maxValues} values to compare; name only the fields that matter`
      )
    }
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : []
    )
  }
}

/** Lists the differences between a wanted and an actual body; empty if they match. */
export function compareBodies (wanted: unknown, got: unknown): Difference[] {
  const comparison = new BodyComparison()
  return comparison.isMatch('body', wanted, got) ? [] : comparison.list('body', wanted, got)
}

export function difference (field: string, wanted: unknown, got: unknown): Difference {
  return got === undefined ? { field, wanted } : { field, wanted, got }
}

/** One comparison of two bodies, with a limit. */
class BodyComparison {
  #left = maxComparisons

  /** Tells whether a value is as wanted. `name` is the last part of its path. */
  isMatch (name: string, wanted: unknown, got: unknown): boolean {
    this.#count()
    if (wanted === null) return got === null || got === undefined
    if (typeof wanted !== 'object') return isSameValue(name, wanted, got)
    if (Array.isArray(wanted)) {
      return (
        Array.isArray(got) && this.#pair(name, wanted, got, 1).size === wanted.length
      )
    }
    if (!isObject(got)) return false
    return Object.entries(wanted).every(([key, value]) =>
      this.isMatch(key, value, Object.hasOwn(got, key) ? got[key] : undefined)
    )
  }

  /** Lists the differences of two values that do not match. */
  list (path: string, wanted: unknown, got: unknown, name = path): Difference[] {
    if (Array.isArray(wanted) && Array.isArray(got)) {
      return this.#listMissing(path, wanted, got, name)
    }
    if (isObject(wanted) && isObject(got)) {
      return Object.entries(wanted).flatMap(([key, value]) =>
        this.list(`${path}.${key}`, value, Object.hasOwn(got, key) ? got[key] : undefined, key)
      )
    }
    return this.isMatch(name, wanted, got) ? [] : [difference(path, wanted, got)]
  }

  /** Lists how the elements differ that got no partner: each from one that has none either. */
  #listMissing (
    path: string,
    wanted: readonly unknown[],
    got: readonly unknown[],
    name: string
  ): Difference[] {
    const partners = this.#pair(name, wanted, got, maxDifferences)
    const taken = new Set(partners.values())
    const others = [...got.keys()].filter((place) => !taken.has(place))
    const differences: Difference[] = []
    for (const [n, element] of wanted.entries()) {
      if (differences.length >= maxDifferences) break
      if (partners.has(n)) continue
      const other = others.includes(n) ? n : others[0]
      differences.push(
        ...(other === undefined
          ? [difference(`${path}.${n}`, element, undefined)]
          : this.list(`${path}.${n}`, element, got[other], name))
      )
    }
    return differences
  }

  /**
   * Pairs the elements of two lists, by their places. Plain values other than amounts are looked
   * up: they fit only their equals. Others are compared until so many have no partner.
   */
  #pair (
    name: string,
    wanted: readonly unknown[],
    got: readonly unknown[],
    mostMissing: number
  ): Map<number, number> {
    const isPlain = (value: unknown): boolean =>
      (typeof value !== 'object' || value === null) && !isAmountName(name)
    const plainPlaces = [...got.keys()].filter((place) => isPlain(got[place]))
    const equals = Map.groupBy(plainPlaces.reverse(), (place) => got[place])
    const partners = new Map<number, number>()
    for (const [n, element] of wanted.entries()) {
      const place = isPlain(element) ? equals.get(element)?.pop() : undefined
      if (place !== undefined) partners.set(n, place)
    }
    const places = (values: readonly unknown[]): number[] =>
      [...values.keys()].filter((place) => !isPlain(values[place]))
    const fits = this.#remember(got.length, (n, place) =>
      this.isMatch(name, wanted[n], got[place])
    )
    return new Map([...partners, ...pairUp(places(wanted), places(got), fits, mostMissing)])
  }

  /** Compares the same pair once. Each question counts, so that the search has an end. */
  #remember (places: number, fits: (n: number, place: number) => boolean): typeof fits {
    const known = new Map<number, boolean>()
    return (n, place) => {
      const key = n * places + place
      const answer = known.get(key)
      if (answer === undefined) known.set(key, fits(n, place))
      else this.#count()
      return answer ?? known.get(key) === true
    }
  }

  #count (): void {
    if (--this.#left < 0) {
      throw new Refused(
        'INVALID',
        `body needs more than ${maxComparisons} comparisons with one request or callback; ` +
          'name fewer elements of its lists'
      )
    }
  }
}

/** Compares plain values. Amounts are compared as numbers: '15', '15.00' and 15 are the same. */
function isSameValue (name: string, wanted: unknown, got: unknown): boolean {
  if (wanted === got) return true
  if (!isAmountName(name)) return false
  const [one, other] = [plainAmount(wanted), plainAmount(got)]
  return one !== undefined && one === other
}

/** Matches amount, requestedAmount, originalAmount, senderFees, balance and the like. */
function isAmountName (name: string): boolean {
  return /(amount|fees|balance)$/i.test(name)
}

/** Writes an amount without superfluous zeros; undefined if it is not an amount. */
function plainAmount (value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const [, whole, decimals = ''] = /^0*(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? []
  if (whole === undefined) return undefined
  const rest = decimals.replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
