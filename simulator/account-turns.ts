import { Turns } from '../src/lib/turns.ts'

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

/** Work on accounts, one piece at a time for each account, in the order of the calls. */
export class AccountTurns {
  readonly #turns = new Map<number, Turns>()
  readonly #interrupters = new Map<number, (by: string) => void>()
  /** Names of the calls that wait for their turn and interrupt what is before them. */
  readonly #waiting = new Map<number, string[]>()

  run<T>(account: number, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(account) ?? new Turns()
    this.#turns.set(account, turns)
    return turns.run(work)
  }

  /** Runs work that a later call of `interrupt` may end, by the signal. */
  runInterruptible<T>(
    account: number,
    work: (interrupted: AbortSignal) => Promise<T>
  ): Promise<T> {
    return this.run(account, async () => {
      const end = new AbortController()
      const interrupt = (by: string): void => end.abort(new InterruptedTurn(by))
      this.#interrupters.set(account, interrupt)
      this.#waiting.get(account)?.slice(0, 1).forEach(interrupt)
      try {
        return await work(end.signal)
      } finally {
        this.#interrupters.delete(account)
      }
    })
  }

  /** Runs work in its turn, and interrupts all interruptible work before it. */
  interrupt<T>(account: number, by: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(account) ?? []
    this.#waiting.set(account, waiting)
    waiting.push(by)
    this.interruptNow(account, by)
    return this.run(account, () => {
      waiting.shift()
      if (waiting.length === 0) this.#waiting.delete(account)
      return work()
    })
  }

  /** Interrupts the work of an account, if it can be interrupted. */
  interruptNow (account: number, by: string): void {
    this.#interrupters.get(account)?.(by)
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
    this.#turns.delete(account)
  }
}

/**
 * Waits for work, or throws the reason of a signal as soon as it is aborted. Nothing of the work is
 * kept when it ends: an advance waits a million times with one signal.
 */
export async function untilAborted<T> (signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  // In the next turn of the event loop: work that need not wait ends before.
  const abort = (): unknown => setImmediate(() => reject(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
