import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { runForAWhile } from './ledger-numbers.ts'
import { deleteRows } from './ledger-rows.ts'

/** Longest work in one turn of the event loop, and the pause after it. */
const turnMs = 5
const pauseMs = 10
/** Wait before work that failed is tried again. */
const retryMs = 1000

/** Deletes the rows of old ledgers in the background, in steps that nobody notices. */
export class LedgerCleaner {
  readonly #database: Database
  readonly #find
  readonly #lock
  readonly #forget
  readonly #drop
  #run: Promise<void> | undefined
  #isAsked = false

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#find = connection.prepare<[], { number: number }>(
      "SELECT number FROM ledgers WHERE state = 'OLD' ORDER BY number LIMIT 1"
    )
    // Of several servers, one works on a ledger at a time.
    this.#lock = connection.prepare<[number], object>(
      `SELECT 1 FROM ledgers WHERE number = ? AND state = 'OLD' ${connection.dialect.skipLocked}`
    )
    this.#drop = connection.prepare(
      "UPDATE ledgers SET state = 'OLD' WHERE number = ? AND state = 'COPYING'"
    )
    this.#forget = connection.prepare('DELETE FROM ledgers WHERE number = ?')
    database.wakeCleaner = () => this.wake()
  }

  /** Begins to delete what is old, unless it does so already. */
  wake (): void {
    this.#isAsked = true
    this.#run ??= this.#clean().finally(() => {
      this.#run = undefined
    })
  }

  async #clean (): Promise<void> {
    const database = this.#database
    while (this.#isAsked && !database.isStopping) {
      this.#isAsked = false
      try {
        await this.#dropAbandoned()
        for (;;) {
          const next = await database.read(undefined, () => this.#find.get())
          if (next === undefined || database.isStopping) break
          await database.duringLongWork(() => this.#delete(next.number))
        }
      } catch {
        // The disk is full, for example, or the connection is lost: that is reported elsewhere.
        this.#isAsked = true
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }

  /** Notes copies that were given up when nothing could be stored. */
  async #dropAbandoned (): Promise<void> {
    for (const ledger of this.#database.abandoned) {
      await this.#database.write(undefined, () => this.#drop.run(ledger))
      this.#database.abandoned.delete(ledger)
    }
  }

  async #delete (ledger: number): Promise<void> {
    const database = this.#database
    const { connection } = database
    let steps = deleteRows(connection, ledger)
    const step = async (): Promise<boolean> => {
      if ((await this.#lock.get(ledger)) === undefined) return true
      if (!(await runForAWhile(steps, turnMs))) return false
      this.#forget.run(ledger)
      return true
    }
    let isDone = false
    while (!isDone && !database.isStopping) {
      try {
        isDone = await database.write(undefined, step, { alone: true })
      } catch (error) {
        // A step that was taken back is done again.
        steps = deleteRows(connection, ledger)
        throw error
      }
      await sleep(pauseMs, undefined, { ref: false })
    }
  }
}
