import type { Changes } from '../domain/ports.ts'

/**
 * Who follows an account, so that nobody has to ask again and again whether something there has
 * changed.
 */
export class Followers implements Changes {
  readonly #followers = new Map<number, Set<() => void>>()
  readonly #touched = new Set<number>()

  /**
   * Calls whenever something of an account has changed, until the function that is returned is
   * called.
   */
  follow (account: number, follower: () => void): () => void {
    const others = this.#followers.get(account) ?? new Set()
    this.#followers.set(account, others.add(follower))
    return () => {
      others.delete(follower)
      if (others.size === 0 && this.#followers.get(account) === others) {
        this.#followers.delete(account)
      }
    }
  }

  touch (account: number): void {
    if (!this.#followers.has(account) || this.#touched.has(account)) return
    this.#touched.add(account)
    // A transaction is one turn, so by the next it is committed.
    setImmediate(() => {
      this.#touched.delete(account)
      for (const follower of [...(this.#followers.get(account) ?? [])]) follower()
    })
  }
}
