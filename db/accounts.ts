import type { AccountState } from '../src/domain/account.ts'
import type { AccountStore } from '../src/domain/ports.ts'
import type { Database } from './database.ts'

/**
 * The names of the accounts, the numbers the ledger knows them by, and what has been changed of
 * them.
 */
export class SqliteAccounts implements AccountStore {
  readonly #database: Database
  readonly #open
  readonly #find
  readonly #all
  readonly #save

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#open = connection.prepare(
      'INSERT INTO accounts (name, state) VALUES (?, ?) ON CONFLICT DO NOTHING'
    )
    this.#find = connection.prepare<[string], { id: number }>(
      'SELECT id FROM accounts WHERE name = ?'
    )
    this.#all = connection.prepare<[], { id: number; name: string; state: string }>(
      'SELECT id, name, state FROM accounts ORDER BY id'
    )
    this.#save = connection.prepare('UPDATE accounts SET state = ? WHERE id = ?')
  }

  openAccount (name: string, state: AccountState = {}): Promise<number> {
    return this.#database.transact(() => {
      this.#open.run(name, JSON.stringify(state))
      return (this.#find.get(name) as { id: number }).id
    })
  }

  listAccounts (): Promise<Array<{ id: number; name: string; state: AccountState }>> {
    return this.#database.transact(() =>
      this.#all.all().map(({ id, name, state }) => ({ id, name, state: JSON.parse(state) }))
    )
  }

  saveState (id: number, state: () => AccountState): Promise<void> {
    return this.#database.transact(() => this.put(id, state()))
  }

  /** Called inside a transaction. */
  put (id: number, state: AccountState): void {
    this.#save.run(JSON.stringify(state), id)
  }
}
