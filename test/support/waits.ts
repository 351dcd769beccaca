/** Waits that end: a wait without result throws an error that names what was awaited. */

/** Usual limit of a wait: what is awaited takes seconds, and longer on a busy machine. */
export const waitLimitMs = 60_000

/** Waits for a result. After the limit it throws an error with what was seen until then. */
export function waitFor<T> (
  what: string,
  result: Promise<T>,
  seen: () => string = () => '',
  limitMs = waitLimitMs
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const sight = seen()
    reject(new Error(`waited ${limitMs / 1000} s for ${what}${sight === '' ? '' : `; ${sight}`}`))
  }, limitMs)
  const wait = Promise.race([result, expired]).finally(() => clearTimeout(timer))
  // A test that failed does not await it any more.
  wait.catch(() => {})
  return wait
}

/** Items in the order in which they came; each is taken once, also by a taker that came first. */
export class Queue<Item> {
  #items: Item[] = []
  #takers: Array<(item: Item) => void> = []

  add (item: Item): void {
    const taker = this.#takers.shift()
    if (taker === undefined) this.#items.push(item)
    else taker(item)
  }

  take (): Promise<Item> {
    const { promise, resolve } = Promise.withResolvers<Item>()
    if (this.#items.length > 0) resolve(this.#items.shift()!)
    else this.#takers.push(resolve)
    return promise
  }
}
