/** Reads of a list that work on the whole account keeps interrupting. */
const mostReads = 5

/**
 * Notes which accounts got other rows: by a reset or a restore, of this server or of another one.
 */
export class AccountReplacements {
  /** Reads of several transactions that are under way. */
  readonly #reads = new Map<number, Set<{ isStale: boolean }>>()

  note (account: number): void {
    for (const read of this.#reads.get(account) ?? []) read.isStale = true
  }

  /**
   * Reads rows of an account in several transactions, and reads again if they were replaced in
   * between: the pages of a list must not be of two states.
   */
  async readPages<T>(account: number, readAll: () => Promise<T>): Promise<T> {
    const reads = this.#reads.get(account) ?? new Set()
    this.#reads.set(account, reads)
    try {
      for (let tries = 1; ; tries++) {
        const read = { isStale: false }
        reads.add(read)
        const value = await readAll().finally(() => reads.delete(read))
        if (!read.isStale || tries === mostReads) return value
      }
    } finally {
      if (reads.size === 0) this.#reads.delete(account)
    }
  }
}
