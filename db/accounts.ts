import type { AccountState } from '../src/domain/account.ts'
import type { AccountChange, AccountStore } from '../src/domain/stores.ts'
import type { Database } from './database.ts'
import type { SqliteScenarioUses } from './scenario-uses.ts'

/** Names, numbers and changed state of the accounts. */
export class SqliteAccounts implements AccountStore {
  readonly #database: Database
  readonly #uses: SqliteScenarioUses
  readonly #insert
  readonly #find
  readonly #list
  readonly #update

  constructor (database: Database, uses: SqliteScenarioUses) {
    const { connection } = database
    this.#database = database
    this.#uses = uses
    this.#insert = connection.prepare(
      'INSERT INTO accounts (name, state) VALUES (?, ?) ON CONFLICT DO NOTHING'
    )
    this.#find = connection.prepare<[string], { id: number }>(
      'SELECT id FROM accounts WHERE name = ?'
    )
    this.#list = connection.prepare<[], { id: number; name: string; state: string }>(
      'SELECT id, name, state FROM accounts ORDER BY id'
    )
    this.#update = connection.prepare('UPDATE accounts SET state = ? WHERE id = ?')
  }

  openAccount (name: string, state: AccountState = {}): Promise<number> {
    return this.#database.transact(() => {
      this.#insert.run(name, JSON.stringify(state))
      return (this.#find.get(name) as { id: number }).id
    })
  }

  listAccounts (): Promise<Array<{ id: number; name: string; state: AccountState }>> {
    return this.#database.transact(() =>
      this.#list.all().map(({ id, name, state }) => ({ id, name, state: JSON.parse(state) }))
    )
  }

  saveState (id: number, change: AccountChange, restartCount?: string): Promise<void> {
    const { state, committed } = change
    return this.#database.transactFor(
      id,
      () => {
        this.writeState(id, state())
        if (restartCount !== undefined) this.#uses.forgetUses(id, restartCount)
      },
      { committed }
    )
  }

  /** Writes the state of an account. Called inside a transaction. */
  writeState (id: number, state: AccountState): void {
    this.#update.run(JSON.stringify(state), id)
  }
}
