import type { AccountTables, CountedTable, LedgerPart } from '../src/domain/account-tables.ts'
import type { AccountChange } from '../src/domain/stores.ts'
import { AccountWork, type AccountWorkParts, type BegunWork } from './account-work.ts'
import type { Database } from './database.ts'

/** Rows that are counted in one turn of the event loop: at most 5 ms. */
const pageSize = 20_000

/** Reset, deletion and size of whole accounts. */
export class SqlAccountTables implements AccountTables {
  readonly #database: Database
  readonly #work: AccountWork
  readonly #pages

  constructor (parts: AccountWorkParts) {
    const { connection } = parts.database
    this.#database = parts.database
    const prepare = (table: CountedTable) =>
      connection.prepare<[number, number, number], { size: number; last: number | null }>(`
        SELECT count(*) AS size, max(seq) AS last FROM (
          SELECT seq FROM ${table} ${connection.dialect.indexedBy(`${table}_of_account`)}
          WHERE account = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ${pageSize}) AS page`)
    this.#pages = { payments: prepare('payments'), callbacks: prepare('callbacks') }
    this.#work = new AccountWork(parts)
  }

  async clearAccount (
    account: number,
    keep: readonly LedgerPart[],
    change: AccountChange,
    prepare: () => Promise<void>
  ): Promise<void> {
    const work = { kind: 'clear' as const, account, keep: [...keep] }
    await this.#work.runLocked(account, async () => {
      await prepare()
      await this.#work.run(account, () => ({ work, change }))
    })
  }

  removeAccount (account: number, agreed: () => boolean, committed: () => void): Promise<boolean> {
    const begin = (): BegunWork | undefined => {
      if (!agreed()) return undefined
      this.#database.connection.prepare('DELETE FROM accounts WHERE id = ?').run(account)
      return { work: { kind: 'remove', account }, committed }
    }
    return this.#work.runLocked(account, () => this.#work.run(account, begin))
  }

  async countRows (
    table: CountedTable,
    account: number,
    before = Number.MAX_SAFE_INTEGER
  ): Promise<number> {
    const pages = this.#pages[table]
    let count = 0
    for (let after = 0, isFull = true; isFull;) {
      const page = await this.#database.read(undefined, () => pages.get(account, after, before))
      count += page?.size ?? 0
      isFull = page?.size === pageSize
      after = page?.last ?? after
    }
    return count
  }
}
