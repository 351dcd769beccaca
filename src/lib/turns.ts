/** Runs pieces of work one after the other, in the order of the calls. A failure stops none. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Waits until all work that was handed in has ended. */
  async end (): Promise<void> {
    await this.#last
  }
}
