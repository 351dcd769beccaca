import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Background } from '../connection.ts'
import type { BackgroundSession } from './background-session.ts'
import type { PostgresConnection } from './connection.ts'
import { Transaction } from './transaction.ts'
import { writeCommit, type Batch } from './waiting-statements.ts'

/**
 * Transactions during which the server does other work. They have a connection of their own, so a
 * single statement of other work is no part of them. Work that needs more than its first reads is
 * done again in the foreground.
 */
export class BackgroundTransactions implements Background {
  readonly #connection: PostgresConnection
  readonly #session: BackgroundSession

  constructor (connection: PostgresConnection, session: BackgroundSession) {
    this.#connection = connection
    this.#session = session
  }

  get isUsable (): boolean {
    return this.#session.isUsable && !this.#connection.needsForeground
  }

  async run<T>(begin: () => void, work: () => T): Promise<T> {
    const connection = this.#connection
    const transaction = new Transaction(true)
    try {
      const first = connection.workIn(transaction, () => {
        begin()
        return transaction.isDone ? undefined : connection.takeBatch(transaction)
      })
      if (first !== undefined) await this.#send(transaction, first)
      const { value, last } = connection.workIn(transaction, () => ({
        value: work(),
        last: this.#takeLast(transaction)
      }))
      if (last !== undefined) await this.#send(transaction, last)
      // Transactions without statements must not keep the server from other work.
      else if (first === undefined) await nextTurn()
      return value
    } catch (error) {
      if (transaction.isBegun) await this.#session.rollBack()
      throw error
    }
  }

  /** Takes the last statements of a transaction, with its end. */
  #takeLast (transaction: Transaction): Batch | undefined {
    const connection = this.#connection
    transaction.isOpen = false
    if (transaction.isDone) return undefined
    connection.addEnd(writeCommit((text) => connection.nameStatement(text)))
    return connection.takeBatch(transaction)
  }

  async #send (transaction: Transaction, batch: Batch): Promise<void> {
    try {
      transaction.settle(batch, await this.#session.run(batch.queries, transaction.isBegun))
    } catch (error) {
      throw this.#connection.learn(transaction, batch, error)
    }
  }
}
