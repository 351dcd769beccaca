import type { MovedPayments, SetAsidePayment } from '../src/ports/ledger.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'
import type { PaymentRow } from './rows.ts'
import type { SqlSetAside } from './set-aside.ts'

/** Work on many payments of a queue. */
export interface MoveWork<Row extends PaymentRow> {
  list: () => Promise<Row[]>
  /** Removes a payment from its queue. */
  withdraw: (row: Row) => void
  withdrawAll: (rows: Row[]) => void
  move: (row: Row) => Promise<void>
}

/** Moves of many payments at once. */
export class PaymentMoves {
  readonly #database: Database
  readonly #balances: Balances
  readonly #setAside: SqlSetAside

  constructor (database: Database, balances: Balances, setAside: SqlSetAside) {
    this.#database = database
    this.#balances = balances
    this.#setAside = setAside
  }

  /**
   * Moves many payments in one transaction. If one of them fails, the transaction is repeated with
   * a part for each, and the failing ones are set aside. An error of the file or the disk is
   * not the fault of a payment.
   */
  async moveEach<Row extends PaymentRow>(
    account: number,
    readNow: () => number,
    work: MoveWork<Row>
  ): Promise<MovedPayments> {
    const moveAll = async (): Promise<MovedPayments> => {
      const rows = await work.list()
      if (rows.length > 0) work.withdrawAll(rows)
      await this.#balances.collectPostings(async () => {
        for (const row of rows) await work.move(row)
      })
      return { count: rows.length, failed: [] }
    }
    const tryEach = async (): Promise<MovedPayments> => {
      const rows = await work.list()
      const failed: SetAsidePayment[] = []
      for (const row of rows) failed.push(...(await this.#tryMove(account, readNow, work, row)))
      return { count: rows.length, failed }
    }
    try {
      return await this.#database.write(account, moveAll)
    } catch (error) {
      if (this.#database.faults.isFault(error)) throw error
      return await this.#database.write(account, tryEach)
    }
  }

  /** Moves one payment, or sets it aside and returns it. */
  async #tryMove<Row extends PaymentRow>(
    account: number,
    readNow: () => number,
    { withdraw, move }: MoveWork<Row>,
    row: Row
  ): Promise<SetAsidePayment[]> {
    withdraw(row)
    try {
      await this.#database.withSavepoint(() => move(row))
      return []
    } catch (error) {
      if (this.#database.faults.isFault(error)) throw error
      return [await this.#setAside.add(account, row.seq, readNow(), error)]
    }
  }
}
