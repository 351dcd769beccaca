import { paymentQueue } from '../src/ports/due-queue.ts'
import { kinds, kindOfCode } from '../src/domain/kinds.ts'
import type { SetAside, SetAsidePayment } from '../src/ports/ledger.ts'
import { bytesToUuid } from '../src/lib/ids.ts'
import type { Database } from './database.ts'
import type { SqlDueQueue } from './due-queue.ts'

/** Longest error text that is kept, in characters. */
const longestError = 500

interface SetAsideRow {
  payment: number
  kind: number
  id: Buffer
  at: number
  error: string
}

/** Payments that could not be moved because of an error. They stay out of the queues. */
export class SqlSetAside implements SetAside {
  readonly #database: Database
  readonly #dueQueue: SqlDueQueue
  readonly #insert
  readonly #find
  readonly #list
  readonly #delete

  constructor (database: Database, dueQueue: SqlDueQueue) {
    const { connection } = database
    this.#database = database
    this.#dueQueue = dueQueue
    this.#insert = connection.prepare(`
      INSERT INTO set_aside (ledger, payment, at, error) VALUES (?, ?, ?, ?)
      ON CONFLICT (ledger, payment) DO UPDATE SET at = excluded.at, error = excluded.error`)
    const select = `
      SELECT payment, kind, id, at, error FROM set_aside JOIN payments ON seq = payment
      WHERE set_aside.ledger = ?`
    this.#find = connection.prepare<[number, number], SetAsideRow>(`${select} AND payment = ?`)
    this.#list = connection.prepare<[number, number, number], SetAsideRow>(
      `${select} AND payment > ? ORDER BY payment LIMIT ?`
    )
    this.#delete = connection.prepare('DELETE FROM set_aside WHERE ledger = ? AND payment = ?')
  }

  listSetAside (account: number, after: number, limit: number): Promise<SetAsidePayment[]> {
    return this.#database.read(account, async () =>
      (await this.#list.all(this.#database.ledgerOf(account), after, limit)).map(
        readSetAsidePayment
      )
    )
  }

  retrySetAside (account: number, payment: number, now: number): Promise<boolean> {
    return this.#database.write(account, async () => {
      if ((await this.#delete.change(this.#database.ledgerOf(account), payment)) === 0) return false
      this.#dueQueue.add(account, paymentQueue, now, payment)
      return true
    })
  }

  /** Sets a payment aside. Called inside a transaction. */
  async add (
    account: number,
    payment: number,
    at: number,
    error: unknown
  ): Promise<SetAsidePayment> {
    const text = error instanceof Error ? error.message : String(error)
    const ledger = this.#database.ledgerOf(account)
    this.#insert.run(ledger, payment, at, text.slice(0, longestError))
    return readSetAsidePayment((await this.#find.get(ledger, payment)) as SetAsideRow)
  }
}

function readSetAsidePayment ({ payment, kind, id, at, error }: SetAsideRow): SetAsidePayment {
  // A row whose kind is unknown is one of the errors that set a payment aside.
  const known = Object.values(kinds).some(({ ledgerCode }) => ledgerCode === kind)
  return {
    seq: payment,
    ...(known && { kind: kindOfCode(kind) }),
    id: bytesToUuid(id),
    at,
    error
  }
}
