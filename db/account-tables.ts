import type { LedgerPart } from '../src/domain/reset-parts.ts'
import type { AccountTables, CountedTable } from '../src/ports/account-tables.ts'
import { outageQueue } from '../src/ports/due-queue.ts'
import type { AccountChange } from '../src/ports/stores.ts'
import type { SqlAccounts } from './accounts.ts'
import type { Statement } from './connection.ts'
import type { Database } from './database.ts'
import { LedgerNumbers } from './ledger-numbers.ts'

/** Rows that are counted in one turn of the event loop: at most 5 ms. */
const pageSize = 20_000

/** Parts that the work on whole accounts needs. */
export interface AccountTableParts {
  database: Database
  accounts: SqlAccounts
}

/** Counts the rows of a ledger after a number and before another one, as many as a page has. */
type Pages = Statement<
  [ledger: number, after: number, before: number],
  { size: number; last: number | null }
>

/** Reset, deletion and size of whole accounts. */
export class SqlAccountTables implements AccountTables {
  readonly #database: Database
  readonly #accounts: SqlAccounts
  readonly #numbers: LedgerNumbers
  readonly #pages
  readonly #oldLedgers

  constructor ({ database, accounts }: AccountTableParts) {
    const { connection } = database
    this.#database = database
    this.#accounts = accounts
    this.#numbers = new LedgerNumbers(database)
    const prepare = (table: CountedTable): Pages =>
      connection.prepare(`
        SELECT count(*) AS size, max(seq) AS last FROM (
          SELECT seq FROM ${table} ${connection.dialect.indexedBy(`${table}_of_ledger`)}
          WHERE ledger = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ${pageSize}) AS page`)
    this.#pages = { payments: prepare('payments'), callbacks: prepare('callbacks') }
    this.#oldLedgers = connection.prepare<[number], { number: number }>(
      "SELECT number FROM ledgers WHERE account = ? AND state = 'OLD'"
    )
  }

  async clearAccount (
    account: number,
    keep: readonly LedgerPart[],
    change: AccountChange,
    prepare: () => Promise<void>
  ): Promise<void> {
    const { connection } = this.#database
    const clear = async (): Promise<number> => {
      await this.#accounts.writeChange(account, change)
      const from = this.#database.ledgerOf(account)
      const isKept = (part: LedgerPart): boolean => keep.includes(part)
      const uses = 'uses WHERE ledger = ?'
      const ends = `due_queue WHERE queue = ${outageQueue} AND ledger = ?`
      if (isKept('payments')) {
        if (!isKept('scenarios')) connection.prepare(`DELETE FROM ${uses}`).run(from)
        if (!isKept('providers')) connection.prepare(`DELETE FROM ${ends}`).run(from)
        return from
      }
      const to = await this.#numbers.add(account, 'USED')
      this.#numbers.point(account, to)
      const move = (rows: string): void =>
        connection
          .prepare(`UPDATE ${rows.replace(' ', ' SET ledger = ? ')}`)
          .run(to, from)
      if (isKept('scenarios')) move(uses)
      if (isKept('providers')) move(ends)
      return to
    }
    const committed = (ledger: number): void => {
      this.#database.replacedRows++
      this.#database.setLedger(account, ledger)
      change.committed()
    }
    await this.#database.hold(account, async () => {
      await prepare()
      await this.#database.write(account, clear, { committed })
      this.#database.wakeCleaner()
      await change.finished?.()
    })
  }

  async removeAccount (
    account: number,
    agreed: () => boolean,
    committed: () => void
  ): Promise<boolean> {
    const { connection } = this.#database
    const remove = (): boolean => {
      if (!agreed()) return false
      this.#numbers.dropAll(account)
      for (const row of ['tokens WHERE account', 'snapshots WHERE account', 'accounts WHERE id']) {
        connection.prepare(`DELETE FROM ${row} = ?`).run(account)
      }
      return true
    }
    const isRemoved = await this.#database.write(account, remove, {
      committed: (isRemoved) => {
        if (!isRemoved) return
        this.#database.setLedger(account, undefined)
        committed()
      }
    })
    if (isRemoved) this.#database.wakeCleaner()
    return isRemoved
  }

  countRows (
    table: CountedTable,
    account: number,
    before = Number.MAX_SAFE_INTEGER
  ): Promise<number> {
    return this.#countIn(this.#pages[table], this.#database.ledgerOf(account), before)
  }

  async countOldPayments (account: number): Promise<number> {
    const ledgers = await this.#database.read(account, () => this.#oldLedgers.all(account))
    let count = 0
    for (const { number } of ledgers) count += await this.#countIn(this.#pages.payments, number)
    return count
  }

  async #countIn (
    pages: Pages,
    ledger: number,
    before = Number.MAX_SAFE_INTEGER
  ): Promise<number> {
    let count = 0
    for (let after = 0, isFull = true; isFull;) {
      const page = await this.#database.read(undefined, () => pages.get(ledger, after, before))
      count += page?.size ?? 0
      isFull = page?.size === pageSize
      after = page?.last ?? after
    }
    return count
  }
}
