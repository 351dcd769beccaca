/** Time that an advance has to end by itself before a change of its account interrupts it. */
const graceMs = 250

/** Error of an advance that a change of its account has interrupted. */
export class InterruptedTurn extends Error {
  override name = 'InterruptedTurn'
  /** Call that interrupted it. */
  readonly by: string

  constructor (by: string) {
    super(`interrupted by ${by}`)
    this.by = by
  }
}

/** Signal for interruptible work. */
export interface Interruption {
  /** Waits for work, or throws an `InterruptedTurn` as soon as the work is interrupted. */
  race: <T>(work: Promise<T>) => Promise<T>
}

/** Work on accounts, one piece at a time for each account, in the order of the calls. */
export class AccountTurns {
  readonly #last = new Map<number, Promise<unknown>>()
  readonly #interrupters = new Map<number, (by: string) => void>()

  run<T>(account: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(account) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#last.set(
      account,
      turn.catch(() => {})
    )
    return turn
  }

  /** Runs work that a later call of `interrupt` may end. */
  runInterruptible<T>(
    account: number,
    work: (interruption: Interruption) => Promise<T>
  ): Promise<T> {
    return this.run(account, async () => {
      const { promise, reject } = Promise.withResolvers<never>()
      // Work that is not interrupted leaves the promise pending; one that nobody waits for is fine.
      promise.catch(() => {})
      this.#interrupters.set(account, (by) => reject(new InterruptedTurn(by)))
      try {
        return await work({ race: (work) => Promise.race([work, promise]) })
      } finally {
        this.#interrupters.delete(account)
      }
    })
  }

  /** Runs work in its turn, and interrupts interruptible work that keeps it waiting. */
  async interrupt<T>(account: number, by: string, work: () => Promise<T>): Promise<T> {
    const hurry = setTimeout(() => this.#interrupters.get(account)?.(by), graceMs)
    return await this.run(account, async () => {
      clearTimeout(hurry)
      return await work()
    })
  }

  /** Waits for interruptible work; an interruption is no error. */
  async ignoreInterruption (work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!(error instanceof InterruptedTurn)) throw error
    }
  }

  forget (account: number): void {
    this.#last.delete(account)
  }
}
