import type { KeyRecord, KeyStore } from '../src/ports/stores.ts'
import type { Database } from './database.ts'

/** The server's own key pairs, kept with the ledger so that a restart does not change them. */
export class SqlKeys implements KeyStore {
  readonly #database: Database
  readonly #all
  readonly #add

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#all = connection.prepare<[], KeyRecord>(
      'SELECT id, private_key AS "privateKey" FROM keys ORDER BY seq DESC'
    )
    this.#add = connection.prepare(
      'INSERT INTO keys (id, private_key) VALUES (?, ?) ON CONFLICT DO NOTHING'
    )
  }

  listKeys (): Promise<KeyRecord[]> {
    return this.#database.read(undefined, () => this.#all.all())
  }

  addKey ({ id, privateKey }: KeyRecord): Promise<boolean> {
    return this.#database.write(
      undefined,
      async () => (await this.#add.change(id, privateKey)) === 1
    )
  }
}
