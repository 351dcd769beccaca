/** Most MiB of texts on one page of a list: they are written in one turn, in about 15 ms. */
export const pageMiB = 1

/** Returns the first items that fit on a page, at least one. */
export function clipPage<T> (items: readonly T[], measure: (item: T) => number): T[] {
  let letters = 0
  const end = items.findIndex((item, n) => (letters += measure(item)) > pageMiB * 2 ** 20 && n > 0)
  return end === -1 ? [...items] : items.slice(0, end)
}
