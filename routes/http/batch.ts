/**
 * What comes one by one is dealt with together, later in the same turn of the event loop or at the
 * end of it. A processor that does the same to fifty requests, one after the other, has at hand
 * what it needs for it: in the midst of all that is done for a request it takes 8 µs to parse a
 * body, and 2 µs right after another one.
 */
export function batchCalls<T> (
  later: (work: () => void) => unknown,
  deal: (batch: T[]) => void
): (one: T) => void {
  let waiting: T[] = []
  const dealWithAll = (): void => {
    const batch = waiting
    waiting = []
    deal(batch)
  }
  return (one) => {
    if (waiting.push(one) === 1) later(dealWithAll)
  }
}
