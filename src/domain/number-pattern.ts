/**
 * Patterns of phone numbers: digits, '?' for any digit, '*' for any digits, '[0-4]' for one of
 * these.
 */

/** Most characters of a pattern. A number has at most 20 digits. */
export const longestPattern = 100

/** One place of a pattern: the digits that fit there, or any number of any digits. */
type Place = string | '*'

const every = '0123456789'
/** Patterns that were read before. Those that are not used any more go with the others. */
const known = new Map<string, Place[] | undefined>()
const mostKnown = 1000

/** Tells whether a text is a pattern. A range goes from the smaller digit to the larger. */
export function isNumberPattern (text: string): boolean {
  return placesOf(text) !== undefined
}

/** Does a number fit? In time that grows with both lengths only, whatever the pattern. */
export function fitsPattern (text: string, number: string): boolean {
  const places = placesOf(text) ?? []
  let [place, digit, star, retry] = [0, 0, -1, 0]
  while (digit < number.length) {
    if (place < places.length && places[place] === '*') {
      ;[star, retry, place] = [place, digit, place + 1]
    } else if (place < places.length && places[place].includes(number[digit])) {
      ;[place, digit] = [place + 1, digit + 1]
    } else if (star >= 0) [place, digit, retry] = [star + 1, retry + 1, retry + 1]
    else return false
  }
  while (places[place] === '*') place++
  return place === places.length
}

/** Tells whether the first pattern certainly matches everything that the second matches. */
export function coversPattern (first: string, second: string): boolean {
  if (first === second || /^\*+$/.test(first)) return true
  if (/^[0-9]+$/.test(second)) return fitsPattern(first, second)
  // A beginning that is fixed, and anything after it, takes every longer beginning of that kind.
  const [, start] = /^([0-9]*)\*+$/.exec(first) ?? []
  return start !== undefined && second.startsWith(start)
}

function placesOf (text: string): Place[] | undefined {
  if (text.length > longestPattern) return undefined
  if (known.has(text)) return known.get(text)
  if (known.size === mostKnown) known.clear()
  const places = parse(text)
  known.set(text, places)
  return places
}

function parse (text: string): Place[] | undefined {
  const places: Place[] = []
  for (const [part] of text.matchAll(/\*+|\?|\[[^\]]*\]|./g)) {
    if (part[0] === '*') places.push('*')
    else if (part === '?') places.push(every)
    else if (part[0] !== '[') places.push(part)
    else {
      const digits = digitsOf(part.slice(1, -1))
      if (digits === undefined) return undefined
      places.push(digits)
    }
  }
  return places
}

/** Digits of a choice such as 0-4 or 13-57. */
function digitsOf (choice: string): string | undefined {
  let digits = ''
  for (const [, from, to = from] of choice.matchAll(/([0-9])(?:-([0-9]))?/g)) {
    if (to < from) return undefined
    digits += every.slice(Number(from), Number(to) + 1)
  }
  return /^([0-9](-[0-9])?)+$/.test(choice) ? digits : undefined
}
