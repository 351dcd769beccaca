import type { ScenarioUses } from '../src/domain/ports.ts'
import type { Database } from './database.ts'

/** How often counted scenarios have been used, kept with the payments they were used for. */
export class SqliteScenarioUses implements ScenarioUses {
  readonly #database: Database
  readonly #count
  readonly #find
  readonly #all
  readonly #forget

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#count = connection.prepare(
      'INSERT INTO uses (account, scenario, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE ' +
        'SET count = count + 1'
    )
    this.#find = connection.prepare<[number, string], { count: number }>(
      'SELECT count FROM uses WHERE account = ? AND scenario = ?'
    )
    this.#all = connection.prepare<[number], { scenario: string; count: number }>(
      'SELECT scenario, count FROM uses WHERE account = ?'
    )
    this.#forget = connection.prepare(
      "DELETE FROM uses WHERE account = ? AND (scenario IN (?, ?, ?) OR scenario GLOB ? || '#*')"
    )
  }

  listUses (account: number): Promise<Map<string, number>> {
    return this.#database.transact(
      () => new Map(this.#all.all(account).map(({ scenario, count }) => [scenario, count]))
    )
  }

  forgetUses (account: number, scenario: string): Promise<void> {
    return this.#database.transact(() => {
      this.#forget.run(account, scenario, `${scenario}?`, `${scenario}~`, scenario)
    })
  }

  /** Counts one use. Called inside a transaction. */
  addUse (account: number, scenario: string): void {
    this.#count.run(account, scenario)
  }

  /** How often it was used. Called inside a transaction. */
  readUses (account: number, scenario: string): number {
    return this.#find.get(account, scenario)?.count ?? 0
  }
}
