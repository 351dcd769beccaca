/**
 * Pairs each of some wanted things with one of some candidates that fits it, and no candidate with
 * two. Returns the candidate of each, by their places. It ends when so many got none.
 *
 * A wanted thing takes a free candidate. If there is none, the owner of a candidate that fits looks
 * for another one, and so on (an augmenting path). Whoever has a candidate keeps one.
 */
export function pairUp (
  wanted: readonly number[],
  candidates: readonly number[],
  fits: (wanted: number, candidate: number) => boolean,
  mostMissing: number
): Map<number, number> {
  const owners = new Map<number, number>()
  const findPlace = (one: number, tried: Set<number>): boolean => {
    const free = candidates.find((candidate) => !owners.has(candidate) && fits(one, candidate))
    if (free !== undefined) {
      owners.set(free, one)
      return true
    }
    return candidates.some((candidate) => {
      const owner = owners.get(candidate)
      if (owner === undefined || tried.has(candidate) || !fits(one, candidate)) return false
      tried.add(candidate)
      if (!findPlace(owner, tried)) return false
      owners.set(candidate, one)
      return true
    })
  }
  // What a search tried in vain leads nowhere later, either.
  let vain = new Set<number>()
  let missing = 0
  for (const one of wanted) {
    if (missing >= mostMissing) break
    const tried = new Set(vain)
    if (findPlace(one, tried)) continue
    vain = tried
    missing++
  }
  return new Map([...owners].map(([candidate, one]) => [one, candidate]))
}
