import type { ChangeListeners } from './change-listeners.ts'

interface Watched {
  version: number
  unlisten: () => void
  end: NodeJS.Timeout
}

/** Time that an account is watched after the last look: a page opens its stream within it. */
const watchMs = 10_000

/**
 * Versions of accounts that somebody looks at. A page has the version that it shows, and so its
 * stream, which opens later, knows whether something has changed since.
 */
export class AccountVersions {
  readonly #listeners: Pick<ChangeListeners, 'listen'>
  readonly #watched = new Map<number, Watched>()
  #last = 0

  constructor (listeners: Pick<ChangeListeners, 'listen'>) {
    this.#listeners = listeners
  }

  /** Returns the version of an account. A change gives it another one. */
  find (account: number): number {
    const known = this.#watched.get(account) ?? this.#watch(account)
    known.end.refresh()
    return known.version
  }

  #watch (account: number): Watched {
    const watched: Watched = {
      version: ++this.#last,
      unlisten: this.#listeners.listen(account, [{ any: true }], () => {
        watched.version = ++this.#last
      }),
      end: setTimeout(() => {
        watched.unlisten()
        this.#watched.delete(account)
      }, watchMs).unref()
    }
    this.#watched.set(account, watched)
    return watched
  }
}
