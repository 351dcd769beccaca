import type { ScenarioUse } from '../src/domain/scenario.ts'
import type { ScenarioUses } from '../src/domain/stores.ts'
import type { Database } from './database.ts'

/** Uses of counted scenarios, stored with the payments they were used for. */
export class SqlScenarioUses implements ScenarioUses {
  readonly #database: Database
  readonly #add
  readonly #begin
  readonly #read
  readonly #list
  readonly #forget

  constructor (database: Database) {
    const { connection } = database
    this.#database = database
    this.#add = connection.prepare(
      'INSERT INTO uses (account, scenario, count) VALUES (?, ?, 1) ' +
        'ON CONFLICT (account, scenario) DO UPDATE SET count = uses.count + 1'
    )
    this.#begin = connection.prepare(
      'INSERT INTO uses (account, scenario, count) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    )
    this.#read = connection.prepare<[number, string], { count: number }>(
      'SELECT count FROM uses WHERE account = ? AND scenario = ?'
    )
    this.#list = connection.prepare<[number], { scenario: string; count: number }>(
      'SELECT scenario, count FROM uses WHERE account = ?'
    )
    this.#forget = connection.prepare(
      'DELETE FROM uses WHERE account = ? AND ' +
        '(scenario IN (?, ?, ?, ?, ?) OR substr(scenario, 1, ?) = ?)'
    )
  }

  listUses (account: number): Promise<Map<string, number>> {
    return this.#database.transactFor(
      account,
      () => new Map(this.#list.all(account).map(({ scenario, count }) => [scenario, count])),
      { isRead: true }
    )
  }

  /** Counts one use, or keeps the time of the first one. Called inside a transaction. */
  addUse (account: number, use: ScenarioUse): void {
    if (typeof use === 'string') this.#add.run(account, use)
    else this.#begin.run(account, use.counter, use.since)
  }

  /** Returns the number of uses. Called inside a transaction. */
  readUses (account: number, scenario: string): number {
    this.#database.sharing?.claimAccount(account)
    return this.#read.get(account, scenario)?.count ?? 0
  }

  /** Starts all counts of a scenario at 0 again. Called inside a transaction. */
  forgetUses (account: number, scenario: string): void {
    const counters = ['', '?', '~', '%', '@'].map((ending) => scenario + ending)
    const start = `${scenario}#`
    this.#forget.run(account, ...counters, [...start].length, start)
  }
}
