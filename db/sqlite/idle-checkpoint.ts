import type SQLite from 'better-sqlite3'

/** Time without transactions after which the write-ahead log is written back. */
const idleMs = 200
/** Fewer pages stay in the log: the disk needs some milliseconds for any number. */
const worthwhilePages = 500

/**
 * Writes the write-ahead log back while the server has nothing to do, so that it does not stop the
 * server under load.
 */
export class IdleCheckpoint {
  readonly #connection: SQLite.Database
  #timer: NodeJS.Timeout | undefined
  /** True if there were transactions since the timer began. */
  #isBusy = false

  constructor (connection: SQLite.Database) {
    this.#connection = connection
  }

  /** Notes a transaction. */
  note (): void {
    this.#isBusy = true
    if (this.#timer === undefined) this.#wait()
  }

  stop (): void {
    clearTimeout(this.#timer)
  }

  #wait (): void {
    this.#isBusy = false
    this.#timer = setTimeout(() => {
      if (this.#isBusy) return this.#wait()
      this.#timer = undefined
      this.#writeBack()
    }, idleMs).unref()
  }

  #writeBack (): void {
    try {
      const [{ log }] = this.#connection.pragma('wal_checkpoint(NOOP)') as Array<{ log: number }>
      if (log >= worthwhilePages) this.#connection.pragma('wal_checkpoint(PASSIVE)')
    } catch {
      // The log stays as it is, and the next pause is another chance.
    }
  }
}
