import type { ChangeNotifier } from '../domain/ports.ts'

/**
 * Who follows an account, so that nobody has to ask again and again whether something there has
 * changed.
 */
export class ChangeListeners implements ChangeNotifier {
  readonly #changeListeners = new Map<number, Set<() => void>>()
  readonly #touched = new Set<number>()

  /**
   * Calls whenever something of an account has changed, until the function that is returned is
   * called.
   */
  listen (account: number, follower: () => void): () => void {
    const others = this.#changeListeners.get(account) ?? new Set()
    this.#changeListeners.set(account, others.add(follower))
    return () => {
      others.delete(follower)
      if (others.size === 0 && this.#changeListeners.get(account) === others) {
        this.#changeListeners.delete(account)
      }
    }
  }

  notify (account: number): void {
    if (!this.#changeListeners.has(account) || this.#touched.has(account)) return
    this.#touched.add(account)
    // A transaction is one turn, so by the next it is committed.
    setImmediate(() => {
      this.#touched.delete(account)
      for (const follower of [...(this.#changeListeners.get(account) ?? [])]) follower()
    })
  }
}
