import type { QueryResult } from './messages.ts'
import type { Batch, WaitingStatement } from './waiting-statements.ts'

/** What a connection knows of a transaction, or of the time outside one. */
export class Transaction {
  /** True if the server does other work while the statements are under way. */
  readonly isInBackground: boolean
  /** True between the begin and the end. */
  isOpen = false
  /** Number of the transaction or of its part. */
  number = 0
  /** Number of changes: what was read before the last one is outdated. */
  changes = 0
  /** True if rows that may exist already are inserted one by one: see `isRepeatable`. */
  isCareful = false
  /**
   * True if the transaction is expected to need its first reads alone: then its end is sent with
   * them. If it needs more, its work is done again in a transaction that stays open.
   */
  endsEarly = false
  /** Statements that wait to be sent. */
  queue: WaitingStatement[] = []
  /** True if PostgreSQL knows of the transaction. */
  isBegun = false
  /** True if PostgreSQL has ended the transaction already. */
  isOver = false

  constructor (isInBackground = false) {
    this.isInBackground = isInBackground
  }

  /** True if nothing has to be sent: PostgreSQL knows nothing of it, or not any more. */
  get isDone (): boolean {
    return this.isOver || (!this.isBegun && this.queue.length <= 1)
  }

  /** Forgets the statements that wait. */
  clear (): void {
    this.queue = []
  }

  /** Gives the results of statements to those who wait for them. */
  settle ({ pending, isEnd }: Batch, results: readonly QueryResult[]): void {
    for (const [i, result] of results.entries()) {
      const waiting = pending[i]
      if (waiting !== undefined) waiting.result = result
    }
    this.isBegun = this.isOpen && !isEnd
    this.isOver = isEnd
  }

  /** Notes that statements have failed. With the connection, the transaction is lost, too. */
  fail (isLost: boolean, isEnd = false): void {
    if (isLost) this.isOpen = false
    this.isBegun = this.isOpen && !isEnd
  }
}
