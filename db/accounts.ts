import type { AccountStore } from '../src/domain/ports.ts'
import type { Database } from './database.ts'

/** The names of the accounts and the numbers the ledger knows them by. */
export class SqliteAccounts implements AccountStore {
  readonly #database: Database
  readonly #open
  readonly #find
  readonly #all

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#open = connection.prepare('INSERT INTO accounts (name) VALUES (?) ON CONFLICT DO NOTHING')
    this.#find = connection.prepare<[string], { id: number }>('SELECT id FROM accounts WHERE name = ?')
    this.#all = connection.prepare<[], { id: number, name: string }>('SELECT id, name FROM accounts ORDER BY id')
  }

  open (name: string): Promise<number> {
    return this.#database.transact(() => {
      this.#open.run(name)
      return (this.#find.get(name) as { id: number }).id
    })
  }

  all (): Promise<Array<{ id: number, name: string }>> {
    return this.#database.transact(() => this.#all.all())
  }
}
