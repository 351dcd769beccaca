import { findNearest } from '../../lib/validator.ts'

/** Kinds of requests, each with the text that a correct answer contains. */
export const requestKinds = {
  initiations: { needs: undefined, right: '"ACCEPTED"' },
  duplicates: { needs: 'an accepted payment', right: '"DUPLICATE_IGNORED"' },
  checks: { needs: 'an accepted payment', right: '"FOUND"' }
} as const

/** Name of a kind of request. */
export type RequestKind = keyof typeof requestKinds
/** Names of all kinds of requests. */
export const kindNames = Object.keys(requestKinds) as RequestKind[]

/** Maximum of one kind in a round. */
const most = 1000

/** Parses `initiations=8,checks=2` into a round of requests. Returns a text for a wrong mix. */
export function parseMix (text: string): RequestKind[] | string {
  const counts = new Map<RequestKind, number>()
  for (const part of text.split(',')) {
    const [, name, count] = /^\s*(\w+)\s*=\s*(\d{1,4})\s*$/.exec(part) ?? []
    if (name === undefined) return `'${part}' must be a kind and a number, such as checks=2`
    if (!isKind(name)) return `'${name}' is not one of ${kindNames.join(', ')}${suggestKind(name)}`
    if (counts.has(name)) return `'${name}' is named twice; name each kind once`
    if (Number(count) > most) return `'${part}' is too high; the maximum per kind is ${most}`
    counts.set(name, Number(count))
  }
  const round = interleaveKinds(counts)
  if (round.length === 0) return 'at least one kind must have a number above 0'
  if (!round.includes('initiations')) {
    return 'initiations must be above 0, because duplicates and checks need existing payments'
  }
  return round
}

/** Spreads the kinds evenly over the round. */
function interleaveKinds (counts: Map<RequestKind, number>): RequestKind[] {
  const spots = [...counts].flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => ({ kind, at: (index + 0.5) / count }))
  )
  return spots.sort((a, b) => a.at - b.at).map(({ kind }) => kind)
}

function isKind (name: string): name is RequestKind {
  return name in requestKinds
}

function suggestKind (name: string): string {
  const near = findNearest(name, kindNames)
  return near === undefined ? '' : `; did you mean ${near}?`
}
