import { findNearest } from '../../lib/validator.ts'

/** What a load is made of. Each kind knows the answer that is the right one. */

export const requestKinds = {
  initiations: { needs: undefined, right: '"ACCEPTED"' },
  duplicates: { needs: 'an accepted payment', right: '"DUPLICATE_IGNORED"' },
  checks: { needs: 'an accepted payment', right: '"FOUND"' }
} as const

export type RequestKind = keyof typeof requestKinds
export const kindNames = Object.keys(requestKinds) as RequestKind[]

/** The most of one kind in a round. */
const most = 1000

/** A round of requests, as `initiations=8,checks=2` says; a text says what is wrong with it. */
export function parseMix (text: string): RequestKind[] | string {
  const counts = new Map<RequestKind, number>()
  for (const part of text.split(',')) {
    const [, name, count] = /^\s*(\w+)\s*=\s*(\d{1,4})\s*$/.exec(part) ?? []
    if (name === undefined) return `'${part}' must be a kind and a number, such as checks=2`
    if (!isKind(name)) return `'${name}' is not one of ${kindNames.join(', ')}${hint(name)}`
    if (counts.has(name)) return `'${name}' is given twice`
    if (Number(count) > most) return `'${part}' is too many; at most ${most} of a kind`
    counts.set(name, Number(count))
  }
  const round = interleaved(counts)
  if (round.length === 0) return 'at least one kind must have a number above 0'
  if (!round.includes('initiations')) {
    return (
      'at least one of the requests must be an initiation: duplicates and checks are about ' +
      'payments that were initiated'
    )
  }
  return round
}

/** Spread evenly, so that no kind comes in one lump. */
function interleaved (counts: Map<RequestKind, number>): RequestKind[] {
  const spots = [...counts].flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => ({ kind, at: (index + 0.5) / count }))
  )
  return spots.sort((a, b) => a.at - b.at).map(({ kind }) => kind)
}

function isKind (name: string): name is RequestKind {
  return name in requestKinds
}

function hint (name: string): string {
  const near = findNearest(name, kindNames)
  return near === undefined ? '' : `; did you mean ${near}?`
}
