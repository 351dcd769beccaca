import type { AccountTables, LedgerPart } from '../src/domain/account-tables.ts'
import type { AccountChange } from '../src/domain/stores.ts'
import { AccountWork, type AccountWorkParts, type BegunWork } from './account-work.ts'
import type { Database } from './database.ts'

/** Reset and deletion of whole accounts. */
export class SqlAccountTables implements AccountTables {
  readonly #database: Database
  readonly #work: AccountWork

  constructor (parts: AccountWorkParts) {
    this.#database = parts.database
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

  countPayments (): Promise<Map<number, number>> {
    return this.#database.transact(
      () =>
        new Map(
          this.#database.connection
            .prepare<[], { account: number; count: number }>(
              'SELECT account, count(*) AS count FROM payments GROUP BY account'
            )
            .all()
            .map(({ account, count }) => [account, count])
        )
    )
  }
}
